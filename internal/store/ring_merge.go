package store

// tieRefreshMicros is the age at which the stored time of a tie is updated. A
// stored time that is too old only costs an extra query for the people who share
// the entity.
const tieRefreshMicros = hourMicros

var ringPersonTable = newBulkTable("fraud_ring_people",
	column{"person", text}, column{"ring_id", text}, column{"seen_micros", bigint}, column{"decision_id", text},
)

// actorSystem is the actor that is recorded when the alert of a merged ring is
// closed.
const actorSystem = "system"

// regroup stores the result of a grouping. The caller holds the scope's lock,
// so nothing has changed since the grouping was read.
func (rg rings) regroup(g *grouping, o Observation) error {
	for _, r := range g.refused {
		if err := rg.truncate(r); err != nil {
			return err
		}
	}
	ring := &g.survivor
	if ring.people == 0 {
		return nil // the applicant stays alone
	}
	for _, id := range g.absorbed {
		if err := rg.absorb(ring, id, o.NowMicros); err != nil {
			return err
		}
	}
	if err := rg.put(g, o.NowMicros); err != nil {
		return err
	}
	if len(g.joining) > 0 {
		rows := make([][]any, len(g.joining))
		for i, p := range g.joining {
			rows[i] = []any{p.ref, ring.id, p.seenMicros, p.decisionID}
		}
		if err := ringPersonTable.insert(rg.tx, rows); err != nil {
			return err
		}
	}
	if err := rg.putTies(g, o); err != nil {
		return err
	}
	return rg.addToOpenAlert(g)
}

// addToOpenAlert adds the people of a ring to its open alert, if there is one, except those whom the alert has
// already. It does nothing if only the applicant joined the ring, because Alerts.Raise adds the applicant with the
// decision.
func (rg rings) addToOpenAlert(g *grouping) error {
	others := len(g.joining)
	if g.own == "" {
		others--
	}
	if others == 0 && len(g.absorbed) == 0 {
		return nil
	}
	a, err := rg.openAlert(g.survivor.id)
	if err != nil || a.ID == "" {
		return err
	}
	found, err := rg.tx.Alerts().ringPeople(&a)
	if err != nil {
		return err
	}
	return rg.tx.Alerts().addEvidence(&a, found)
}

func (rg rings) truncate(r *ringRow) error {
	if r.truncated {
		return nil
	}
	_, err := rg.tx.exec(
		"UPDATE fraud_rings SET truncated = 1 WHERE tenant_id = $1 AND environment = $2 AND id = $3", r.id)
	return err
}

// absorb moves the people, the ties and the alert of a ring into another ring.
// Rings are limited in size, so the number of changed rows is limited too.
func (rg rings) absorb(into *ringRow, id string, nowMicros int64) error {
	for _, statement := range []string{
		"UPDATE fraud_ring_people SET ring_id = $4 WHERE tenant_id = $1 AND environment = $2 AND ring_id = $3",
		"UPDATE fraud_entities SET ring_id = $4 WHERE tenant_id = $1 AND environment = $2 AND ring_id = $3 AND " +
			"ring_id <> ''",
	} {
		if _, err := rg.tx.exec(statement, id, into.id); err != nil {
			return err
		}
	}
	if _, err := rg.tx.exec(
		"DELETE FROM fraud_rings WHERE tenant_id = $1 AND environment = $2 AND id = $3", id); err != nil {
		return err
	}
	return rg.mergeAlerts(into, id, nowMicros)
}

// mergeAlerts ensures that only one alert is open about two merged rings. If both rings have an open alert, the alert
// of the absorbed ring is closed as a duplicate. If only the absorbed ring has one, this alert becomes the alert of
// the other ring. In both cases an alert about these people is still open, so the ring is unmuted.
func (rg rings) mergeAlerts(into *ringRow, absorbed string, nowMicros int64) error {
	theirs, err := rg.openAlert(absorbed)
	if err != nil || theirs.ID == "" {
		return err
	}
	into.mutedMicros = 0
	ours, err := rg.openAlert(into.id)
	if err != nil {
		return err
	}
	if ours.ID == "" {
		_, err := rg.tx.exec(`UPDATE fraud_alerts SET entity_key = $4, display = $4, updated_micros = $5
			WHERE tenant_id = $1 AND environment = $2 AND id = $3`,
			theirs.ID, into.id, max(theirs.UpdatedMicros, nowMicros))
		return err
	}
	m := AlertMove{To: AlertClosed, Resolution: ResolutionDuplicate, Actor: actorSystem, NowMicros: nowMicros}
	if err := rg.tx.Alerts().insertEvent(theirs.ID, m.event(theirs.Status)); err != nil {
		return err
	}
	m.apply(&theirs)
	theirs.MergedInto = ours.ID
	return rg.tx.Alerts().putState(theirs, m)
}

// openAlert returns the open or acknowledged alert about a ring. Its id is "" if there is none.
func (rg rings) openAlert(ringID string) (a Alert, err error) {
	err = rg.tx.each(func(scan func(...any) error) (err error) {
		a, err = scanAlert(scan)
		return err
	}, "SELECT "+alertColumns+` FROM fraud_alerts WHERE tenant_id = $1 AND environment = $2 AND type = $3 AND kind = $3
		AND entity_key = $4 AND status <> 'closed'`, KindRing, ringID)
	return a, err
}

// put stores the row of the merged ring if it is new or has changed.
func (rg rings) put(g *grouping, nowMicros int64) error {
	r := g.survivor
	if before := g.rings[r.id]; before != nil && *before == r {
		return nil
	}
	truncated := int64(0)
	if r.truncated {
		truncated = 1
	}
	_, err := rg.tx.exec(`INSERT INTO fraud_rings
			(tenant_id, environment, id, people, links, truncated, muted_micros, created_micros)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (tenant_id, environment, id) DO UPDATE SET people = excluded.people, links = excluded.links,
		truncated = excluded.truncated, muted_micros = excluded.muted_micros`,
		r.id, r.people, r.links, truncated, r.mutedMicros, nowMicros)
	return err
}

// putTies stores the ring in the entities that connect it. If an entity's tie to
// another ring is too old to count, the entity is removed from that ring.
func (rg rings) putTies(g *grouping, o Observation) error {
	for _, t := range g.ties {
		before := t.before
		if before.ringID == g.survivor.id && before.tiedMicros > o.NowMicros-tieRefreshMicros {
			continue
		}
		if t.added && before.ringID != "" {
			if _, err := rg.tx.exec(`UPDATE fraud_rings SET links = links - 1
				WHERE tenant_id = $1 AND environment = $2 AND id = $3`, before.ringID); err != nil {
				return err
			}
		}
		if _, err := rg.tx.exec(`UPDATE fraud_entities SET ring_id = $5, tied_micros = $6
			WHERE tenant_id = $1 AND environment = $2 AND kind = $3 AND entity_key = $4`,
			t.entity.Kind, t.entity.Key, g.survivor.id, o.NowMicros); err != nil {
			return err
		}
	}
	return nil
}
