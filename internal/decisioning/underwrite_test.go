//nolint:thelper // what Each runs is the test itself: a failure belongs to its own line
package decisioning_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/wire"
)

// sight is a study that remembers what it was shown.
type sight struct{ facts string }

func (s sight) Outcome() string { return "REFER" }
func (s sight) Hash() string    { return "sha256:x" }
func (s sight) Request() []byte { return []byte("{}") }
func (s sight) Write(w *wire.Writer, head decisioning.RunHead) {
	w.Object().Key("run_id").String(head.RunID).Key("decision").Raw(head.Decision).EndObject()
}

// A study is made before anything is written. When another application moves
// the counts meanwhile, it is made again, of what is then decided.
func TestAStudyIsOfWhatWasDecided(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := open(t, db, decisioning.Options{})
		body := func(ref int) wire.Value {
			return parse(t, fmt.Sprintf(`{"bureau":"cibil","report":{"cibil":{"scoreData":{"score":790}}},
				"fraud":{"applicant_ref":"A-%d","beneficiary_account":"000111222333"}}`, ref))
		}
		var seen []string
		last := ""
		answer, err := h.service.Underwrite(t.Context(), h.caller, body(0), nil, decisioning.Underwriter{
			Study: func(ctx context.Context, u *decisioning.Underwriting, hurry bool) decisioning.Study {
				seen = append(seen, fmt.Sprint(hurry, " ", u.Decision.Status, " ", u.Facts.Get("fraud_beneficiary_applicants")))
				for ref := range 3 {
					if hurry {
						break
					}
					other, err := h.service.Evaluate(ctx, h.caller, body(ref+1), nil)
					if err != nil {
						t.Error(err)
					}
					last, _ = object(t, other.Body)["decision_id"].(string)
				}
				return sight{string(u.StoredFacts)}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(seen) != "[false APPROVED 1 true DECLINED 4]" {
			t.Errorf("saw %q", seen)
		}
		decision, _ := object(t, answer.Body)["decision"].(map[string]any)
		if decision["status"] != "DECLINED" {
			t.Errorf("decided %s", answer.Body)
		}
		if id, _ := decision["decision_id"].(string); id <= last || last == "" {
			t.Errorf("%s stands before %s, which was stored before it", id, last)
		}
		usage, err := h.service.Usage(t.Context(), h.caller)
		if err != nil || usage.Used != 4 {
			t.Errorf("used %d, %v", usage.Used, err)
		}
	})
}

// A study is never made inside the transaction, which would hold up every
// tenant: while it is made again, others are stored. When the counts move every
// time, the caller is told to come back.
func TestAStudyHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := open(t, db, decisioning.Options{})
		body := func(ref int) wire.Value {
			return parse(t, fmt.Sprintf(`{"bureau":"cibil","report":{"cibil":{"scoreData":{"score":790}}},
				"fraud":{"applicant_ref":"A-%d","beneficiary_account":"000111222333"}}`, ref))
		}
		studies := 0
		_, err := h.service.Underwrite(t.Context(), h.caller, body(0), nil, decisioning.Underwriter{
			Study: func(ctx context.Context, u *decisioning.Underwriting, _ bool) decisioning.Study {
				studies++
				if _, err := h.service.Evaluate(ctx, h.caller, body(studies), nil); err != nil {
					t.Errorf("beside study %d: %v", studies, err)
				}
				return sight{string(u.StoredFacts)}
			},
		})
		var refusal *fault.Error
		if !errors.As(err, &refusal) || refusal.Kind != fault.Unavailable || studies < 2 {
			t.Errorf("after %d studies: %v", studies, err)
		}
		if usage, err := h.service.Usage(t.Context(), h.caller); err != nil || usage.Used != int64(studies) {
			t.Errorf("used %d, %v", usage.Used, err)
		}
	})
}
