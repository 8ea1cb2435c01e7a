package exposuredesk_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"verdict/internal/decisioning"
	"verdict/internal/exposure"
	"verdict/internal/exposuredesk"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/privacydesk"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase/usecasetest"
)

// refused checks the code of a refusal, and the pointers of its faults.
func (b *bench) refused(err error, code string, pointers ...string) {
	b.Helper()
	if usecasetest.CodeOf(err) != code {
		b.Errorf("the error is %v, want %s", err, code)
		return
	}
	if len(pointers) > 0 && !slices.Equal(usecasetest.Pointers(b.T, err), pointers) {
		b.Errorf("the faults are at %v, want %v", usecasetest.Pointers(b.T, err), pointers)
	}
}

// TestReports reports loans in every order.
func TestReports(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		first := b.reported(owes("P-1", "gold_loan", 1_000))
		b.clock.Pass(time.Minute)
		later := b.reported(owes("P-1", "gold_loan", 900))
		if later.ID != first.ID || later.CreatedMicros != first.CreatedMicros ||
			later.UpdatedMicros == first.UpdatedMicros || later.Loan.OutstandingPaise != 900_00 {
			b.Errorf("the first report is %+v, and the second one %+v", first, later)
		}
		if other := b.reported(owes("P-1", "card", 5)); other.ID == first.ID {
			b.Error("two products are one exposure")
		}

		ends := exposuredesk.NewReport{ApplicantRef: "P-1", Loan: exposure.Loan{Product: "gold_loan"}, Closed: true}
		closed := b.reported(ends)
		if !closed.Closed() || closed.ID != first.ID {
			b.Errorf("the closed exposure is %+v", closed)
		}
		_, err := b.report(ends) // the product has no open exposure any more
		b.refused(err, fault.CodeNotFound)
		if again := b.reported(owes("P-1", "gold_loan", 70)); again.ID == first.ID {
			b.Errorf("the new loan is %+v", again)
		}
		_, err = b.report(exposuredesk.NewReport{ApplicantRef: "nobody", Loan: exposure.Loan{Product: "x"},
			Closed: true})
		b.refused(err, fault.CodeNotFound)

		page, err := b.Service.Exposures.Exposures(b.Context(), b.Caller, "P-1", operation.List{})
		if err != nil || len(page.Data) != 3 {
			b.Fatalf("%d exposures, %v", len(page.Data), err)
		}
		if all, err := b.Service.Exposures.Exposures(b.Context(), b.Caller, "P-2", operation.List{}); err != nil ||
			len(all.Data) != 0 {
			b.Errorf("%d exposures of nobody, %v", len(all.Data), err)
		}
		got := strings.Join(b.Logged(b.admin, first.ID), " ")
		if !strings.Contains(got, operation.ActionExposureReported) ||
			!strings.Contains(got, operation.ActionExposureClosed) {
			b.Errorf("the audit trail has %v", got)
		}
	})
}

// TestReportsOfADecision reports loans that name their decision.
func TestReportsOfADecision(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		of := b.Decided(b.T, asks("P-1", "default", 300_000))
		owed := exposuredesk.NewReport{ApplicantRef: "P-1", DecisionID: of, Loan: exposure.Loan{OutstandingPaise: 5_00}}
		ends := exposuredesk.NewReport{ApplicantRef: "P-1", DecisionID: of, Closed: true}

		first := b.reported(owed)
		closed := b.reported(ends)
		b.clock.Pass(time.Minute)
		if twice := b.reported(ends); twice.ID != first.ID || twice.ClosedMicros != closed.ClosedMicros {
			b.Errorf("closed twice: %+v and %+v", closed, twice)
		}
		_, err := b.report(owed)
		b.refused(err, fault.CodeInvalidTransition)

		foreign := owed
		foreign.ApplicantRef = "P-2"
		_, err = b.report(foreign)
		b.refused(err, fault.CodeInvalidField, "/decision_id")

		_, stranger := b.Signup("other@example.in")
		_, err = b.Service.Exposures.Report(b.Context(), stranger, owedBy(owed), nil)
		b.refused(err, fault.CodeInvalidField, "/decision_id")
		page, err := b.Service.Exposures.Exposures(b.Context(), stranger, "P-1", operation.List{})
		if err != nil || len(page.Data) != 0 {
			b.Errorf("another tenant sees %d exposures, %v", len(page.Data), err)
		}

		unused := b.Decided(b.T, asks("P-4", "default", 300_000))
		if e := b.reported(exposuredesk.NewReport{ApplicantRef: "P-4", DecisionID: unused, Closed: true}); !e.Closed() {
			b.Errorf("the offer that is not used is %+v", e)
		}
	})
}

func owedBy(n exposuredesk.NewReport) exposuredesk.NewReport {
	n.HasOutstanding = true
	return n
}

// TestBadReports sends reports that cannot be stored.
func TestBadReports(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		for name, c := range map[string]struct {
			n        exposuredesk.NewReport
			pointers []string
		}{
			"nothing": {exposuredesk.NewReport{}, []string{"/applicant_ref", "/outstanding", "/product"}},
			"owed and closed": {exposuredesk.NewReport{ApplicantRef: "P", Closed: true,
				Loan: exposure.Loan{Product: "p", OutstandingPaise: 1}}, []string{"/outstanding"}},
			"a replaced reference": {owes("hmac:0123456789abcdef0123456789abcdef", "p", 1), []string{"/applicant_ref"}},
			"spaces":               {owes("P ", "\tp", 1), []string{"/applicant_ref", "/product"}},
			"no decision": {exposuredesk.NewReport{ApplicantRef: "P", DecisionID: "dec_1",
				Loan: exposure.Loan{OutstandingPaise: 1}}, []string{"/decision_id"}},
		} {
			b.Run(name, func(*testing.T) {
				_, err := b.report(c.n)
				b.refused(err, fault.CodeInvalidField, c.pointers...)
			})
		}
		for i := range exposuredesk.MaxOpen {
			b.reported(owes("P-many", fmt.Sprint("product", i), 1))
		}
		_, err := b.report(owes("P-many", "one more", 1))
		b.refused(err, fault.CodeCapReached)
		b.reported(owes("P-many", "product7", 2))
	})
}

// TestSealed checks that nothing about a loan is stored unencrypted.
func TestSealed(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.reported(owes("P-1", "emerald_loan", 424_242))
		for column, text := range storetest.Dump(b.T, b.url) {
			if slices.Contains([]string{"exposures.document"}, column) && len(text) == 0 {
				b.Errorf("%s is empty", column)
			}
			for _, secret := range []string{"emerald_loan", "424242"} {
				if contains(text, secret) {
					b.Errorf("%s contains %s", column, secret)
				}
			}
		}
	})
}

func contains(text []byte, part string) bool {
	for i := range len(text) - len(part) + 1 {
		if string(text[i:i+len(part)]) == part {
			return true
		}
	}
	return false
}

// TestErasure checks that an open exposure defers an erasure, that its end lets the erasure continue, and that the
// exposures are deleted with the person.
func TestErasure(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.reported(owes("P-1", "gold_loan", 1_000))
		b.reported(owes("P-2", "gold_loan", 1_000))
		e, err := b.Service.Privacy.Erase(b.Context(), b.admin,
			privacydesk.NewErasure{ApplicantRef: "P-1", Reason: "applicant_request"}, nil)
		if err != nil || e.State != privacydesk.Deferred ||
			!slices.Equal(e.Basis, []string{privacydesk.BasisOpenExposure}) ||
			e.DeferredUntilMicros != 0 {
			b.Fatalf("the erasure is %+v, %v", e, err)
		}
		held, err := b.Service.Privacy.Applicant(b.Context(), b.admin, "P-1", operation.List{})
		if err != nil || len(held.Exposures) != 1 || held.Exposures[0].Loan.OutstandingPaise != 1_000_00 {
			b.Fatalf("held about the person: %+v, %v", held, err)
		}
		if done, err := b.Service.Privacy.RunDeferred(b.Context()); err != nil || done != 0 {
			b.Fatalf("%d erasures done while the exposure is open, %v", done, err)
		}
		b.reported(exposuredesk.NewReport{ApplicantRef: "P-1", Loan: exposure.Loan{Product: "gold_loan"}, Closed: true})
		if done, err := b.Service.Privacy.RunDeferred(b.Context()); err != nil || done != 1 {
			b.Fatalf("%d erasures done, %v", done, err)
		}
		if e, err = b.Service.Privacy.Erasure(b.Context(), b.admin, e.ID); err != nil ||
			e.State != privacydesk.Completed ||
			e.Counts.Exposures != 1 {
			b.Errorf("the erasure is %+v, %v", e, err)
		}
		page, err := b.Service.Exposures.Exposures(b.Context(), b.Caller, "", operation.List{})
		if err != nil || len(page.Data) != 1 || page.Data[0].ApplicantRef != "P-2" {
			b.Errorf("left are %+v, %v", page.Data, err)
		}
		// The reference comes back, on the node that has not seen the erasure.
		b.activate(capped)
		again := owes("P-1", "gold_loan", 450_000)
		again.HasOutstanding = true
		if _, err := b.nodes[1].Exposures.Report(b.Context(), b.Caller, again, nil); err != nil {
			b.Fatal(err)
		}
		if d := b.decide(b.nodes[0], asks("P-1", "default", 300_000)); d.limit != 50_000 {
			b.Errorf("the decision is %+v", d)
		}
		if d := b.decide(b.nodes[1], asks("P-1", "default", 310_000)); d.limit != 50_000 {
			b.Errorf("the decision is %+v", d)
		}
	})
}

// TestReportAfterRetention reports a loan whose decision has lost its reference, because the retention period of the
// decision is shorter than the life of the loan.
func TestReportAfterRetention(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		const day = 24 * time.Hour
		id, unbooked := b.Decided(b.T, asks("P-1", "default", 300_000)), b.Decided(b.T, asks("P-1", "default", 200_000))
		loan := exposuredesk.NewReport{ApplicantRef: "P-1", DecisionID: id}
		loan.Loan.OutstandingPaise = 300_000_00
		b.reported(loan)
		period := privacydesk.ZonePeriod{Zone: "response", Period: "P30D", Basis: "purpose_fulfilled"}
		if _, err := b.Service.Privacy.SetRetention(
			b.Context(), b.Caller, []privacydesk.ZonePeriod{period}, operation.AnyVersion,
		); err != nil {
			b.Fatal(err)
		}
		b.clock.Pass(60 * day)
		if n, err := b.Service.Privacy.Retain(b.Context()); n != 2 || err != nil {
			b.Fatalf("%d decisions were emptied, %v", n, err)
		}

		loan.Loan.OutstandingPaise = 100_000_00
		if e, err := b.report(loan); err != nil || e.Loan.OutstandingPaise != 100_000_00 {
			b.Errorf("the loan is %+v, %v", e, err)
		}
		other := loan
		other.ApplicantRef = "P-2"
		_, err := b.report(other)
		b.refused(err, fault.CodeInvalidField, "/decision_id")
		other.ApplicantRef, other.DecisionID = "P-1", unbooked
		_, err = b.report(other)
		b.refused(err, fault.CodeInvalidField, "/decision_id")
		if e, err := b.report(exposuredesk.NewReport{ApplicantRef: "P-1", DecisionID: id, Closed: true}); err != nil ||
			!e.Closed() {
			b.Errorf("the closed loan is %+v, %v", e, err)
		}
	})
}

// TestReportAllowance checks that a plan allows a number of reports a month, and that loans can be closed beyond it.
func TestReportAllowance(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.Caller.Plan.MonthlyQuota = 1
		for i := range int64(20) {
			b.reported(owes("P-1", "gold_loan", 1_000+i))
		}
		_, err := b.report(owes("P-1", "gold_loan", 5_000))
		b.refused(err, fault.CodeQuotaExceeded)
		b.reported(exposuredesk.NewReport{ApplicantRef: "P-1", Loan: exposure.Loan{Product: "gold_loan"}, Closed: true})
		b.clock.Pass(31 * 24 * time.Hour)
		b.reported(owes("P-1", "gold_loan", 5_000))
		b.Caller.Plan.MonthlyQuota, b.Caller.Plan.Unmetered = 0, true
		b.reported(owes("P-1", "gold_loan", 6_000))
	})
}

// TestReportWithoutApproval reports loans on decisions that are no approvals. The reports are stored with a warning,
// unless a review has approved the decision or the report says that there is no loan.
func TestReportWithoutApproval(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.activate(`{"name":"plain"}`)
		declined := func(ref string) string {
			d := b.decide(b.nodes[0], strings.Replace(asks(ref, "default", 100_000), `"score":860`, `"score":400`, 1))
			if d.status != "DECLINED" {
				b.Fatalf("the decision is %s", d.status)
			}
			return d.id
		}
		on := func(ref, decision string, closed bool) string {
			b.Helper()
			n := exposuredesk.NewReport{ApplicantRef: ref, DecisionID: decision, Closed: closed, HasOutstanding: true}
			codes := ""
			for _, w := range b.reported(n).Warnings {
				codes += w.Pointer + " " + w.Code
			}
			return codes
		}
		const warned = "/decision_id " + fault.CodeNotApproved
		if got := on("W-1", declined("W-1"), false); got != warned {
			b.Errorf("a loan on a decline has the warnings %q", got)
		}
		if got := on("W-2", declined("W-2"), true); got != "" {
			b.Errorf("a report that there is no loan has the warnings %q", got)
		}
		if got := on("W-3", b.decide(b.nodes[0], asks("W-3", "default", 100_000)).id, false); got != "" {
			b.Errorf("a loan on an approval has the warnings %q", got)
		}
		review := func(decision, outcome string) {
			b.Helper()
			_, err := b.Service.Decisions.Reviews.Add(b.Context(), b.admin, decision,
				decisioning.NewReview{Outcome: outcome}, nil)
			if err != nil {
				b.Fatal(err)
			}
		}
		approved := declined("W-4")
		review(approved, decisioning.Overturned)
		if got := on("W-4", approved, false); got != "" {
			b.Errorf("a loan on a decline that a person overturned has the warnings %q", got)
		}
		refused := b.decide(b.nodes[0], asks("W-5", "default", 100_000)).id
		review(refused, decisioning.Overturned)
		if got := on("W-5", refused, false); got != warned {
			b.Errorf("a loan on an approval that a person overturned has the warnings %q", got)
		}
		if got := on("W-5", refused, false); got != warned {
			b.Errorf("the second report on it has the warnings %q", got)
		}
		if got := on("W-5", refused, true); got != "" {
			b.Errorf("the report that this loan is closed has the warnings %q", got)
		}
		later := b.decide(b.nodes[0], asks("W-6", "default", 100_000)).id
		if got := on("W-6", later, false); got != "" {
			b.Errorf("a loan on an approval has the warnings %q", got)
		}
		review(later, decisioning.Overturned)
		if got := on("W-6", later, false); got != warned {
			b.Errorf("a report after the approval was overturned has the warnings %q", got)
		}
	})
}
