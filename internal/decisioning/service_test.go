//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package decisioning_test

import (
	"bytes"
	"testing"

	"verdict/internal/application"
	"verdict/internal/decisioning"
	"verdict/internal/document"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// decision parses a decision request.
func decision(t *testing.T, body string) application.Request {
	t.Helper()
	return application.DecisionRequest(usecasetest.Parse(t, body))
}

func TestFromSignupToAVerifiedDecision(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		var reply operation.Reply[decisioning.Decided]
		decided, err := h.Service.Decisions.Decide(t.Context(), h.Caller, decision(t, usecasetest.Sample), &reply)
		if err != nil {
			t.Fatal(err)
		}
		answer := reply.Answer(decided)
		posted, err := document.ReadDecision(answer.Body)
		if err != nil || posted.Status != "APPROVED" || posted.Grade != "B" || posted.DecisionID != decided.ID ||
			decided.Status != "APPROVED" {
			t.Fatalf("decided %s, %v", answer.Body, err)
		}
		fetched, err := h.Service.Decisions.Decision(t.Context(), h.Caller, decided.ID)
		if err != nil {
			t.Fatal(err)
		}
		if !fetched.Again.Verified || fetched.Again.RecomputedHash != posted.Hash {
			t.Errorf("re-explained as %v", fetched.Again)
		}
		if !bytes.Equal(fetched.Response, answer.Body) {
			t.Errorf("fetched %s\nposted %s", fetched.Response, answer.Body)
		}
		usage, err := h.Service.Decisions.Usage.Current(t.Context(), h.Caller)
		if err != nil || usage.Used != 1 {
			t.Errorf("used %d, %v", usage.Used, err)
		}
	})
}

func TestPreviewCompares(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		body := usecasetest.Sample[:len(usecasetest.Sample)-1] +
			`,"overrides":{"applicant.foir":0.54,"bureau_report.enquiries_6m":null},"compare":true}`
		ask, err := document.ReadWhatIf(usecasetest.Parse(t, body))
		if err != nil {
			t.Fatal(err)
		}
		previewed, err := h.Service.Decisions.Preview(t.Context(), h.Caller, ask)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := document.EncodePreviewed(previewed)
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
		if used, err := h.Service.Decisions.Usage.Current(t.Context(), h.Caller); err != nil || used.Used != 0 {
			t.Errorf("a preview was billed: %d, %v", used.Used, err)
		}
	})
}

func TestFlushKeepsWhatWasGathered(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var told []policydesk.RuleCount
		h := usecasetest.Open(t, db, usecase.Options{Hooks: usecase.Hooks{Rule: func(c policydesk.RuleCount) {
			told = append(told, c)
		}}})
		_, err := h.Service.Decisions.Decide(t.Context(), h.Caller, decision(t, usecasetest.Sample), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = h.Service.Decisions.Preview(t.Context(), h.Caller,
			decisioning.WhatIf{Request: decision(t, usecasetest.Sample)})
		if err != nil {
			t.Fatal(err)
		}
		usecasetest.RunUntilFlushed(t, h.Service)
		usage, err := h.Service.Decisions.Usage.Current(t.Context(), h.Caller)
		if err != nil || len(usage.Counts) != 2 {
			t.Errorf("counted %v, %v", usage.Counts, err)
		}
		if len(told) == 0 {
			t.Error("nobody was told how the rules fared")
		}
		page, err := h.Service.Policies.Policies(t.Context(), h.Caller, policydesk.PolicyFilter{StatsDays: 7},
			operation.List{Limit: 50})
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
