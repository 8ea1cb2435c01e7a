package privacydesk

import (
	"context"
	"errors"
	"slices"
	"time"

	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// The bases on which an erasure is deferred, in the order in which they are listed.
const (
	BasisOpenOffer = "open_offer" // the lender has made an offer that is still valid
	// BasisOpenExposure means that a loan which the lender has reported is not closed.
	BasisOpenExposure = "open_exposure"

	BasisOpenAlert = "open_alert" // an alert that names the person is not closed
	BasisLegalHold = "legal_hold"
)

// A deferred erasure is checked again after lookAgain, or after lookAgainAlert if it waits for an alert, which
// can be closed at any time. It is checked immediately after a hold is released, after a loan is closed, and
// after a review is stored, because a review can overturn an offer.
const (
	lookAgain      = time.Hour
	lookAgainAlert = 10 * time.Minute
)

// tryAgain is how long a deferred erasure waits after a failure.
const tryAgain = 10 * time.Minute

// errChanged rolls back a transaction if the grounds have changed since they were read before the transaction.
var errChanged = errors.New("the grounds of the erasure have changed")

// maxTries limits how often the grounds of an erasure are read again. They change seldom, so the second try
// nearly always succeeds.
const maxTries = 10

// deferral says why an erasure must wait, and until when.
type deferral struct {
	basis       []string // empty if the erasure need not wait
	untilMicros int64    // 0 if the end is not known
	nextMicros  int64    // when to check again
}

// runOrDefer erases, or stores that the erasure must wait. A running erasure is never deferred, because some of the
// documents are already erased.
func (w *work) runOrDefer(ctx context.Context, commit operation.Commit[Erasure]) (Erasure, error) {
	for range maxTries {
		waits, err := w.mustWait(ctx)
		if err != nil {
			return Erasure{}, err
		}
		var done Erasure
		if waits {
			done, err = commit(ctx, w.postpone)
		} else {
			done, err = w.run(ctx, commit)
		}
		if !errors.Is(err, errChanged) {
			return done, err
		}
	}
	return Erasure{}, fault.New(fault.Unavailable, fault.CodeUnavailable,
		"the offers, exposures, alerts or holds of this applicant are changing at the moment; try again later")
}

// mustWait reports whether the erasure must wait. It also reads the data with which the transaction checks this
// again.
func (w *work) mustWait(ctx context.Context) (bool, error) {
	if e, open, err := w.scope.Erasures(ctx).Open(w.person); err != nil || open && e.State == Running {
		return false, err
	}
	if err := w.findAlias(ctx); err != nil {
		return false, err
	}
	now := w.s.core.Now()
	g, err := w.scope.Erasures(ctx).Grounds(w.query(now))
	if err != nil {
		return false, err
	}
	for i := range g.Approvals {
		made := approvedOffer(&g.Approvals[i])
		if err := w.s.decisions.AddOfferTerms(ctx, w.scope, &w.terms, &made); err != nil {
			return false, err
		}
	}
	d, err := w.judge(&g, now)
	return len(d.basis) > 0, err
}

// findAlias sets the alias of the person.
func (w *work) findAlias(ctx context.Context) error {
	if w.person.ApplicantRef == "" || w.alias != "" {
		return nil
	}
	keyed, err := w.s.core.Keyed(ctx, operation.ScopeID{
		Tenant: w.scope.Tenant(), Environment: w.scope.Environment(),
	})
	if err == nil {
		w.alias = keyed(decisioning.ErasedMember, w.person.ApplicantRef)
	}
	return err
}

func (w *work) query(now time.Time) store.GroundsQuery {
	return store.GroundsQuery{
		Person:    w.person,
		Alias:     w.alias,
		SinceID:   tenant.FirstID(tenant.KindDecision, now.Add(-decisioning.MaxOfferLife)),
		NowMicros: now.UnixMicro(),
	}
}

// approvedOffer returns the data that determines when the offer of an approval ends.
func approvedOffer(a *store.Approval) decisioning.MadeOffer {
	return decisioning.MadeOffer{
		RuleSetID:      a.PolicyID,
		Profile:        decisioning.ProfileOf(a.Plain),
		CreatedMicros:  a.CreatedMicros,
		ApprovedMicros: a.ApprovedMicros,
	}
}

// judge returns why and until when the erasure must wait. It returns errChanged if there is an approval whose terms
// were not looked up.
func (w *work) judge(g *store.Grounds, now time.Time) (d deferral, err error) {
	known := true // the time until which the erasure must wait is known
	until := func(micros int64) { d.untilMicros = max(d.untilMicros, micros) }
	for i := range g.Approvals {
		made := approvedOffer(&g.Approvals[i])
		end, read := w.terms.End(&made)
		if !read {
			return deferral{}, errChanged
		}
		if end > now.UnixMicro() {
			d.basis = []string{BasisOpenOffer}
			until(end)
		}
	}
	wait := lookAgain
	if g.OpenExposure {
		d.basis = append(d.basis, BasisOpenExposure)
		known = false // the erasure is checked again when the loan is reported as closed
	}
	if g.OpenAlert {
		d.basis = append(d.basis, BasisOpenAlert)
		known, wait = false, lookAgainAlert
	}
	if len(g.Holds) > 0 {
		d.basis = append(d.basis, BasisLegalHold)
	}
	for i := range g.Holds {
		known = known && g.Holds[i].UntilMicros != 0
		until(g.Holds[i].UntilMicros)
	}
	d.nextMicros = now.Add(wait).UnixMicro()
	if known {
		d.nextMicros = min(d.nextMicros, d.untilMicros)
	} else {
		d.untilMicros = 0
	}
	return d, nil
}

// judgeIn calls judge with the grounds that the transaction reads. It locks the scope, so that the grounds cannot
// change before the commit.
func (w *work) judgeIn(tx *store.Tx) (deferral, error) {
	if err := tx.Lock(); err != nil {
		return deferral{}, err
	}
	now := w.s.core.Now()
	g, err := tx.Erasures().Grounds(w.query(now))
	if err != nil {
		return deferral{}, err
	}
	return w.judge(&g, now)
}

// begin turns an erasure that is not running yet into a running one. It returns errChanged if the erasure must wait.
// The erasure of a forgotten person does not wait, because it was completed once before.
func (w *work) begin(tx *store.Tx, e *store.Erasure) error {
	if w.forgotten {
		e.Begin()
		return nil
	}
	d, err := w.judgeIn(tx)
	if err == nil && len(d.basis) > 0 {
		err = errChanged
	}
	e.Begin()
	return err
}

// postpone stores that the erasure must wait. It returns errChanged if the erasure is running or need not wait any
// more. If the person already has a deferred erasure, postpone updates it.
func (w *work) postpone(tx *store.Tx) (Erasure, error) {
	d, err := w.judgeIn(tx)
	if err != nil {
		return Erasure{}, err
	}
	e, open, err := tx.Erasures().Open(w.person)
	switch {
	case err != nil:
		return Erasure{}, err
	case len(d.basis) == 0, open && e.State == Running:
		return Erasure{}, errChanged
	case !open && w.fresh.ID == "":
		return Erasure{}, fault.Missing("erasure that is deferred") // it was withdrawn
	case !open:
		e = w.fresh
	}
	added := !open
	changed := added || !slices.Equal(e.Basis, d.basis) || e.DeferredUntilMicros != d.untilMicros
	e.State, e.Basis, e.DeferredUntilMicros, e.NextMicros = Deferred, d.basis, d.untilMicros, d.nextMicros
	if changed || w.resumed {
		if err := tx.Erasures().Put(&e); err != nil {
			return Erasure{}, err
		}
	}
	if added {
		err = tx.Audit().Add(w.auditOf(operation.ActionErasureDeferred, e.ID, w.s.core.Moment()))
	}
	return receipt(&e, store.KeyEpochs{}), err
}

// Withdraw withdraws a deferred erasure, so that nothing is erased. It returns NotFound if there is no such erasure,
// and Conflict if the erasure is not deferred.
func (s *Service) Withdraw(
	ctx context.Context, p tenant.Principal, id string, r *operation.Reply[Erasure],
) (Erasure, error) {
	if err := p.Require(tenant.PrivacyManage); err != nil {
		return Erasure{}, err
	}
	if !tenant.Valid(tenant.KindErasure, id) {
		return Erasure{}, fault.Missing("erasure")
	}
	now := s.core.Moment()
	return operation.Write(ctx, s.core, s.core.Scope(p), r, func(tx *store.Tx) (Erasure, error) {
		if err := tx.Lock(); err != nil {
			return Erasure{}, err
		}
		e, err := tx.Erasures().Get(id)
		if err != nil {
			return Erasure{}, err
		}
		if e.State != Deferred {
			return Erasure{}, fault.New(fault.Conflict, fault.CodeInvalidTransition,
				"only a deferred erasure can be withdrawn; this one is %s", e.State)
		}
		e.Begin() // clears the basis and the times of the deferral
		e.State, e.WithdrawnMicros, e.WithdrawnBy = Withdrawn, now.UnixMicro(), operation.Actor(p)
		if err := tx.Erasures().Put(&e); err != nil {
			return Erasure{}, err
		}
		return receipt(&e, store.KeyEpochs{}),
			tx.Audit().Add(s.core.Audit(p, now, operation.ActionErasureWithdrawn, id, ""))
	})
}

// RunDeferred carries out the deferred erasures that need not wait any more, and returns their number. Several nodes
// may call it at the same time. If an erasure fails, RunDeferred continues with the others and returns all errors at
// the end. A failed erasure is tried again after tryAgain, so that it does not delay the others.
func (s *Service) RunDeferred(ctx context.Context) (completed int, err error) {
	var failed error
	for {
		due, err := s.core.DB.System().DueErasures(ctx, s.core.Now().UnixMicro(), resumeAtOnce)
		if err != nil {
			return completed, errors.Join(failed, err)
		}
		for i := range due {
			w := s.resumed(&due[i])
			done, err := w.runOrDefer(ctx, w.commit)
			switch {
			case err == nil && done.State == Completed:
				completed++
			case err != nil && fault.KindOf(err) != fault.NotFound: // NotFound: another node was faster
				failed = errors.Join(failed, err)
				if err := w.tryLater(ctx); err != nil {
					return completed, errors.Join(failed, err)
				}
			}
		}
		if len(due) < resumeAtOnce {
			return completed, failed
		}
	}
}

// tryLater postpones an erasure that has failed, if it is still deferred.
func (w *work) tryLater(ctx context.Context) error {
	return w.scope.Write(ctx, func(tx *store.Tx) error {
		if err := tx.Lock(); err != nil {
			return err
		}
		e, open, err := tx.Erasures().Open(w.person)
		if err != nil || !open || e.State != Deferred {
			return err
		}
		e.NextMicros = w.s.core.Now().Add(tryAgain).UnixMicro()
		return tx.Erasures().Put(&e)
	})
}
