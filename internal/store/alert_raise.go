package store

import (
	"fmt"
	"slices"
)

// AlertWant describes the alert to raise because of an observation.
type AlertWant struct {
	ID          string // the id of the alert if a new alert is opened
	Type        string
	Severity    string
	Entity      ObservedEntity
	Value       int64
	Threshold   int64
	WindowHours int64
	Member      string   // the person; see ObservedCounts.Member
	Also        []string // further people of the same application about whom the same alert is wanted
	DecisionID  string
	NowMicros   int64
	Actor       string // recorded as the actor who opened the alert
}

// Raise adds evidence to the open or acknowledged alert of the type w.Type about w.Entity. If there is none, Raise
// opens a new alert, and created is true. A new alert begins with all applicants seen with the entity in the window,
// or with all people of a ring. It refers to the last closed alert of the same type about the entity. The severity of
// an alert never falls. Raise returns the alert without its lists of evidence. It adds an entry to the journal.
//
// Call Raise in the transaction in which Observe recorded the observation.
func (al Alerts) Raise(w AlertWant) (a Alert, created bool, err error) {
	if err := al.tx.FraudConfigs().lock(); err != nil {
		return Alert{}, false, err
	}
	a, err = al.upsert(w)
	if err != nil {
		return Alert{}, false, err
	}
	var found []sighting
	created = a.ID == w.ID && a.ApplicantCount == 0
	switch {
	case !created:
	case w.Entity.Kind == KindRing:
		found, err = al.ringPeople(&a)
	default:
		found, err = al.seenInWindow(&a, w)
	}
	if err != nil {
		return Alert{}, false, err
	}
	if created {
		opened := AlertEvent{CreatedMicros: w.NowMicros, Actor: w.Actor, To: AlertOpen}
		if err := al.insertEvent(a.ID, opened); err != nil {
			return Alert{}, false, err
		}
	}
	for _, member := range append([]string{w.Member}, w.Also...) {
		found = append(found, sighting{member, w.DecisionID, w.NowMicros})
	}
	if err := al.addEvidence(&a, found); err != nil {
		return Alert{}, false, err
	}
	kind := eventAlertUpdated
	if created {
		kind = eventAlertOpened
	}
	_, err = al.tx.record(a.event(kind, w.Actor, w.DecisionID, w.NowMicros))
	return a, created, err
}

// upsert inserts the row of a new alert or updates the row of the alert that is
// not closed. The row stays locked until the transaction ends.
func (al Alerts) upsert(w AlertWant) (a Alert, err error) {
	severity, err := severityOf(w.Severity)
	if err != nil {
		return Alert{}, fmt.Errorf("raise an alert: %w", err)
	}
	err = al.tx.each(func(scan func(...any) error) (err error) {
		a, err = scanAlert(scan)
		return err
	}, `INSERT INTO fraud_alerts (tenant_id, environment, `+alertColumns+`)
		SELECT $1, $2, $3, $4, CAST($5 AS BIGINT), 'open', $6, $7, $8, CAST($9 AS BIGINT), `+
		`CAST($10 AS BIGINT), CAST($11 AS BIGINT), 0, 0,
			CAST($12 AS BIGINT), CAST($12 AS BIGINT), 0, '', 0, '', '', '',
			coalesce((SELECT id FROM fraud_alerts WHERE tenant_id = $1 AND environment = $2 `+
		`AND type = $4 AND kind = $6 AND entity_key = $7
				ORDER BY created_micros DESC, id DESC LIMIT 1), ''),
			CAST($12 AS BIGINT), CAST($12 AS BIGINT), ''
		WHERE $3 <> ''
		ON CONFLICT (tenant_id, environment, type, kind, entity_key) WHERE status <> 'closed' DO UPDATE SET
			value = excluded.value, threshold = excluded.threshold, window_hours = excluded.window_hours,
			severity = CASE WHEN excluded.severity > fraud_alerts.severity `+
		`THEN excluded.severity ELSE fraud_alerts.severity END,
			last_micros = CASE WHEN excluded.last_micros > fraud_alerts.last_micros `+
		`THEN excluded.last_micros ELSE fraud_alerts.last_micros END,
			updated_micros = CASE WHEN excluded.updated_micros > fraud_alerts.updated_micros
				THEN excluded.updated_micros ELSE fraud_alerts.updated_micros END
		RETURNING `+alertColumns,
		w.ID, w.Type, severity, w.Entity.Kind, w.Entity.Key, w.Entity.Display, w.Value, w.Threshold, w.WindowHours,
		w.NowMicros)
	return a, err
}

// sighting is an applicant who was seen with an alert's entity, and the
// decision about the applicant.
type sighting struct {
	applicantRef, decisionID string
	seenMicros               int64
}

// seenInWindow returns the applicants seen with the entity in the window,
// oldest first, limited to the latest MaxCounted. It sets the alert's
// FirstSeenMicros back to the time at which the earliest of these applicants
// was first seen.
func (al Alerts) seenInWindow(a *Alert, w AlertWant) (found []sighting, err error) {
	err = al.tx.each(func(scan func(...any) error) error {
		var e sighting
		var firstMicros int64
		err := scan(&e.applicantRef, &e.decisionID, &firstMicros, &e.seenMicros)
		found = append(found, e)
		a.FirstSeenMicros = min(a.FirstSeenMicros, firstMicros)
		return err
	}, `SELECT member, decision_id, first_micros, last_micros FROM fraud_links
		WHERE tenant_id = $1 AND environment = $2 AND kind = $3 AND entity_key = $4 AND last_micros > $5
		ORDER BY last_micros DESC, member DESC LIMIT $6`,
		w.Entity.Kind, w.Entity.Key, w.NowMicros-w.WindowHours*hourMicros, int64(MaxCounted))
	slices.Reverse(found)
	return found, err
}

// ringPeople returns the people of an alert's ring who are not yet in its
// evidence, in the order they were seen. It sets the alert's FirstSeenMicros back
// like seenInWindow.
func (al Alerts) ringPeople(a *Alert) (found []sighting, err error) {
	err = al.tx.each(func(scan func(...any) error) error {
		var e sighting
		err := scan(&e.applicantRef, &e.decisionID, &e.seenMicros)
		found = append(found, e)
		a.FirstSeenMicros = min(a.FirstSeenMicros, e.seenMicros)
		return err
	}, `SELECT p.person, p.decision_id, p.seen_micros FROM fraud_ring_people p
		WHERE p.tenant_id = $1 AND p.environment = $2 AND p.ring_id = $3 `+
		`AND NOT EXISTS (SELECT 1 FROM fraud_alert_evidence v
			WHERE v.tenant_id = $1 AND v.environment = $2 AND v.alert_id = $4 `+
		`AND v.part = 'applicant' AND v.ref = p.person)
		ORDER BY p.seen_micros, p.person`, a.Entity.Key, a.ID)
	return found, err
}

var evidenceTable = newBulkTable("fraud_alert_evidence",
	column{"alert_id", text}, column{"part", text}, column{"ref", text}, column{"position", bigint},
	column{"seen_micros", bigint},
).withClause("ON CONFLICT (tenant_id, environment, alert_id, part, ref) DO NOTHING RETURNING part")

// addEvidence adds the evidence that the alert does not have yet. It stores all
// applicants, so that none is counted twice, but at most MaxEvidence decisions.
func (al Alerts) addEvidence(a *Alert, found []sighting) error {
	applicants, decisions := a.ApplicantCount, a.DecisionCount
	var rows [][]any
	seen := map[[2]string]bool{}
	if len(found) > 1 {
		if err := al.readApplicants(a.ID, found, seen); err != nil {
			return err
		}
	}
	add := func(part, ref string, position *int64, atMicros int64) {
		if ref == "" || seen[[2]string{part, ref}] {
			return
		}
		seen[[2]string{part, ref}] = true
		*position++
		if part == partApplicant || *position <= MaxEvidence {
			rows = append(rows, []any{a.ID, part, ref, *position, atMicros})
		}
	}
	for _, e := range found {
		add(partApplicant, e.applicantRef, &applicants, e.seenMicros)
		add(partDecision, e.decisionID, &decisions, e.seenMicros)
	}
	if len(rows) > 0 {
		err := evidenceTable.insertReturning(al.tx, rows, func(scan func(...any) error) error {
			var part string
			err := scan(&part)
			if part == partApplicant {
				a.ApplicantCount++
			} else {
				a.DecisionCount++
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if decisions > MaxEvidence { // further decisions are only counted
		a.DecisionCount = decisions
	}
	_, err := al.tx.exec(`UPDATE fraud_alerts SET applicants = $4, decisions = $5, first_micros = $6
		WHERE tenant_id = $1 AND environment = $2 AND id = $3`,
		a.ID, a.ApplicantCount, a.DecisionCount, a.FirstSeenMicros)
	return err
}

// readApplicants adds to the map seen those applicants of found that are already evidence of the alert. These
// applicants must not get a new position: the positions of an alert have no gaps, and the next position is the
// number of its applicants plus one.
func (al Alerts) readApplicants(alertID string, found []sighting, seen map[[2]string]bool) error {
	for _, e := range found {
		var n int64
		if err := al.tx.one([]any{&n}, `SELECT count(*) FROM fraud_alert_evidence WHERE tenant_id = $1
			AND environment = $2 AND alert_id = $3 AND part = $4 AND ref = $5`,
			alertID, partApplicant, e.applicantRef); err != nil {
			return err
		}
		if n > 0 {
			seen[[2]string{partApplicant, e.applicantRef}] = true
		}
	}
	return nil
}
