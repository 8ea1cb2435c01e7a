package backtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/engine"
)

// lending is a small policy that the tests modify to make challengers.
const lending = `{"name": "lending", "include_defaults": false, "required_fields": ["bureau_score"], "limit_step": 1000,
 "knockouts": [
  {"id": "KO_SCORE", "reason_code": "BUR_SCORE", "condition_ast": {"op": "lt", "field": "bureau_score", "value": 650}},
  {"id": "KO_ENQ", "reason_code": "BUR_ENQ", "condition_ast": {"op": "gt", "field": "enquiries_6m", "value": 5}},
  {"id": "RF_DPD", "action": "refer", "reason_code": "BUR_DPD",
	"condition_ast": {"op": "gte", "field": "max_dpd_12m", "value": 30}}],
 "adjustments": [{"id": "ADJ_THIN", "delta": -20, "condition_ast": {"op": "lt", "field": "active_tradelines",
	"value": 2}}],
 "scorecard": {"base_points": 600, "min_score": 300, "max_score": 900, "factors": [
  {"factor": "bureau", "field": "bureau_score", "bins": [{"lt": 700, "points": 0},
	{"gte": 700, "lt": 750, "points": 50}, {"gte": 750, "points": 100}]},
  {"factor": "foir", "field": "foir", "bins": [{"lt": 0.4, "points": 20}, {"gte": 0.4, "points": 0}],
	"missing_points": 0}]},
 "pricing_bands": [
  {"id": "F", "grade": "F", "min_score": 300, "max_score": 599, "action": "decline"},
  {"id": "B", "grade": "B", "min_score": 600, "max_score": 699, "interest_rate": 18, "tenure_months": 24,
   "min_limit": 10000, "max_limit": 100000, "default_limit": 50000, "foir_cap": 0.5},
  {"id": "A", "grade": "A", "min_score": 700, "max_score": 900, "interest_rate": 14, "tenure_months": 24,
   "min_limit": 10000, "max_limit": 200000, "default_limit": 100000, "foir_cap": 0.5}]}`

// moved has the counts of an attribution. It leaves out changes that moved no
// row.
type moved struct {
	In, Out map[string][2]int64 // by section and id: rows that the change moves alone, and rows that need the change
	Apart   [2]int64            // rows that no single change moves: swapped in and swapped out
}

func movedBy(c *Challenger) moved {
	m := moved{
		In:    map[string][2]int64{},
		Out:   map[string][2]int64{},
		Apart: [2]int64{c.SwapIn.Together, c.SwapOut.Together},
	}
	for i, ch := range c.Changes {
		name := strings.TrimSpace(ch.Section + " " + ch.ID)
		if x := c.SwapIn.ByChange[i]; x.Alone+x.Needed > 0 {
			m.In[name] = [2]int64{x.Alone, x.Needed}
		}
		if x := c.SwapOut.ByChange[i]; x.Alone+x.Needed > 0 {
			m.Out[name] = [2]int64{x.Alone, x.Needed}
		}
	}
	return m
}

// TestAttribution checks which rows are swapped in and out, and to which policy
// changes each swap is attributed.
func TestAttribution(t *testing.T) {
	t.Parallel()
	const header = "score,enquiries_6m,max_dpd_12m,active_tradelines,foir\n"
	type by = map[string][2]int64
	for _, c := range []struct {
		name  string
		edits []string
		rows  string
		want  moved
	}{
		{
			name:  "one threshold",
			edits: []string{`"bureau_score", "value": 650`, `"bureau_score", "value": 680`},
			rows:  "660,0,0,5,0.3\n690,0,0,5,0.3\n640,0,0,5,0.3\n",
			want:  moved{Out: by{"knockouts KO_SCORE": {1, 1}}},
		},
		{
			name: "a knockout less",
			edits: []string{`{"id": "KO_ENQ", "reason_code": "BUR_ENQ", ` +
				`"condition_ast": {"op": "gt", "field": "enquiries_6m", "value": 5}},`, ``},
			rows: "700,9,0,5,0.3\n640,9,0,5,0.3\n",
			want: moved{In: by{"knockouts KO_ENQ": {1, 1}}},
		},
		{
			name: "either of two would do",
			edits: []string{`"bureau_score", "value": 650`, `"bureau_score", "value": 680`,
				`"enquiries_6m", "value": 5`, `"enquiries_6m", "value": 3`},
			rows: "660,4,0,5,0.3\n660,0,0,5,0.3\n700,4,0,5,0.3\n",
			// Each of the two changes alone swaps out the first row, so the row
			// needs neither.
			want: moved{Out: by{"knockouts KO_SCORE": {2, 1}, "knockouts KO_ENQ": {2, 1}}},
		},
		{
			name: "only both together",
			edits: []string{`"bureau_score", "value": 650`, `"bureau_score", "value": 600`,
				`"enquiries_6m", "value": 5`, `"enquiries_6m", "value": 9`},
			rows: "640,7,0,5,0.3\n",
			want: moved{In: by{"knockouts KO_SCORE": {0, 1}, "knockouts KO_ENQ": {0, 1}}, Apart: [2]int64{1, 0}},
		},
		{
			name:  "one bin of a factor",
			edits: []string{`{"lt": 700, "points": 0}`, `{"lt": 700, "points": -30}`},
			rows:  "660,0,0,5,0.3\n",
			want:  moved{Out: by{"factors bureau < 700": {1, 1}}},
		},
		{
			name: "missing points, an adjustment and the base",
			edits: []string{`"missing_points": 0`, `"missing_points": -40`, `"delta": -20`, `"delta": -60`,
				`"base_points": 600`, `"base_points": 610`},
			rows: "660,0,0,5,\n660,0,0,1,0.3\n",
			want: moved{Out: by{"factors foir missing": {1, 1}, "adjustments ADJ_THIN": {1, 1}}},
		},
		{
			name: "a band that declines now",
			edits: []string{`"min_score": 600, "max_score": 699, `,
				`"min_score": 600, "max_score": 699, "action": "decline", `},
			rows: "660,0,0,5,0.3\n",
			want: moved{Out: by{"pricing_bands B": {1, 1}}},
		},
		{
			name: "another ladder",
			edits: []string{`"max_score": 599`, `"max_score": 649`, `"min_score": 600, "max_score": 699`,
				`"min_score": 650, "max_score": 699`},
			rows: "660,0,0,5,0.3\n",
			want: moved{Out: by{"pricing_bands": {1, 1}}},
		},
		{
			name: "required fields, and a referral that is none any more",
			edits: []string{`["bureau_score"]`, `["bureau_score", "foir"]`,
				`"max_dpd_12m", "value": 30`, `"max_dpd_12m", "value": 90`},
			rows: "700,0,0,5,\n700,0,60,5,0.3\n",
			want: moved{In: by{"knockouts RF_DPD": {1, 1}}, Out: by{"required_fields": {1, 1}}},
		},
		{
			name: "words change nothing",
			edits: []string{`"reason_code": "BUR_ENQ"`, `"reason_code": "ENQ", "message": "too many"`,
				`"name": "lending"`, `"name": "renamed"`},
			rows: "700,0,0,5,0.3\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := reportOf(t, header+c.rows, Setup{}, planOf(t, lending), planOf(t, edited(t, lending, c.edits...)))
			want := c.want
			if want.In == nil {
				want.In = by{}
			}
			if want.Out == nil {
				want.Out = by{}
			}
			if diff := cmp.Diff(want, movedBy(r.Challenger)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if in, out := r.Challenger.SwapIn,
				r.Challenger.SwapOut; in.Explained+in.Together != in.Count || out.Explained+out.Together != out.Count {
				t.Errorf("rows are missing in %+v or %+v", in, out)
			}
		})
	}
}

// TestHybridsReachTheOther checks that all changes together turn the champion
// into the challenger, so that the list of changes is complete.
func TestHybridsReachTheOther(t *testing.T) {
	t.Parallel()
	a := planOf(t, lending)
	b := stricter(t)
	all := func(to, from *engine.Policy) {
		for _, c := range changesBetween(a.Policy(), b.Policy()) {
			c.apply(to, from)
		}
	}
	made := hybrid(a.Policy(), b.Policy(), all)()
	csv := bookCSV(2000)
	r := newRun(t, csv, Book{}.Setup(), b, made)
	c := r.Report(merged(t, r, csv)).Challenger
	if c.SwapSet.ChampionOnly+c.SwapSet.ChallengerOnly+c.Shift.LimitHigher+c.Shift.LimitLower+c.Shift.RateHigher+
		c.Shift.RateLower > 0 {
		t.Errorf("the hybrid decides otherwise: %+v %+v", c.SwapSet, c.Shift)
	}
	if c.Matrix[0][1]+c.Matrix[0][2]+c.Matrix[1][0]+c.Matrix[1][2]+c.Matrix[2][0]+c.Matrix[2][1] > 0 {
		t.Errorf("the hybrid decides otherwise: %v", c.Matrix)
	}
}

// TestManyChanges checks that changes are grouped by section if there are more
// than maxChanges.
func TestManyChanges(t *testing.T) {
	t.Parallel()
	var more strings.Builder
	for i := range 100 {
		fmt.Fprintf(&more,
			`{"id": "KO_%d", "reason_code": "X", "condition_ast": {"op": "gt", "field": "enquiries_6m", "value": %d}},`,
			i, 10+i)
	}
	challenger := edited(t, lending, `"knockouts": [`, `"knockouts": [`+more.String(), `"base_points": 600`,
		`"base_points": 605`)
	r := reportOf(t, "score,enquiries_6m,max_dpd_12m,active_tradelines,foir\n700,4,0,5,0.3\n",
		Setup{}, planOf(t, lending), planOf(t, challenger))
	want := []PolicyChange{
		{Section: "knockouts", What: "changed", After: "100 changes"},
		{Section: "base_points", What: "changed", Before: "600", After: "605"},
	}
	if diff := cmp.Diff(want, r.Challenger.Changes); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestSoleReasons checks that the sole declines and referrals of a knockout
// equal the change in the counts if the knockout is removed.
func TestSoleReasons(t *testing.T) {
	t.Parallel()
	csv := bookCSV(1500)
	plan := stricter(t)
	report := reportOf(t, csv, Book{}.Setup(), plan, nil)
	for i, sole := range report.SoleReasons {
		if sole.Hits == 0 {
			continue
		}
		without := *plan.Policy()
		without.Knockouts = append(append([]engine.Knockout{}, without.Knockouts[:i]...), without.Knockouts[i+1:]...)
		hybrid := hybrid(&without, &without, func(_, _ *engine.Policy) {})()
		c := reportOf(t, csv, Book{}.Setup(), plan, hybrid).Challenger
		declines := c.Matrix[engine.Declined][engine.Approved] + c.Matrix[engine.Declined][engine.Referred]
		if sole.SoleDeclines != declines || sole.SoleReferrals != c.Matrix[engine.Referred][engine.Approved] {
			t.Errorf("%s alone declines %d and refers %d, without it %v",
				sole.Rule, sole.SoleDeclines, sole.SoleReferrals, c.Matrix)
		}
	}
}
