package exposuredesk

import (
	"context"
	"errors"
	"strings"
	"time"

	"verdict/internal/exposure"
	"verdict/internal/fault"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// The limits of a report.
const (
	MaxProduct     = 64                  // bytes
	MaxAmountPaise = 1_000_000_000_00_00 // 10,000 crore rupees
	MaxDPD         = 36_500
)

// NewReport is the state of a loan as the lender reports it.
type NewReport struct {
	ApplicantRef   string
	DecisionID     string // the decision on which the loan was made, "" if there is none
	Loan           exposure.Loan
	HasOutstanding bool
	Closed         bool
}

// Check adds the faults of the report.
func (n *NewReport) Check(faults *fault.List) {
	c := faults.Check("")
	c.Require("applicant_ref", n.ApplicantRef != "", "the reference of the applicant, as in decisions")
	c.Text("applicant_ref", n.ApplicantRef, operation.MaxReference)
	if operation.IsReplacement(n.ApplicantRef) {
		c.Fail("applicant_ref", fault.CodeInvalidField, "looks like the replacement of an erased reference; "+
			"send the reference of the applicant")
	}
	if n.DecisionID == "" {
		c.Require("product", n.Loan.Product != "", "the name of the product; or send decision_id, the decision on "+
			"which the loan was made")
	}
	c.Text("product", n.Loan.Product, MaxProduct)
	const spaces = "must not begin or end with a space, because references and products are compared exactly"
	if strings.TrimSpace(n.ApplicantRef) != n.ApplicantRef {
		c.Fail("applicant_ref", fault.CodeInvalidField, spaces)
	}
	if strings.TrimSpace(n.Loan.Product) != n.Loan.Product {
		c.Fail("product", fault.CodeInvalidField, spaces)
	}
	c.Require("outstanding", n.HasOutstanding || n.Closed, "the amount that the applicant owes, in rupees")
	if n.Closed && n.Loan.OutstandingPaise > 0 {
		c.Fail("outstanding", fault.CodeInvalidField,
			"must be 0 or left out if the loan is closed; send closed false while something is outstanding")
	}
}

// errNotPrepared rolls back a transaction that cannot decrypt an exposure, because the keys that were looked up
// before the transaction do not suffice.
var errNotPrepared = errors.New("the keys of an exposure were not looked up")

// Report stores the state of a loan. A loan is identified by its decision or, if it names none, by its product. The
// first report adds the loan, and a later one replaces its state. Closing a closed loan again changes nothing.
//
// Report returns NotFound if the report closes a loan that names no decision and was not reported before. It returns
// Conflict if the report opens a closed loan again, if the applicant is being erased, or if a limit of stored
// exposures is reached.
func (s *Service) Report(
	ctx context.Context, p tenant.Principal, n NewReport, r *operation.Reply[Exposure],
) (Exposure, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return Exposure{}, err
	}
	var faults fault.List
	n.Check(&faults)
	if err := faults.Err(); err != nil {
		return Exposure{}, err
	}
	if n.DecisionID != "" && !tenant.Valid(tenant.KindDecision, n.DecisionID) {
		return Exposure{}, noDecision()
	}
	scope := s.core.Scope(p)
	return operation.WriteInSteps(ctx, s.core, scope, r, func(commit operation.Commit[Exposure]) (Exposure, error) {
		w := reporting{s: s, p: p, n: n}
		load := s.core.Keys.Tree
		for range operation.MaxKeyTries {
			if err := w.prepare(ctx, scope, load); err != nil {
				return Exposure{}, err
			}
			done, err := commit(ctx, w.store)
			if !errors.Is(err, store.ErrKeysChanged) && !errors.Is(err, errNotPrepared) {
				return done, err
			}
			load = s.core.Keys.Reload
		}
		return Exposure{}, operation.KeysBusy()
	})
}

func noDecision() error {
	return operation.Invalid("/decision_id", fault.CodeInvalidField,
		"must be the id of a decision about this applicant; GET /v1/decisions?applicant_id= lists them")
}

// reporting is a report in progress.
type reporting struct {
	s    *Service
	p    tenant.Principal
	n    NewReport
	keys *journal.Tree
	// warnings are about the decision on which the loan was made.
	warnings []fault.Item
}

// prepare looks up the keys of the exposures that the transaction reads.
func (w *reporting) prepare(
	ctx context.Context, scope *store.Scope, load func(context.Context, string) (*journal.Tree, error),
) error {
	rows, err := scope.Exposures(ctx).Open(w.n.ApplicantRef)
	if err != nil {
		return err
	}
	if w.n.DecisionID != "" {
		row, found, err := scope.Exposures(ctx).OfDecision(w.n.DecisionID)
		if err != nil {
			return err
		}
		if found {
			rows = append(rows, row)
		}
		if err := w.warn(ctx, scope, !found); err != nil {
			return err
		}
	}
	tree, err := load(ctx, scope.Tenant())
	if err == nil {
		w.keys, err = w.s.core.Keys.WithExposures(ctx, tree, scope.Environment(), rows)
	}
	return err
}

// warn adds a warning if the decision on which the loan was made is no approval, or, at the first report of the loan,
// if a newer offer has replaced its offer. The report is stored all the same, because the loan may have been paid out.
func (w *reporting) warn(ctx context.Context, scope *store.Scope, first bool) error {
	d, err := scope.Decisions(ctx).Get(w.n.DecisionID)
	if fault.KindOf(err) == fault.NotFound {
		return nil // the transaction refuses the report
	}
	w.warnings = nil // the report may be tried again
	if err != nil || d.ApplicantRef != w.n.ApplicantRef {
		return err
	}
	approved, err := isApproved(ctx, scope, &d)
	if err != nil {
		return err
	}
	if !approved {
		if !w.n.Closed { // a report that closes says that there is no loan
			why := "it is " + d.Status + ", and no review approves it"
			if exposure.Approves(d.Status, "") {
				why = "a review has overturned it"
			}
			w.warnings = []fault.Item{{
				Pointer: "/decision_id",
				Code:    fault.CodeNotApproved,
				Detail:  "this decision is no approval: " + why + "; check decision_id, or review the decision",
			}}
		}
		return nil
	}
	if !first {
		return nil
	}
	gone, err := w.s.offers.Replaced(ctx, scope, &d)
	if gone {
		w.warnings = []fault.Item{{
			Pointer: "/decision_id",
			Code:    fault.CodeReplacedOffer,
			Detail: "a newer offer under the same policy_key replaced the offer of this decision before the loan was " +
				"reported; the loan and the newer offer together may exceed exposure.max_total",
		}}
	}
	return err
}

// isApproved reports whether a decision is an approval after its last final review.
func isApproved(ctx context.Context, scope *store.Scope, d *store.Decision) (bool, error) {
	reviews, err := scope.Decisions(ctx).Reviews(d.ID)
	if err != nil {
		return false, err
	}
	last := ""
	for i := range reviews { // the oldest first
		if reviews[i].Outcome != store.OutcomeAsks {
			last = reviews[i].Outcome
		}
	}
	return exposure.Approves(d.Status, last), nil
}

// store stores the report in a transaction.
func (w *reporting) store(tx *store.Tx) (Exposure, error) {
	if err := tx.Lock(); err != nil {
		return Exposure{}, err
	}
	row, found, err := w.present(tx)
	if err == nil {
		err = w.mayStore(tx, &row, found)
	}
	if err != nil {
		return Exposure{}, err
	}
	now := w.s.core.Moment()
	switch {
	case found && row.ClosedMicros != 0 && !w.n.Closed:
		return Exposure{}, fault.New(fault.Conflict, fault.CodeInvalidTransition,
			"the exposure of this decision is closed and cannot be opened again; report a new loan under its own "+
				"decision")
	case found && row.ClosedMicros != 0:
		e, err := w.s.open(w.keys, tx.Environment(), row)
		return e, notPrepared(err)
	case !found && w.n.Closed && w.n.DecisionID == "":
		return Exposure{}, fault.New(fault.NotFound, fault.CodeNotFound, "this applicant has no open exposure of this "+
			"product; GET /v1/exposures?applicant_ref= lists them")
	case !found:
		if err := w.checkOpen(tx); err != nil {
			return Exposure{}, err
		}
		id, made := w.s.core.NewID(tenant.KindExposure, now)
		row = store.Exposure{
			ID:            id,
			ApplicantRef:  w.n.ApplicantRef,
			DecisionID:    w.n.DecisionID,
			CreatedMicros: made.UnixMicro(),
			CreatedBy:     operation.Actor(w.p),
		}
	}
	loan := w.n.Loan
	row.Document, row.UpdatedMicros, row.UpdatedBy = loan.Encode(), now.UnixMicro(), operation.Actor(w.p)
	if w.n.Closed {
		row.ClosedMicros = now.UnixMicro()
	}
	e := Exposure{
		ID:            row.ID,
		ApplicantRef:  row.ApplicantRef,
		DecisionID:    row.DecisionID,
		Loan:          loan,
		CreatedMicros: row.CreatedMicros,
		UpdatedMicros: row.UpdatedMicros,
		ClosedMicros:  row.ClosedMicros,
		Warnings:      w.warnings,
	}
	w.keys.SealExposure(tx.Environment(), &row)
	if err := tx.Exposures().Put(&row, w.keys.Changes(tx.Environment())); err != nil {
		return Exposure{}, err
	}
	if !found {
		if err := operation.CheckStored(tx, w.p.Plan); err != nil {
			return Exposure{}, err
		}
	}
	if err := w.draw(tx, now); err != nil {
		return Exposure{}, err
	}
	action := operation.ActionExposureReported
	if e.Closed() {
		action = operation.ActionExposureClosed
	}
	return e, tx.Audit().Add(w.s.core.Audit(w.p, now, action, e.ID, ""))
}

// reportsPerUnit is how many reports a plan allows in a month for each unit of its quota. Reports are not billed, but
// each adds an entry to the audit trail, which is never deleted.
const reportsPerUnit = 20

// draw takes a report from the month's allowance of the plan.
func (w *reporting) draw(tx *store.Tx, now time.Time) error {
	plan := w.p.Plan
	if plan.Unmetered || w.n.Closed { // no limit: a loan is closed only once
		return nil
	}
	most := plan.MonthlyQuota * reportsPerUnit
	ok, err := tx.Usage().Draw(tenant.PeriodOf(now).Key()+" exposures", 1, most)
	if err != nil || ok {
		return err
	}
	return fault.New(fault.Limited, fault.CodeQuotaExceeded,
		"the plan allows %d reports of loans a month, and they are used up; report again next month, or change the "+
			"plan",
		most)
}

// mayStore returns why the report cannot be stored: the decision is not about the applicant, or the applicant is
// being erased. row is the present exposure, if it was found. row still says whose loan it is after the decision has
// lost its reference. A decision loses it at the end of a retention period, which may be shorter than the life of
// the loan.
func (w *reporting) mayStore(tx *store.Tx, row *store.Exposure, found bool) error {
	if w.n.DecisionID != "" {
		ref := row.ApplicantRef
		if !found {
			d, err := tx.Decisions().Get(w.n.DecisionID)
			if err != nil && fault.KindOf(err) != fault.NotFound {
				return err
			}
			ref = d.ApplicantRef // "" if there is no decision
		}
		if ref != w.n.ApplicantRef {
			return noDecision()
		}
	}
	e, open, err := tx.Erasures().Open(store.Person{ApplicantRef: w.n.ApplicantRef})
	if err == nil && open && e.State == store.ErasureRunning {
		return fault.New(fault.Conflict, fault.CodeInvalidTransition,
			"the applicant is being erased, which cannot be stopped; GET /v1/erasures/%s returns the receipt", e.ID)
	}
	return err
}

// present returns the exposure that the report is about: the exposure of the decision or, if the report names no
// decision, the open exposure of the product.
func (w *reporting) present(tx *store.Tx) (row store.Exposure, found bool, err error) {
	if w.n.DecisionID != "" {
		return tx.Exposures().OfDecision(w.n.DecisionID)
	}
	rows, err := tx.Exposures().Open(w.n.ApplicantRef)
	if err != nil {
		return row, false, err
	}
	for i := range rows {
		if rows[i].DecisionID != "" {
			continue
		}
		e, err := w.s.open(w.keys, tx.Environment(), rows[i])
		if err != nil {
			return row, false, notPrepared(err)
		}
		if e.Loan.Product == w.n.Loan.Product {
			return rows[i], true, nil
		}
	}
	return row, false, nil
}

// notPrepared returns errNotPrepared if an exposure cannot be decrypted, so that the keys are read again.
func notPrepared(err error) error {
	var unreadable journal.Unreadable
	if errors.As(err, &unreadable) || errors.Is(err, journal.ErrEarlierTree) {
		return errNotPrepared
	}
	return err
}

// checkOpen returns Conflict cap_reached if the applicant has MaxOpen open exposures and the report does not close
// one.
func (w *reporting) checkOpen(tx *store.Tx) error {
	rows, err := tx.Exposures().Open(w.n.ApplicantRef)
	if err == nil && !w.n.Closed && len(rows) >= MaxOpen {
		return fault.New(fault.Conflict, fault.CodeCapReached,
			"this applicant has %d open exposures, the maximum; report those that are repaid as closed", len(rows))
	}
	return err
}
