//nolint:thelper // what Each runs is the test itself: a failure belongs to its own line
package decisioning_test

import (
	"fmt"
	"testing"

	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func TestFromSignupToAVerifiedDecision(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		answer, err := h.Service.Decisions.Decide(t.Context(), h.Caller, usecasetest.Parse(t, usecasetest.Sample), nil)
		if err != nil {
			t.Fatal(err)
		}
		posted := usecasetest.Object(t, answer.Body)
		if posted["status"] != "APPROVED" || posted["grade"] != "B" {
			t.Fatalf("decided %s", answer.Body)
		}
		id, _ := posted["decision_id"].(string)
		fetched, err := h.Service.Decisions.Decision(t.Context(), h.Caller, id)
		if err != nil {
			t.Fatal(err)
		}
		got := usecasetest.Object(t, fetched.Body)
		again, _ := got["re_explanation"].(map[string]any)
		if again["verified"] != true || again["recomputed_hash"] != posted["decision_hash"] {
			t.Errorf("re-explained as %v", again)
		}
		delete(got, "re_explanation")
		if want := fmt.Sprint(posted); fmt.Sprint(got) != want {
			t.Errorf("fetched %v\nposted %v", got, want)
		}
		usage, err := h.Service.Decisions.Usage(t.Context(), h.Caller)
		if err != nil || usage.Used != 1 {
			t.Errorf("used %d, %v", usage.Used, err)
		}
	})
}

func TestPreviewCompares(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		body := usecasetest.Sample[:len(usecasetest.Sample)-1] + `,"overrides":{"applicant.foir":0.54,"bureau_report.enquiries_6m":null},"compare":true}`
		answer, err := h.Service.Decisions.Preview(t.Context(), h.Caller, usecasetest.Parse(t, body))
		if err != nil {
			t.Fatal(err)
		}
		got := usecasetest.Object(t, answer.Body)
		diff, _ := got["diff"].([]any)
		if len(diff) == 0 {
			t.Fatalf("nothing differs in %s", answer.Body)
		}
		variant, _ := got["variant"].(map[string]any)
		facts, _ := variant["facts"].(map[string]any)
		if facts["foir"] != 0.54 || facts["enquiries_6m"] != nil {
			t.Errorf("the variant saw %v", facts)
		}
		if used, err := h.Service.Decisions.Usage(t.Context(), h.Caller); err != nil || used.Used != 0 {
			t.Errorf("a preview was billed: %d, %v", used.Used, err)
		}
	})
}

func TestFlushKeepsWhatWasGathered(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var told []policydesk.RuleCount
		h := usecasetest.Open(t, db, usecase.Options{Hooks: usecase.Hooks{Rule: func(c policydesk.RuleCount) { told = append(told, c) }}})
		if _, err := h.Service.Decisions.Decide(t.Context(), h.Caller, usecasetest.Parse(t, usecasetest.Sample), nil); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Service.Decisions.Preview(t.Context(), h.Caller, usecasetest.Parse(t, usecasetest.Sample)); err != nil {
			t.Fatal(err)
		}
		usecasetest.RunUntilFlushed(t, h.Service)
		usage, err := h.Service.Decisions.Usage(t.Context(), h.Caller)
		if err != nil || len(usage.Counts) != 2 {
			t.Errorf("counted %v, %v", usage.Counts, err)
		}
		if len(told) == 0 {
			t.Error("nobody was told how the rules fared")
		}
		page, err := h.Service.Policies.Policies(t.Context(), h.Caller, policydesk.PolicyFilter{StatsDays: 7}, operation.List{Limit: 50})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range page.Data {
			if first := v.Stats[v.Policy.Knockouts[0].ID]; v.Status == "active" && first.Evaluated != 1 {
				t.Errorf("the active policy's first knockout: %+v", first)
			}
		}
	})
}
