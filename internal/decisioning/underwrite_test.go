//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package decisioning_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"verdict/internal/application"
	"verdict/internal/decisioning"
	"verdict/internal/document"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// sight is a study that stores the facts it receives.
type sight struct{ facts string }

func (s sight) Outcome() string                        { return "REFER" }
func (s sight) Hash() string                           { return "sha256:x" }
func (s sight) Request() []byte                        { return []byte("{}") }
func (s sight) Encode(head decisioning.RunHead) []byte { return head.Decision }

// answered reads the decision from the answer of a run.
func answered(
	t *testing.T, reply *operation.Reply[decisioning.Underwritten], run decisioning.Underwritten,
) decisioning.Answered {
	t.Helper()
	decision, err := document.ReadDecision(reply.Answer(run).Body)
	if err != nil {
		t.Fatal(err)
	}
	return decision
}

// TestAStudyIsOfWhatWasDecided checks that a study is made before anything is written.
// It must be made again if another application has changed the counts in the meantime,
// so that it describes the stored decision.
func TestAStudyIsOfWhatWasDecided(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		body := func(ref int) application.Request {
			return application.EvaluateRequest(usecasetest.Parse(t, fmt.Sprintf(`{"bureau":"cibil",
				"report":{"cibil":{"scoreData":{"score":790}}},
				"fraud":{"applicant_ref":"A-%d","beneficiary_account":"000111222333"}}`, ref)))
		}
		var seen []string
		last := ""
		var reply operation.Reply[decisioning.Underwritten]
		run, err := h.Service.Decisions.Underwrite(t.Context(), h.Caller, body(0), decisioning.Underwriter{
			Study: func(ctx context.Context, u *decisioning.Underwriting, hurry bool) (decisioning.Study, error) {
				seen = append(seen,
					fmt.Sprint(hurry, " ", u.Decision.Status, " ", u.Facts.Get("fraud_beneficiary_applicants")))
				for ref := range 3 {
					if hurry {
						break
					}
					other, err := h.Service.Decisions.Evaluate(ctx, h.Caller, body(ref+1), nil)
					if err != nil {
						t.Error(err)
					}
					last = other.ID
				}
				return sight{string(u.StoredFacts)}, nil
			},
		}, &reply)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(seen) != "[false APPROVED 1 true DECLINED 4]" {
			t.Errorf("saw %q", seen)
		}
		decision := answered(t, &reply, run)
		if decision.Status != "DECLINED" || decision.DecisionID != run.Decision.ID {
			t.Errorf("decided %+v", decision)
		}
		if id := run.Decision.ID; id <= last || last == "" {
			t.Errorf("%s stands before %s, which was stored before it", id, last)
		}
		usage, err := h.Service.Decisions.Usage.Current(t.Context(), h.Caller)
		if err != nil || usage.Used != 4 {
			t.Errorf("used %d, %v", usage.Used, err)
		}
	})
}

// TestStudiesEndThoughTheCountsKeepMoving checks that the number of studies is limited
// if the counts keep changing: the last transaction decides with the facts of the last
// study. Each study runs outside of any transaction, so that other requests can write.
func TestStudiesEndThoughTheCountsKeepMoving(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		body := func(ref int) application.Request {
			return application.EvaluateRequest(usecasetest.Parse(t, fmt.Sprintf(`{"bureau":"cibil",
				"report":{"cibil":{"scoreData":{"score":790}}},
				"fraud":{"applicant_ref":"A-%d","beneficiary_account":"000111222333"}}`, ref)))
		}
		studies := 0
		shown := ""
		var reply operation.Reply[decisioning.Underwritten]
		run, err := h.Service.Decisions.Underwrite(t.Context(), h.Caller, body(0), decisioning.Underwriter{
			Study: func(ctx context.Context, u *decisioning.Underwriting, _ bool) (decisioning.Study, error) {
				studies++
				shown = u.Facts.Get("fraud_beneficiary_applicants").String()
				// This would wait forever if the study blocked the only writer.
				if _, err := h.Service.Decisions.Evaluate(ctx, h.Caller, body(studies), nil); err != nil {
					t.Error(err)
				}
				return sight{string(u.StoredFacts)}, nil
			},
		}, &reply)
		if err != nil {
			t.Fatal(err)
		}
		if studies != 4 || shown != "4" {
			t.Errorf("%d studies, the last of %s applicants", studies, shown)
		}
		decision := answered(t, &reply, run)
		if decision.Status != "DECLINED" || len(decision.Fraud.AlertIDs) == 0 || len(run.Decision.AlertIDs) == 0 {
			t.Errorf("decided %+v", decision)
		}
		explained, err := h.Service.Decisions.Decision(t.Context(), h.Caller, decision.DecisionID)
		if err != nil {
			t.Fatal(err)
		}
		if !explained.Again.Verified {
			t.Errorf("the stored decision does not verify: %v", explained.Again)
		}
		usage, err := h.Service.Decisions.Usage.Current(t.Context(), h.Caller)
		if err != nil || usage.Used != 5 {
			t.Errorf("used %d, %v", usage.Used, err)
		}
	})
}

// TestAStudyThatIsEndedStoresNothing checks that nothing is stored if the study returns
// context.Canceled.
func TestAStudyThatIsEndedStoresNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		body := application.EitherRequest(usecasetest.Parse(t, `{
			"bureau":"cibil",
			"report":{"cibil":{"scoreData":{"score":790}}}
		}`))
		_, err := h.Service.Decisions.Underwrite(t.Context(), h.Caller, body, decisioning.Underwriter{
			Study: func(context.Context, *decisioning.Underwriting, bool) (decisioning.Study, error) {
				return nil, context.Canceled
			},
		}, nil)
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		usage, err := h.Service.Decisions.Usage.Current(t.Context(), h.Caller)
		if err != nil || usage.Used != 0 {
			t.Errorf("used %d, %v", usage.Used, err)
		}
	})
}
