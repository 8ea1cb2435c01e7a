//nolint:thelper // what Each runs is the test itself: a failure belongs to its own line
package decisioning_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"verdict/internal/decisioning"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// house is a service with one tenant in it.
type house struct {
	*testing.T
	service *decisioning.Service
	signed  decisioning.SignedUp
	caller  tenant.Principal
}

// cheap is a password hash that tests can pay for.
var cheap = tenant.Cost{MemoryKiB: 64, Passes: 1, Lanes: 1}

func open(t *testing.T, db *store.DB, o decisioning.Options) *house {
	t.Helper()
	o.PasswordCost = cheap
	if o.Now == nil {
		o.Now = newClock().now
	}
	service, err := decisioning.New(db, o)
	if err != nil {
		t.Fatal(err)
	}
	h := &house{T: t, service: service}
	h.signed, h.caller = h.signup("asha@example.in")
	return h
}

func (h *house) signup(email string) (decisioning.SignedUp, tenant.Principal) {
	h.Helper()
	signed, err := h.service.Signup(h.Context(), parse(h.T, fmt.Sprintf(`{"email":%q,"org_name":"Asha Finance","password":"correct horse"}`, email)))
	if err != nil {
		h.Fatal(err)
	}
	caller, err := h.service.Authenticate(h.Context(), signed.Key)
	if err != nil {
		h.Fatal(err)
	}
	return signed, caller
}

func parse(t *testing.T, text string) wire.Value {
	t.Helper()
	v, err := wire.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// object reads an answer as a tree of maps.
func object(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal(body, &out); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return out
}

const sample = `{"applicant":{"id":"A-1","monthly_income":85000,"foir":0.32,"requested_amount":600000},
	"bureau_report":{"score":742,"enquiries_6m":2,"active_tradelines":4,"max_dpd_12m":0}}`

func TestFromSignupToAVerifiedDecision(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := open(t, db, decisioning.Options{})
		answer, err := h.service.Decide(t.Context(), h.caller, parse(t, sample), nil)
		if err != nil {
			t.Fatal(err)
		}
		posted := object(t, answer.Body)
		if posted["status"] != "APPROVED" || posted["grade"] != "B" {
			t.Fatalf("decided %s", answer.Body)
		}
		id, _ := posted["decision_id"].(string)
		fetched, err := h.service.Decision(t.Context(), h.caller, id)
		if err != nil {
			t.Fatal(err)
		}
		got := object(t, fetched.Body)
		again, _ := got["re_explanation"].(map[string]any)
		if again["verified"] != true || again["recomputed_hash"] != posted["decision_hash"] {
			t.Errorf("re-explained as %v", again)
		}
		delete(got, "re_explanation")
		if want := fmt.Sprint(posted); fmt.Sprint(got) != want {
			t.Errorf("fetched %v\nposted %v", got, want)
		}
		usage, err := h.service.Usage(t.Context(), h.caller)
		if err != nil || usage.Used != 1 {
			t.Errorf("used %d, %v", usage.Used, err)
		}
	})
}

func TestPreviewCompares(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := open(t, db, decisioning.Options{})
		body := sample[:len(sample)-1] + `,"overrides":{"applicant.foir":0.54,"bureau_report.enquiries_6m":null},"compare":true}`
		answer, err := h.service.Preview(t.Context(), h.caller, parse(t, body))
		if err != nil {
			t.Fatal(err)
		}
		got := object(t, answer.Body)
		diff, _ := got["diff"].([]any)
		if len(diff) == 0 {
			t.Fatalf("nothing differs in %s", answer.Body)
		}
		variant, _ := got["variant"].(map[string]any)
		facts, _ := variant["facts"].(map[string]any)
		if facts["foir"] != 0.54 || facts["enquiries_6m"] != nil {
			t.Errorf("the variant saw %v", facts)
		}
		if used, err := h.service.Usage(t.Context(), h.caller); err != nil || used.Used != 0 {
			t.Errorf("a preview was billed: %d, %v", used.Used, err)
		}
	})
}

func TestDraftInheritsActivatesAndRollsBack(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := open(t, db, decisioning.Options{})
		answer, err := h.service.CreateRuleSet(t.Context(), h.caller, parse(t, `{"name":"no fee","knockouts":[]}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		draft := object(t, answer.Body)
		if draft["status"] != "draft" || draft["version"] != 3.0 || draft["inherited"] == nil {
			t.Errorf("created %s", answer.Body)
		}
		id, _ := draft["id"].(string)
		if _, err := h.service.Activate(t.Context(), h.caller, id, wire.Value{}, nil); err != nil {
			t.Fatal(err)
		}
		decided, err := h.service.Decide(t.Context(), h.caller, parse(t, sample), nil)
		if err != nil {
			t.Fatal(err)
		}
		policy, _ := object(t, decided.Body)["policy"].(map[string]any)
		if policy["id"] != id {
			t.Errorf("decided by %v, not by what was activated", policy)
		}
		if _, err := h.service.Activate(t.Context(), h.caller, h.signed.RuleSetID, wire.Value{}, nil); err != nil {
			t.Errorf("roll back: %v", err)
		}
	})
}

func TestFlushKeepsWhatWasGathered(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var told []decisioning.RuleCount
		h := open(t, db, decisioning.Options{Hooks: decisioning.Hooks{Rule: func(c decisioning.RuleCount) { told = append(told, c) }}})
		if _, err := h.service.Decide(t.Context(), h.caller, parse(t, sample), nil); err != nil {
			t.Fatal(err)
		}
		if _, err := h.service.Preview(t.Context(), h.caller, parse(t, sample)); err != nil {
			t.Fatal(err)
		}
		runUntilFlushed(t, h.service)
		usage, err := h.service.Usage(t.Context(), h.caller)
		if err != nil || len(usage.Counts) != 2 {
			t.Errorf("counted %v, %v", usage.Counts, err)
		}
		if len(told) == 0 {
			t.Error("nobody was told how the rules fared")
		}
		page, err := h.service.Policies(t.Context(), h.caller, decisioning.PolicyFilter{StatsDays: 7}, operation.List{Limit: 50})
		if err != nil {
			t.Fatal(err)
		}
		var w wire.Writer
		page.Write(&w, func(w *wire.Writer, v decisioning.PolicyView) { v.Write(w) })
		var shown struct {
			Data []struct {
				Status    string
				Knockouts []struct {
					ID    string
					Stats struct{ Evaluated, Hit int64 }
				}
			}
		}
		if err := json.Unmarshal(w.Buf, &shown); err != nil {
			t.Fatal(err)
		}
		for _, p := range shown.Data {
			if p.Status == "active" && p.Knockouts[0].Stats.Evaluated != 1 {
				t.Errorf("the active policy's first knockout: %+v", p.Knockouts[0])
			}
		}
	})
}

// runUntilFlushed runs the service's background work to its last flush.
func runUntilFlushed(t *testing.T, s *decisioning.Service) {
	t.Helper()
	ctx, cancel := contextWithCancel(t)
	cancel()
	done := make(chan struct{})
	go func() { s.Run(ctx); close(done) }()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		t.Fatal("the last flush does not end")
	}
}

func contextWithCancel(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithCancel(t.Context())
}
