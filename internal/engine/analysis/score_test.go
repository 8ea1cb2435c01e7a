package analysis_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/engine"
	"verdict/internal/engine/analysis"
	"verdict/internal/fault"
	"verdict/internal/field"
)

// TestSpecialBinIsInNoOrder checks that the points of special values are
// ignored when the points of the ranges are checked for order. It also checks
// that a bin without any value is reported.
func TestSpecialBinIsInNoOrder(t *testing.T) {
	t.Parallel()
	codes := func(bins string) (list []string) {
		document := `{"name": "x", "include_defaults": false,
			"scorecard": {"base_points": 600, "factors": [{"factor": "DPD", "field": "max_dpd_12m", "bins": [` + bins +
			`]}]},
			"pricing_bands": [{"id": "PB", "grade": "A", "min_score": 300, "max_score": 900, "interest_rate": 12,
				"tenure_months": 12, "min_limit": 1000, "max_limit": 100000, "default_limit": 1000, "foir_cap": 0.5}]}`
		policy, err := engine.ParsePolicy([]byte(document), engine.Sources{Catalogue: field.Catalogue()})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range analysis.Run(policy, field.Catalogue()) {
			if f.Code == fault.CodeNonMonotoneBins || f.Code == fault.CodeDeadBin {
				list = append(list, f.Code)
			}
		}
		return list
	}
	for name, c := range map[string]struct {
		bins string
		want []string
	}{
		"as a range": {`{"lt": 30, "points": 40}, {"gte": 30, "lt": 999, "points": 10}, {"gte": 999, "points": 20}`,
			[]string{fault.CodeNonMonotoneBins}},
		"as a special": {`{"lt": 30, "points": 40}, {"gte": 30, "points": 10}, {"special": [999], "points": 20}`,
			nil},
		"never sent": {`{"lt": 30, "points": 40}, {"gte": 30, "points": 10}, {"special": [-1], "points": 20}`,
			[]string{fault.CodeDeadBin}},
		"takes all of it": {`{"lt": 1, "points": 40}, {"gte": 1, "points": 10}, {"special": [0], "points": 20}`,
			[]string{fault.CodeDeadBin}},
	} {
		if diff := cmp.Diff(c.want, codes(c.bins)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
