package engine_test

import (
	"fmt"
	"slices"
	"testing"
)

// TestFactorReasonIsTrue checks that a factor without a reason code uses the
// field's code only if the value's bin differs from the best bin in the field's
// adverse direction.
func TestFactorReasonIsTrue(t *testing.T) {
	t.Parallel()
	const rising = `{"lt":%[1]s,"points":0},{"gte":%[1]s,"points":60}`
	const falling = `{"lt":%[1]s,"points":60},{"gte":%[1]s,"points":0}`
	const middle = `{"lt":3,"points":0},{"gte":3,"lt":6,"points":60},{"gte":6,"points":0}`
	for _, c := range []struct{ field, bins, split, value, want string }{
		{"monthly_income", rising, "50000", "20000", "INC_LOW"},
		{"monthly_income", falling, "50000", "90000", "FACTOR_F"},
		{"foir", falling, "0.4", "0.5", "FOIR_HIGH"},
		{"foir", rising, "0.4", "0.1", "FACTOR_F"},
		{"age", rising, "30", "25", "FACTOR_F"},
		{"requested_amount", rising, "50000", "20000", "FACTOR_F"},
		{"enquiries_6m", middle, "", "7", "BUR_ENQ"},
		{"enquiries_6m", middle, "", "1", "FACTOR_F"},
		{"active_tradelines", rising, "3", "1", "BUR_TRADELINES"},
		{"bureau_is_ntc", `{"in":[true],"points":0},{"else":true,"points":60}`, "", "true", "BUR_NTC"},
		{"bureau_suit_or_wilful", `{"in":[false],"points":0},{"else":true,"points":60}`, "", "false", "FACTOR_F"},
	} {
		bins := c.bins
		if c.split != "" {
			bins = fmt.Sprintf(bins, c.split)
		}
		bands := `"pricing_bands":[{"id":"F","grade":"F","min_score":300,"max_score":649,"action":"decline"},
			{"id":"N","grade":"N","min_score":300,"max_score":649,"action":"decline","ntc":true},
			{"id":"M","grade":"M","min_score":650,"max_score":900,"ntc":true,"interest_rate":16,"tenure_months":36,
				"min_limit":100,"max_limit":500000,"default_limit":50000,"foir_cap":0.5},
			{"id":"P","grade":"A","min_score":650,"max_score":900,"interest_rate":16,"tenure_months":36,"min_limit":100,
				"max_limit":500000,"default_limit":50000,"foir_cap":0.5}]`
		plan := lessonPlan(t, `"semantics":2,"scorecard":{"base_points":600,"factors":[{"factor":"f","field":"`+c.field+
			`","bins":[`+bins+`]}]},`+bands)
		d := lessonDecide(t, plan, `{"`+c.field+`":`+c.value+`}`)
		if got := codesOf(d); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s of %s in %s: %v, want %s", c.field, c.value, bins, got, c.want)
		}
		if again := readPolicy(t, string(plan.Policy().Document())); again.Checksum() != plan.Checksum() {
			t.Errorf("%s: the document read back has another checksum", c.field)
		}
	}
}
