//nolint:thelper // what Each runs is the test itself: a failure belongs to its own line
package study_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// labelled are rows whose outcome follows from a column of the lender's own.
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

// TestFitSaveScoreDecide: what was fitted can be saved, scored with, and named
// by a policy as it stands.
func TestFitSaveScoreDecide(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		csv, rows := labelled(2000)
		plain, err := h.Service.Fitting.Fit(t.Context(), h.Caller, usecasetest.Parse(t, fitBody(t, map[string]any{"csv": csv, "target": "outcome"})), nil)
		if err != nil || plain.Status != 200 {
			t.Fatal(plain.Status, err)
		}
		byRows, err := h.Service.Fitting.Fit(t.Context(), h.Caller, usecasetest.Parse(t, fitBody(t, map[string]any{"rows": rows[:200], "target": "outcome", "holdout_share": 0})), nil)
		if err != nil || byRows.Status != 200 {
			t.Fatal(byRows.Status, err)
		}
		body := usecasetest.Parse(t, fitBody(t, map[string]any{"csv": csv, "target": "outcome", "save": true, "name": "Visits"}))
		saved, err := h.Service.Fitting.Fit(t.Context(), h.Caller, body, nil)
		if err != nil || saved.Status != 201 {
			t.Fatal(saved.Status, err)
		}
		card, _ := usecasetest.Object(t, saved.Body)["scorecard"].(map[string]any)
		id, _ := card["id"].(string)
		score := func(members string) any {
			answer, err := h.Service.Policies.Scorecard(t.Context(), h.Caller, usecasetest.Parse(t, members), nil)
			if err != nil {
				t.Fatal(err)
			}
			return usecasetest.Object(t, answer.Body)["final_score"]
		}
		stored := score(fmt.Sprintf(`{"scorecard_id":%q,"input":{"applicant.visits":3,"applicant.city":"Pune"}}`, id))
		document, err := json.Marshal(usecasetest.Object(t, plain.Body)["scorecard"])
		if err != nil {
			t.Fatal(err)
		}
		inline := strings.TrimSuffix(string(document), "}") + `,"input":{"applicant.visits":3,"applicant.city":"Pune"}}`
		if got := score(inline); got != stored || got == nil {
			t.Errorf("inline %v, stored %v", got, stored)
		}
	})
}

func TestFitRefusals(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		csv, _ := labelled(300)
		for name, c := range map[string]struct {
			body map[string]any
			want string
		}{
			"nothing":        {map[string]any{}, "/target"},
			"no rows":        {map[string]any{"target": "outcome"}, "/csv"},
			"two sources":    {map[string]any{"target": "outcome", "csv": csv, "rows": []any{}}, "/csv"},
			"save no name":   {map[string]any{"target": "outcome", "csv": csv, "save": true}, "/name"},
			"unknown member": {map[string]any{"target": "outcome", "csv": csv, "traget": 1}, "/traget"},
			"target":         {map[string]any{"target": "result", "csv": csv}, "/target"},
			"rows":           {map[string]any{"target": "outcome", "rows": []any{1}}, "/rows/0"},
			"pdo":            {map[string]any{"target": "outcome", "csv": csv, "pdo": -1}, "/pdo"},
			"a name twice":   {map[string]any{"target": "outcome", "csv": "outcome,outcome\n1,0\n"}, "/header/1"},
			"a long name":    {map[string]any{"target": "outcome", "csv": strings.Repeat("x", 300) + ",outcome\n1,0\n"}, "/header/0"},
		} {
			_, err := h.Service.Fitting.Fit(t.Context(), h.Caller, usecasetest.Parse(t, fitBody(t, c.body)), nil)
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

// TestFittedCardTellsReasons: who is declined by the score of a fitted card is
// told which factor cost the points, under codes that the card brings along.
func TestFittedCardTellsReasons(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		csv, _ := labelled(2000)
		body := usecasetest.Parse(t, fitBody(t, map[string]any{"csv": csv, "target": "outcome", "save": true, "name": "Visits"}))
		saved, err := h.Service.Fitting.Fit(t.Context(), h.Caller, body, nil)
		if err != nil {
			t.Fatal(err)
		}
		card, _ := usecasetest.Object(t, saved.Body)["scorecard"].(map[string]any)
		factors, _ := card["factors"].([]any)
		for _, f := range factors {
			factor, _ := f.(map[string]any)
			name, _ := factor["factor"].(string)
			if factor["reason_code"] != "FACTOR_"+strings.ToUpper(name) || factor["label"] == nil {
				t.Errorf("the factor %s has the code %v and the label %v", name, factor["reason_code"], factor["label"])
			}
		}
		draft, err := h.Service.Policies.CreateRuleSet(t.Context(), h.Caller, usecasetest.Draft(t, fitBody(t, map[string]any{
			"name": "By visits", "base": "none", "scorecard_id": card["id"],
			"pricing_bands": []any{map[string]any{
				"id": "PB", "grade": "A", "min_score": 500, "max_score": 900, "interest_rate": 14, "tenure_months": 24,
				"min_limit": 1000, "max_limit": 100000, "default_limit": 50000, "foir_cap": 0.5,
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
			answer, err := h.Service.Decisions.Preview(t.Context(), h.Caller, usecasetest.Parse(t, fmt.Sprintf(
				`{"rule_set_id":%q,"applicant":{"visits":%d,"city":"Pune","monthly_income":50000,"foir":0.1,"requested_amount":20000},"bureau_report":{"score":742}}`, draft.ID, visits)))
			if err != nil {
				t.Fatal(err)
			}
			decision := usecasetest.Object(t, answer.Body)
			if decision["status"] != "DECLINED" {
				continue
			}
			declined++
			reasons := fmt.Sprint(decision["reasons"])
			if !strings.Contains(reasons, "FACTOR_VISITS") || !strings.Contains(reasons, "scoring criteria: Visits") || strings.Contains(reasons, "NO_PRICING_BAND") {
				t.Errorf("%d visits are declined for %s", visits, reasons)
			}
		}
		if declined == 0 {
			t.Error("nobody is declined")
		}
	})
}
