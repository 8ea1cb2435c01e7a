package engine_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/engine/analysis"
	"verdict/internal/fault"
	"verdict/internal/field"
)

// pointsCard declines scores below 700. Its factors can lose 90, 40 and 30
// points.
const pointsCard = `"semantics":2,"scorecard":{"base_points":600,"factors":[
	 {"factor":"bureau_score","field":"bureau_score","bins":[{"lt":650,"points":-40},{"gte":650,"lt":780,"points":20},
		{"gte":780,"lt":800,"points":40},{"gte":800,"points":50}]},
	 {"factor":"foir","field":"foir","bins":[{"lt":0.1,"points":40},{"gte":0.1,"lt":0.3,"points":30},
		{"gte":0.3,"points":0}]},
	 {"factor":"income","field":"monthly_income","bins":[{"lt":50000,"points":0},{"gte":50000,"points":30}]}]},
	"pricing_bands":[{"id":"F","grade":"F","min_score":300,"max_score":699,"action":"decline"},
	 {"id":"P","grade":"A","min_score":700,"max_score":900,"interest_rate":16,"tenure_months":36,
	 "min_limit":20000,"max_limit":500000,"default_limit":50000,"foir_cap":0.5}]`

// TestPointsBeyondTheCauseAreNoReasons checks that the reasons are the largest losses whose points would put the
// applicant into a better band. A factor near its maximum is a reason only if its points are needed for that.
func TestPointsBeyondTheCauseAreNoReasons(t *testing.T) {
	t.Parallel()
	plan := lessonPlan(t, pointsCard)
	facts := func(score, foir, income string) object {
		return object{
			"bureau_score":   json.Number(score),
			"foir":           json.Number(foir),
			"monthly_income": json.Number(income),
			"bureau_is_ntc":  false,
		}
	}
	for _, c := range []struct {
		score, foir, income string
		want, texts         []string
	}{
		// 600+40+40+0: the applicant is 20 points short of the band, and the income lost 30 points, which is enough.
		{"790", "0.05", "20000", []string{"INC_LOW"}, []string{"The income is low for this loan"}},
		// 600+40+30+0: the applicant is 30 points short of the band, and the
		// income alone lost that many.
		{"790", "0.2", "20000", []string{"INC_LOW"}, []string{"The income is low for this loan"}},
		// 600-40+30+30: only the bureau score lost enough points.
		{"600", "0.2", "60000", []string{"BUR_SCORE"}, []string{"The credit bureau score is low"}},
		// 600+20+0+0: the applicant is 80 points short of the band and lost
		// 100. The bureau score is near its best but its points are needed to
		// reach the band, so it is a reason. Its text does not call the score
		// low.
		{"700", "0.4", "20000", []string{"FOIR_HIGH", "BUR_SCORE", "INC_LOW"}, []string{
			"Existing obligations are high compared with income",
			"The level of the credit bureau score", "The income is low for this loan",
		}},
	} {
		d := decide(t, plan, facts(c.score, c.foir, c.income))
		var texts []string
		for _, r := range d.Reasons {
			texts = append(texts, d.Message(r))
		}
		if got := codesOf(d); d.Status != engine.Declined || !slices.Equal(got, c.want) || !slices.Equal(texts,
			c.texts) {
			t.Errorf("score %s, FOIR %s, income %s: %s %v %q", c.score, c.foir, c.income, d.Status, got, texts)
		}
	}
}

// TestGenericCodesAreNumbered checks that two factors get different codes even
// if their names generate the same code.
func TestGenericCodesAreNumbered(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 60)
	factor := func(name, input string) string {
		return `{"factor":"` + name + `","field":"applicant.` + input +
			`","bins":[{"lt":2,"points":-100},{"gte":2,"points":0}]}`
	}
	plan := lessonPlan(t,
		`"semantics":2,"inputs":[{"name":"applicant.a","type":"number"},{"name":"applicant.b","type":"number"},
		{"name":"applicant.c","type":"number"},{"name":"applicant.d","type":"number"}],
		"scorecard":{"base_points":700,"factors":[`+strings.Join([]string{
			factor("home.city", "a"), factor("home_city", "b"), factor(long+"1", "c"), factor(long+"2", "d"),
		}, ",")+`]},
		"pricing_bands":[{"id":"P","grade":"A","min_score":650,"max_score":900,"interest_rate":16,"tenure_months":36,
		 "min_limit":20000,"max_limit":500000,"default_limit":50000,"foir_cap":0.5}]`)
	one := json.Number("1")
	d := decide(t, plan, object{"applicant.a": one, "applicant.b": one, "applicant.c": one, "applicant.d": one})
	cut := "FACTOR_" + strings.Repeat("X", 57)
	want := []string{"FACTOR_HOME_CITY", "FACTOR_HOME_CITY_2", cut, cut[:62] + "_2"}
	if got := codesOf(d); !slices.Equal(got, want) {
		t.Errorf("reasons %v", got)
	}
	found := analysis.Run(plan.Policy(), field.Catalogue())
	var keys []string
	for _, f := range found {
		if f.Code == fault.CodeNoApplicantMessage {
			keys = append(keys, f.Key)
		}
	}
	if len(keys) != 4 || keys[0] != "no_applicant_message@/scorecard/factors/home.city" {
		t.Errorf("no_applicant_message for %v", keys)
	}
}
