package engine_test

import (
	"regexp"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// TestDetailTellsThePointsLost checks the detail of a reason whose factor is
// near its maximum but whose points are needed to reach the better band. The
// detail states the points that were lost, which are more than 0. Such reasons
// are sorted by lost points, largest first.
func TestDetailTellsThePointsLost(t *testing.T) {
	t.Parallel()
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	d := lessonDecide(t, plan,
		`{"monthly_income":18000,"income_effective":18000,"foir":0.46,"bureau_score":740,"bureau_is_ntc":false,
		"enquiries_6m":9,"active_tradelines":7,"bureau_own_active_tradelines":7,"max_dpd_12m":45,
		"bureau_own_max_dpd_12m":45,
		"employment_type":"RETIRED","age":40,"requested_tenure_months":12,"requested_amount":100000}`)
	cost := regexp.MustCompile(`this reason cost ([0-9.]+) points in all`)
	var costs []rule.Number
	for _, r := range d.Reasons {
		text := d.Detail(r).Text
		match := cost.FindStringSubmatch(text)
		if match == nil {
			continue
		}
		n, _, ok := rule.ParseNumber(match[1])
		if !ok || n <= 0 {
			t.Errorf("%s: %s", r.Code, text)
		}
		if len(costs) > 0 && n > costs[len(costs)-1] {
			t.Errorf("%s cost more than the reason above it: %s", r.Code, text)
		}
		costs = append(costs, n)
	}
	if len(costs) < 3 {
		t.Errorf("%s for %v", d.Status, codesOf(d))
	}
}
