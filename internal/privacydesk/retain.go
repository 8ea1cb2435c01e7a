package privacydesk

import (
	"context"
	"errors"
	"time"

	"verdict/internal/civil"
	"verdict/internal/decisioning"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/sealing"
	"verdict/internal/store"
)

// retainPause is the pause after each transaction, so that other writes can run in between.
const retainPause = 20 * time.Millisecond

// endedOverlap is how far before the last run of a zone Retain searches for holds that have ended. A release that is
// stored after the run can have an earlier time, because it reads the clock before it waits for its transaction, and
// because the clocks of the nodes differ. Checking a person twice changes nothing.
const endedOverlap = 24 * time.Hour

// Retain empties, for all tenants, the documents that are beyond their retention period, and returns their
// number. It skips a zone that was already done today. Several nodes may call it at the same time, and after an
// interruption the next call continues. If the work fails for a tenant, Retain continues with the others and
// returns the errors.
func (s *Service) Retain(ctx context.Context) (emptied int64, err error) {
	const page = 500
	var failed error
	for name, err := range s.core.DB.System().RetentionScopes(ctx, page) {
		if err != nil {
			return emptied, errors.Join(failed, err)
		}
		n, err := s.retainScope(ctx, s.core.DB.Scope(name.Tenant, name.Environment))
		emptied += n
		if failed = errors.Join(failed, err); ctx.Err() != nil {
			break
		}
	}
	return emptied, failed
}

// retainScope applies the periods of a scope.
func (s *Service) retainScope(ctx context.Context, scope *store.Scope) (emptied int64, err error) {
	now := s.core.Now()
	versions, err := scope.Retention(ctx).Since(now.Add(-retentionDelay).UnixMicro())
	if err != nil {
		return 0, err
	}
	plan, err := planOf(versions)
	if err != nil {
		return 0, err
	}
	for _, zone := range RetentionZones() {
		cutoff, applies := plan.cutoff(zone, now)
		if !applies {
			continue
		}
		var n int64
		if deletes(zone) {
			n, err = (&deleting{s: s, scope: scope, zone: zone, cutoff: cutoff}).run(ctx)
		} else {
			n, err = (&retaining{s: s, scope: scope, zone: zone, cutoff: cutoff}).run(ctx)
		}
		emptied += n
		if err != nil {
			return emptied, err
		}
	}
	return emptied, nil
}

// retaining empties the documents of one zone of a scope.
type retaining struct {
	s      *Service
	scope  *store.Scope
	zone   string
	cutoff int64                  // documents that were stored before this time are beyond the period
	terms  decisioning.OfferTerms // terms of the offers that were read
	lastID string                 // the last object that batch has looked at
	openID string                 // the first object with an open offer that batch has skipped, "" if there was none
	keys   *journal.Tree          // looked up before each transaction
}

// run empties documents in batches. Each batch begins after the last object that was looked at, in this run or in
// an earlier run. After the last batch, run empties the documents of people whose legal hold has ended since the
// last time.
func (r *retaining) run(ctx context.Context) (emptied int64, err error) {
	p, err := r.scope.Retention(ctx).ProgressOf(r.zone)
	if err != nil {
		return 0, err
	}
	now := r.s.core.Now()
	if p.AppliedMicros != 0 && civil.DayAt(time.UnixMicro(p.AppliedMicros)) == civil.DayAt(now) {
		return 0, nil // it was done today
	}
	if err := r.moveBack(ctx, &p); err != nil {
		return 0, err
	}
	for more := true; more; {
		var n int64
		n, more, err = r.batch(ctx, store.ExpiredQuery{AfterID: p.AfterID, BeforeID: firstAt(r.zone, r.cutoff)}, &p)
		if emptied += n; err != nil {
			return emptied, err
		}
	}
	n, err := r.released(ctx, &p, now.UnixMicro())
	if emptied += n; err != nil {
		return emptied, err
	}
	return emptied, r.scope.Write(ctx, func(tx *store.Tx) error {
		current, err := tx.Retention().ProgressOf(r.zone)
		if err != nil {
			return err
		}
		current.AppliedMicros = now.UnixMicro()
		return tx.Retention().PutProgress(&current, 0, 0, 0)
	})
}

// moveBack moves the progress back if the period has become longer. Documents that are no longer beyond the period
// are then checked again when the longer period ends. Some of them were kept because of a legal hold, which may have
// ended by then.
func (r *retaining) moveBack(ctx context.Context, p *store.RetentionProgress) error {
	before := justBefore(firstAt(r.zone, r.cutoff))
	if p.AfterID <= before {
		return nil
	}
	return r.scope.Write(ctx, func(tx *store.Tx) (err error) {
		if err := tx.Lock(); err != nil {
			return err
		}
		if *p, err = tx.Retention().ProgressOf(r.zone); err != nil || p.AfterID <= before {
			return err
		}
		p.AfterID = before
		return tx.Retention().PutProgress(p, 0, 0, 0)
	})
}

// justBefore returns a text that sorts before an id, and after every smaller id that differs in more than the last
// character. All ids of a kind have the same length.
func justBefore(id string) string { return id[:len(id)-1] }

// released empties documents that were kept because of a legal hold. It handles the holds that have ended since the
// zone was last done.
func (r *retaining) released(
	ctx context.Context, p *store.RetentionProgress, nowMicros int64,
) (emptied int64, err error) {
	since := max(p.AppliedMicros-endedOverlap.Microseconds(), 0)
	holds, err := r.scope.LegalHolds(ctx).Ended(since, nowMicros)
	if err != nil {
		return 0, err
	}
	// Read only up to p.AfterID: later objects are handled in a later run. AfterID+"0" sorts after that id and
	// before the next id. Also stay before the cutoff of this node, because p may have been stored by a node with
	// a later cutoff.
	beforeID := min(p.AfterID+"0", firstAt(r.zone, r.cutoff))
	for i := range holds {
		q := store.ExpiredQuery{Person: holds[i].Person, BeforeID: beforeID}
		for more := true; more; {
			var n int64
			n, more, err = r.batch(ctx, q, nil)
			if emptied += n; err != nil {
				return emptied, err
			}
			q.AfterID = r.lastID
		}
	}
	return emptied, nil
}

// batch handles the next objects of a query, and returns how many documents it has emptied and whether there may be
// more. It advances p. If p is nil, the objects are those of one person.
//
// A batch ends before the first decision whose offer is still open, so that no decision is skipped. The period is then
// applied when the offer has ended. Among the objects of one person, batch skips such a decision and moves the progress
// back, so that the next run checks it again.
func (r *retaining) batch(
	ctx context.Context, q store.ExpiredQuery, p *store.RetentionProgress,
) (emptied int64, more bool, err error) {
	q.Limit = r.s.batch
	q.NowMicros = r.s.core.Now().UnixMicro()
	found, err := r.prepare(ctx, q)
	if err != nil || len(found) == 0 {
		return 0, false, err
	}
	var current store.RetentionProgress
	err = r.scope.Write(ctx, func(tx *store.Tx) (err error) {
		emptied, more = 0, false // the transaction may be tried again
		if err := tx.Lock(); err != nil {
			return err
		}
		if current, err = tx.Retention().ProgressOf(r.zone); err != nil {
			return err
		}
		if p != nil && current.AfterID != q.AfterID {
			more = true // another node was faster
			return nil
		}
		emptied, more, err = r.emptyAll(tx, q, p == nil)
		if err != nil {
			return err
		}
		switch {
		case p != nil:
			current.AfterID = r.lastID
		case r.openID != "":
			current.AfterID = min(current.AfterID, justBefore(r.openID))
		}
		return tx.Retention().PutProgress(&current, emptied, r.cutoff, r.s.core.Now().UnixMicro())
	})
	switch {
	case errors.Is(err, store.ErrKeysChanged), errors.Is(err, errMore), errors.Is(err, errChanged):
		_, err = r.s.core.Keys.Reload(ctx, r.scope.Tenant())
		return 0, true, err
	case err != nil:
		return 0, false, err
	}
	if p != nil {
		*p = current
	}
	if err := operation.Sleep(ctx, retainPause); err != nil {
		return emptied, false, err
	}
	return emptied, more, nil
}

// prepare reads the objects of a query before the transaction, with all that the transaction needs. Decisions from
// before the journal get their entries first, because their hashes must remain.
func (r *retaining) prepare(ctx context.Context, q store.ExpiredQuery) ([]store.Expired, error) {
	found, err := r.read(r.scope.Retention(ctx), q)
	if err != nil {
		return nil, err
	}
	var older []string
	for i := range found {
		x := &found[i]
		if x.Leaf < 0 {
			older = append(older, x.ID)
		}
		if r.mayBeOffer(x) {
			made := expiredOffer(x)
			if err := r.s.decisions.AddOfferTerms(ctx, r.scope, &r.terms, &made); err != nil {
				return nil, err
			}
		}
	}
	if err := r.lookUp(ctx, found); err != nil {
		return nil, err
	}
	return found, r.s.decisions.Audit.AddEntries(ctx, r.scope, older)
}

// lookUp reads the keys of the people whose references the transaction replaces.
func (r *retaining) lookUp(ctx context.Context, found []store.Expired) error {
	keys, err := r.s.core.Keys.Tree(ctx, r.scope.Tenant())
	if err != nil {
		return err
	}
	r.keys = keys
	if r.zone != zoneRuns && r.zone != sealing.Response.String() {
		return nil
	}
	for i := range found {
		x := &found[i]
		if x.Person.ApplicantRef == "" || len(x.Head) == 0 {
			continue
		}
		r.keys, err = r.s.core.Keys.WithPerson(ctx, r.keys, r.scope.Environment(), x.Person.ApplicantRef,
			[]int64{keys.TreeOf(x.Head)})
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *retaining) read(from store.RetentionReader, q store.ExpiredQuery) ([]store.Expired, error) {
	if r.zone == zoneRuns {
		return from.Runs(q)
	}
	return from.Decisions(q)
}

// expiredOffer returns the data that determines when the offer of a decision ends.
func expiredOffer(x *store.Expired) decisioning.MadeOffer {
	return decisioning.MadeOffer{
		RuleSetID:      x.PolicyID,
		Profile:        decisioning.ProfileOf(x.Plain),
		CreatedMicros:  x.CreatedMicros,
		ApprovedMicros: x.ApprovedMicros,
	}
}

// mayBeOffer reports whether a decision is an approval that is young enough for an open offer.
func (r *retaining) mayBeOffer(x *store.Expired) bool {
	return x.Approved && time.UnixMicro(x.ApprovedMicros).Add(decisioning.MaxOfferLife).After(r.s.core.Now())
}

// emptyAll empties the zone of the objects of a query. It returns how many were not empty, and whether there may be
// more objects. It sets lastID. If pass is set, it skips decisions with an open offer, and sets openID to the first
// of them.
func (r *retaining) emptyAll(tx *store.Tx, q store.ExpiredQuery, pass bool) (emptied int64, more bool, err error) {
	if err := tx.KeyTrees().Check(r.keys.Changes(r.scope.Environment())); err != nil {
		return 0, false, err
	}
	found, err := r.read(tx.Retention().RetentionReader, q)
	if err != nil {
		return 0, false, err
	}
	r.lastID, r.openID = q.AfterID, ""
	for i := range found {
		x := &found[i]
		if r.mayBeOffer(x) {
			made := expiredOffer(x)
			end, known := r.terms.End(&made)
			switch {
			case !known:
				return 0, false, errChanged
			case end > q.NowMicros && !pass:
				return emptied, false, nil
			case end > q.NowMicros:
				if r.lastID = x.ID; r.openID == "" {
					r.openID = x.ID
				}
				continue
			}
		}
		r.lastID = x.ID
		if x.Held {
			continue // the method released empties the object after the hold has ended
		}
		if r.zone != zoneRuns && x.Leaf < 0 {
			return 0, false, errMore // a node of an earlier version has stored the decision in the meantime
		}
		n, err := r.empty(tx, x)
		if emptied += n; err != nil {
			return 0, false, err
		}
	}
	return emptied, len(found) == q.Limit, nil
}

// empty empties the zone of an object, and returns the number of documents that were not empty. At the end of the
// period of the response, a decision loses all its documents and its reference, as in an erasure. A run loses them at
// the end of the period of runs.
func (r *retaining) empty(tx *store.Tx, x *store.Expired) (int64, error) {
	if r.zone != zoneRuns && r.zone != sealing.Response.String() {
		return tx.Retention().EmptyZone(r.zone, x.ID)
	}
	if r.zone != zoneRuns {
		if err := tx.Erasures().EmptyPeople(x.ID, journal.PersonReplacement); err != nil {
			return 0, err
		}
	}
	if len(x.Head) == 0 {
		return 0, nil
	}
	ref := ""
	if x.Person.ApplicantRef != "" {
		var known bool
		ref, known = r.keys.Replacement(r.keys.TreeOf(x.Head), r.scope.Environment(), x.Person.ApplicantRef)
		if !known {
			return 0, errMore // the object was stored after prepare had looked up the keys
		}
	}
	var counts store.ErasedCounts
	if r.zone == zoneRuns {
		return 1, tx.Erasures().EmptyRun(x.ID, ref, &counts)
	}
	return 1, tx.Erasures().EmptyDecision(x.ID, ref, &counts)
}
