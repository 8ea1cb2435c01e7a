package privacydesk

import (
	"context"
	"time"

	"verdict/internal/civil"
	"verdict/internal/decisioning"
	"verdict/internal/operation"
	"verdict/internal/store"
)

// deletes reports whether the rows of a zone are deleted at the end of its period, instead of only being emptied.
// The rows of such a zone do not belong to a decision.
func deletes(zone string) bool { return zone == zoneLoans || zone == zoneLinks }

// linkPage is the number of links, or people in rings, that are read at a time.
const linkPage = 500

// deleting deletes the rows that are beyond the retention period of a zone.
type deleting struct {
	s      *Service
	scope  *store.Scope
	zone   string
	cutoff int64 // rows that ended or were last seen before this time are beyond the period
}

// run deletes in batches, once a day. If it is interrupted, the next run begins again.
func (d *deleting) run(ctx context.Context) (deleted int64, err error) {
	p, err := d.scope.Retention(ctx).ProgressOf(d.zone)
	if err != nil {
		return 0, err
	}
	now := d.s.core.Now()
	if p.AppliedMicros != 0 && civil.DayAt(time.UnixMicro(p.AppliedMicros)) == civil.DayAt(now) {
		return 0, nil // it was done today
	}
	if d.zone == zoneLoans {
		deleted, err = d.loans(ctx)
	} else {
		deleted, err = d.links(ctx)
		if err == nil {
			err = d.rings(ctx)
		}
	}
	if err != nil {
		return deleted, err
	}
	return deleted, d.scope.Write(ctx, func(tx *store.Tx) error {
		current, err := tx.Retention().ProgressOf(d.zone)
		if err != nil {
			return err
		}
		current.AppliedMicros = now.UnixMicro()
		return tx.Retention().PutProgress(&current, 0, 0, 0)
	})
}

// batch runs a transaction that deletes rows, and notes their number in the progress of the zone.
func (d *deleting) batch(
	ctx context.Context, remove func(tx *store.Tx, nowMicros int64) (int64, error),
) (deleted int64, err error) {
	now := d.s.core.Now().UnixMicro()
	err = d.scope.Write(ctx, func(tx *store.Tx) error {
		if err := tx.Lock(); err != nil { // from here on, a new legal hold waits for the commit; earlier ones are seen
			return err
		}
		n, err := remove(tx, now)
		if deleted = n; err != nil || n == 0 {
			return err
		}
		current, err := tx.Retention().ProgressOf(d.zone)
		if err != nil {
			return err
		}
		return tx.Retention().PutProgress(&current, n, d.cutoff, now)
	})
	if err != nil {
		return 0, err
	}
	return deleted, operation.Sleep(ctx, retainPause)
}

// loans deletes closed loans. A closed loan says that the offer of its decision was used, so it is kept while the offer
// is open.
func (d *deleting) loans(ctx context.Context) (deleted int64, err error) {
	var terms decisioning.OfferTerms
	for after := (store.ClosedLoan{}); ; {
		found, err := d.scope.Retention(ctx).ClosedBefore(&after, d.cutoff, d.s.batch)
		if err != nil {
			return deleted, err
		}
		var ids []string
		for i := range found {
			open, err := d.offered(ctx, &found[i], &terms)
			if err != nil {
				return deleted, err
			}
			if !open {
				ids = append(ids, found[i].ID)
			}
		}
		if len(ids) > 0 {
			n, err := d.batch(ctx, func(tx *store.Tx, nowMicros int64) (int64, error) {
				return tx.Retention().DeleteClosedLoans(ids, nowMicros)
			})
			if deleted += n; err != nil {
				return deleted, err
			}
		}
		if len(found) < d.s.batch {
			return deleted, nil
		}
		after = found[len(found)-1]
	}
}

// offered reports whether the offer of a loan's decision is still open. terms caches the terms of offers.
func (d *deleting) offered(ctx context.Context, c *store.ClosedLoan, terms *decisioning.OfferTerms) (bool, error) {
	if c.PolicyID == "" {
		return false, nil
	}
	made := decisioning.MadeOffer{
		RuleSetID:      c.PolicyID,
		Profile:        decisioning.ProfileOf(c.Plain),
		CreatedMicros:  c.DecidedMicros,
		ApprovedMicros: c.ApprovedMicros,
	}
	if err := d.s.decisions.AddOfferTerms(ctx, d.scope, terms, &made); err != nil {
		return false, err
	}
	end, _ := terms.End(&made)
	return end > d.s.core.Now().UnixMicro(), nil
}

// links reads all links, and deletes those beyond the period.
func (d *deleting) links(ctx context.Context) (deleted int64, err error) {
	for after := (store.FraudLink{}); ; {
		page, err := d.scope.Retention(ctx).LinksAfter(after, d.cutoff, linkPage)
		if err != nil {
			return deleted, err
		}
		if page.Expired > 0 {
			n, err := d.batch(ctx, func(tx *store.Tx, nowMicros int64) (int64, error) {
				return tx.Retention().DeleteLinks(after, page.Last, d.cutoff, nowMicros)
			})
			if deleted += n; err != nil {
				return deleted, err
			}
		}
		if page.Links < linkPage {
			return deleted, nil
		}
		after = page.Last
	}
}

// rings replaces the references of people in rings by keyed hashes, as an erasure does. It does so for people who
// were last seen before the cutoff. They stay in the rings, so that the rings of others stay complete.
func (d *deleting) rings(ctx context.Context) error {
	keyed, err := d.s.core.Keyed(ctx, operation.ScopeID{Tenant: d.scope.Tenant(), Environment: d.scope.Environment()})
	if err != nil {
		return err
	}
	for after := ""; ; {
		people, last, err := d.scope.Retention(ctx).RingPeople(after, d.cutoff, linkPage)
		if err != nil {
			return err
		}
		if len(people) > 0 {
			if _, err := d.batch(ctx, func(tx *store.Tx, nowMicros int64) (replaced int64, err error) {
				for _, ref := range people {
					alias := keyed(decisioning.ErasedMember, ref)
					n, err := tx.Retention().HideRingPerson(ref, alias, d.cutoff, nowMicros)
					if replaced += n; err != nil {
						return 0, err
					}
				}
				return replaced, nil
			}); err != nil {
				return err
			}
		}
		if last == "" {
			return nil
		}
		after = last
	}
}
