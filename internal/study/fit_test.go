//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package study_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"verdict/internal/application"
	"verdict/internal/decisioning"
	"verdict/internal/document"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/policydesk"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/study"
	"verdict/internal/training"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// labelled returns n rows, as CSV and as objects. Their outcome depends on the column
// "visits".
func labelled(n int) (csv string, rows []map[string]any) {
	var b strings.Builder
	b.WriteString("visits,city,outcome\n")
	for i := range n {
		visits, city, outcome := i*7%20, []string{"Pune", "Delhi", "Kochi"}[i%3], "good"
		if (i*i+visits*visits*3)%97 < 4*visits {
			outcome = "bad"
		}
		fmt.Fprintf(&b, "%d,%s,%s\n", visits, city, outcome)
		rows = append(rows, map[string]any{"visits": visits, "city": city, "outcome": outcome})
	}
	return b.String(), rows
}

func fitBody(t *testing.T, members map[string]any) string {
	t.Helper()
	body, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// visitsOf returns a request to fit a scorecard to the column "outcome".
func visitsOf(csv string) study.FitRequest {
	r := study.FitRequest{Options: training.Defaults(), Rows: csv}
	r.Options.Target = "outcome"
	return r
}

func readFit(t *testing.T, members map[string]any) study.FitRequest {
	t.Helper()
	r, err := document.ReadFit(usecasetest.Parse(t, fitBody(t, members)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFitSaveScoreDecide checks that a scorecard is saved only if the request asks for
// it. The saved scorecard gives the same score as an unsaved scorecard that was fitted
// to the same rows.
func TestFitSaveScoreDecide(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		csv, rows := labelled(2000)
		plain, err := h.Service.Fitting.Fit(t.Context(), h.Caller, visitsOf(csv), nil)
		if err != nil || plain.Saved != nil || document.EncodeFitted(plain).Status != 200 {
			t.Fatal(plain.Saved, err)
		}
		byRows := readFit(t, map[string]any{"rows": rows[:200], "target": "outcome", "holdout_share": 0})
		if got, err := h.Service.Fitting.Fit(t.Context(), h.Caller, byRows, nil); err != nil || got.Saved != nil {
			t.Fatal(got.Saved, err)
		}
		body := readFit(t, map[string]any{"csv": csv, "target": "outcome", "save": true, "name": "Visits"})
		saved, err := h.Service.Fitting.Fit(t.Context(), h.Caller, body, nil)
		if err != nil || saved.Saved == nil || document.EncodeFitted(saved).Status != 201 {
			t.Fatal(saved.Saved, err)
		}
		id := saved.Saved.ID
		applicant := engine.OneApplicant([]rule.NamedValue{
			{Name: "applicant.visits", Value: rule.Num(rule.Int(3))}, {Name: "applicant.city", Value: rule.Str("Pune")},
		})
		score := func(ask policydesk.Scoring) rule.Number {
			ask.Applicants = applicant
			scores, err := h.Service.Policies.Score(t.Context(), h.Caller, ask, nil)
			if err != nil {
				t.Fatal(err)
			}
			return scores.List[0].Final
		}
		stored := score(policydesk.Scoring{ScorecardID: id})
		if got := score(policydesk.Scoring{Card: plain.Card}); got != stored || got == 0 {
			t.Errorf("inline %v, stored %v", got, stored)
		}
	})
}

func TestFitRefusals(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		csv, _ := labelled(300)
		unnamed, elsewhere, scaled := visitsOf(csv), visitsOf(csv), visitsOf(csv)
		unnamed.Save = true
		elsewhere.Options.Target = "result"
		scaled.Options.PDO = -rule.One
		for name, c := range map[string]struct {
			request study.FitRequest
			want    string
		}{
			"save no name": {unnamed, "/name"},
			"target":       {elsewhere, "/target"},
			"pdo":          {scaled, "/pdo"},
			"a name twice": {visitsOf("outcome,outcome\n1,0\n"), "/header/1"},
			"a long name":  {visitsOf(strings.Repeat("x", 300) + ",outcome\n1,0\n"), "/header/0"},
		} {
			_, err := h.Service.Fitting.Fit(t.Context(), h.Caller, c.request, nil)
			var refusal *fault.Error
			if !errors.As(err, &refusal) || len(refusal.Items) == 0 || refusal.Items[0].Pointer != c.want {
				t.Errorf("%s: %v", name, err)
			}
			if refusal != nil && refusal.Code != fault.CodeInvalidField && refusal.Code != fault.CodeUnknownField {
				t.Errorf("%s: the code %s, which the contract does not have", name, refusal.Code)
			}
		}
	})
}

// TestFittedCardTellsReasons checks the reasons of an applicant whom the score of a fitted scorecard declines. The
// reasons must be the factors that cost points, with the codes of the scorecard.
func TestFittedCardTellsReasons(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		csv, _ := labelled(2000)
		body := visitsOf(csv)
		body.Save, body.Options.Name = true, "Visits"
		saved, err := h.Service.Fitting.Fit(t.Context(), h.Caller, body, nil)
		if err != nil {
			t.Fatal(err)
		}
		card, _ := usecasetest.Object(t, document.EncodeFitted(saved).Body)["scorecard"].(map[string]any)
		factors, _ := card["factors"].([]any)
		for _, f := range factors {
			factor, _ := f.(map[string]any)
			name, _ := factor["factor"].(string)
			if factor["reason_code"] != "FACTOR_"+strings.ToUpper(name) || factor["label"] == nil {
				t.Errorf("the factor %s has the code %v and the label %v", name, factor["reason_code"], factor["label"])
			}
		}
		draft, err := h.Service.Policies.CreateRuleSet(t.Context(), h.Caller,
			usecasetest.Draft(t, fitBody(t, map[string]any{
				"name":         "By visits",
				"base":         "none",
				"scorecard_id": card["id"],
				"pricing_bands": []any{map[string]any{
					"id":            "PB",
					"grade":         "A",
					"min_score":     500,
					"max_score":     900,
					"interest_rate": 14,
					"tenure_months": 24,
					"min_limit":     1000,
					"max_limit":     100000,
					"default_limit": 50000,
					"foir_cap":      0.5,
				}},
			})), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range draft.Findings {
			if f.Code == fault.CodeNoApplicantMessage {
				t.Errorf("a code of the fitted card is said to have no text: %s", f.Detail)
			}
		}
		declined := 0
		for visits := range 20 {
			request := application.DecisionRequest(usecasetest.Parse(t, fmt.Sprintf(
				`{
					"applicant":{"visits":%d,"city":"Pune","monthly_income":50000,"foir":0.1,"requested_amount":20000},
					"bureau_report":{"score":742}
				}`, visits)))
			previewed, err := h.Service.Decisions.Preview(t.Context(), h.Caller,
				decisioning.WhatIf{Request: request, RuleSetID: draft.ID})
			if err != nil {
				t.Fatal(err)
			}
			decision := previewed.Variant.Answer()
			if decision.Status != "DECLINED" {
				continue
			}
			declined++
			reasons := fmt.Sprint(decision.Reasons)
			if !strings.Contains(reasons, "FACTOR_VISITS") || !strings.Contains(reasons, "scoring criteria: Visits") ||
				strings.Contains(reasons, "NO_PRICING_BAND") {
				t.Errorf("%d visits are declined for %s", visits, reasons)
			}
		}
		if declined == 0 {
			t.Error("nobody is declined")
		}
	})
}
