package store

import "strings"

// ClosedLoan is an exposure that is closed, with the data that determines how long the offer of its decision is valid.
// This data is zero if the exposure has no decision.
type ClosedLoan struct {
	ID             string
	ClosedMicros   int64
	PolicyID       string
	DecidedMicros  int64
	ApprovedMicros int64 // when the lender approved; see the constant approvedMicros
	Plain          string
}

// ClosedBefore returns the exposures that were closed before a time, in the order in which they were closed, at
// most limit. Parameter "after" is the last exposure of the previous call, and the zero value for the first call.
func (rt RetentionReader) ClosedBefore(after *ClosedLoan, beforeMicros int64, limit int) ([]ClosedLoan, error) {
	return read(rt.access, func(tx *Tx) ([]ClosedLoan, error) {
		return eachRow(tx, func(c *ClosedLoan) []any {
			return []any{&c.ID, &c.ClosedMicros, &c.PolicyID, &c.DecidedMicros, &c.ApprovedMicros, &c.Plain}
		}, `SELECT x.id, x.closed_micros, coalesce(d.policy_id, ''), coalesce(d.created_micros, 0),
				coalesce(`+approvedMicros+`, 0), coalesce(d.plain, '')
			FROM exposures x LEFT JOIN decisions d
			ON d.tenant_id = x.tenant_id AND d.environment = x.environment AND d.id = x.decision_id
			WHERE x.tenant_id = $1 AND x.environment = $2 AND x.closed_micros > 0
			AND (x.closed_micros, x.id) > ($3, $4) AND x.closed_micros < $5
			ORDER BY x.closed_micros, x.id LIMIT $6`, after.ClosedMicros, after.ID, beforeMicros, int64(limit))
	})
}

// DeleteClosedLoans deletes closed exposures, except those of people with a legal hold. It adds an entry to the
// journal for each deleted exposure, and returns their number.
func (rt Retention) DeleteClosedLoans(ids []string, nowMicros int64) (deleted int64, err error) {
	for _, id := range ids {
		n, err := rt.tx.exec(`DELETE FROM exposures WHERE tenant_id = $1 AND environment = $2 AND id = $3
			AND closed_micros > 0 AND NOT `+heldBy("exposures.applicant_ref", "''", "$4"), id, nowMicros)
		if err == nil && n > 0 {
			err = rt.tx.Exposures().recordDeleted(id, deletedByRetention, nowMicros)
		}
		if deleted += n; err != nil {
			return 0, err
		}
	}
	return deleted, rt.tx.StoredBytes().release(deleted * exposureBytes)
}

// ClosedLoans returns the number of exposures that were closed before a time. It stops counting at the given maximum.
func (rt RetentionReader) ClosedLoans(beforeMicros int64, most int) (int64, error) {
	return read(rt.access, func(tx *Tx) (n int64, err error) {
		err = tx.one([]any{&n}, `SELECT count(*) FROM (SELECT 1 AS one FROM exposures WHERE tenant_id = $1
			AND environment = $2 AND closed_micros > 0 AND closed_micros < $3 LIMIT $4) AS found`,
			beforeMicros, int64(most))
		return n, err
	})
}

// NewestClosedLoan returns when the newest closed exposure of a person was closed, 0 if there is none.
func (rt RetentionReader) NewestClosedLoan(applicantRef string) (micros int64, err error) {
	return read(rt.access, func(tx *Tx) (micros int64, err error) {
		err = tx.one([]any{&micros}, `SELECT coalesce(max(closed_micros), 0) FROM exposures
			WHERE tenant_id = $1 AND environment = $2 AND applicant_ref = $3`, applicantRef)
		return micros, err
	})
}

// FraudLink names a link of a person to an account, a device or another entity. Links are ordered by Member, Kind and
// Entity.
type FraudLink struct{ Member, Kind, Entity string }

// LinkPage describes consecutive links.
type LinkPage struct {
	Last    FraudLink
	Links   int // the number of links
	Expired int // how many of them were last seen before a time
}

// LinksAfter reads the next links after a link, at most limit. The zero FraudLink is before all links.
func (rt RetentionReader) LinksAfter(after FraudLink, beforeMicros int64, limit int) (LinkPage, error) {
	return read(rt.access, func(tx *Tx) (p LinkPage, err error) {
		err = tx.each(func(scan func(...any) error) error {
			var seen int64
			err := scan(&p.Last.Member, &p.Last.Kind, &p.Last.Entity, &seen)
			p.Links++
			if seen < beforeMicros {
				p.Expired++
			}
			return err
		}, `SELECT member, kind, entity_key, last_micros FROM fraud_links
			WHERE tenant_id = $1 AND environment = $2 AND (member, kind, entity_key) > ($3, $4, $5)
			ORDER BY member, kind, entity_key LIMIT $6`, after.Member, after.Kind, after.Entity, int64(limit))
		return p, err
	})
}

// DeleteLinks deletes links that were last seen before beforeMicros, except those of people with a legal hold. It
// deletes only links that follow the link in parameter after, up to and including last. It returns the number of
// deleted links.
func (rt Retention) DeleteLinks(after, last FraudLink, beforeMicros, nowMicros int64) (int64, error) {
	return rt.tx.exec(`DELETE FROM fraud_links WHERE tenant_id = $1 AND environment = $2
		AND (member, kind, entity_key) > ($3, $4, $5) AND (member, kind, entity_key) <= ($6, $7, $8)
		AND last_micros < $9 AND NOT `+heldBy("fraud_links.member", "''", "$10"),
		after.Member, after.Kind, after.Entity, last.Member, last.Kind, last.Entity, beforeMicros, nowMicros)
}

// RingPeople reads the next people in rings after a reference, at most limit. It returns those who were last seen
// before a time and whose reference was not replaced by a keyed hash. last is the last reference that it has read, ""
// if there are no more.
func (rt RetentionReader) RingPeople(
	after string, beforeMicros int64, limit int,
) (people []string, last string, err error) {
	return readTwo(rt.access, func(tx *Tx) (people []string, last string, err error) {
		err = tx.each(func(scan func(...any) error) error {
			var seen int64
			err := scan(&last, &seen)
			if seen < beforeMicros && !strings.HasPrefix(last, keyedPrefix) {
				people = append(people, last)
			}
			return err
		}, `SELECT person, seen_micros FROM fraud_ring_people WHERE tenant_id = $1 AND environment = $2 AND person > $3
			ORDER BY person LIMIT $4`, after, int64(limit))
		return people, last, err
	})
}

// keyedPrefix is the prefix of keyed hashes, which replace references.
const keyedPrefix = "hmac:"

// HideRingPerson replaces the reference of a person in a ring by alias, unless the person was seen again, has a legal
// hold, or is in a ring under alias already. It returns the number of replaced references.
func (rt Retention) HideRingPerson(ref, alias string, beforeMicros, nowMicros int64) (int64, error) {
	return rt.tx.exec(`UPDATE fraud_ring_people SET person = $4 WHERE tenant_id = $1 AND environment = $2
		AND person = $3
		AND seen_micros < $5 AND NOT `+heldBy("fraud_ring_people.person", "''", "$6")+`
		AND NOT EXISTS (SELECT 1 FROM fraud_ring_people p WHERE p.tenant_id = $1 AND p.environment = $2
		AND p.person = $4)`,
		ref, alias, beforeMicros, nowMicros)
}
