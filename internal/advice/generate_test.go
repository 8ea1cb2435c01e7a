package advice_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"verdict/internal/advice"
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// rounds returns the number of rounds of a property test: usual, or long if VERDICT_LONG is set.
func rounds(usual, long int) int {
	if os.Getenv("VERDICT_LONG") != "" {
		return long
	}
	return usual
}

// dice is a splitmix64 generator, so that a seed gives the same values with every version of Go.
type dice struct{ state uint64 }

func (d *dice) next() uint64 {
	d.state += 0x9e3779b97f4a7c15
	z := d.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (d *dice) between(low, high int64) int64 { return low + int64(d.next()%uint64(high-low+1)) }
func (d *dice) percent(p int64) bool          { return d.between(0, 99) < p }

func pick[T any](d *dice, from ...T) T { return from[d.between(0, int64(len(from))-1)] }

// compile parses and compiles a policy document.
func compile(tb testing.TB, document string) *engine.Plan {
	tb.Helper()
	p, err := engine.ParsePolicy([]byte(document), engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		tb.Fatalf("%v\n%s", err, document)
	}
	return engine.Compile(p, field.Catalogue())
}

func defaultPlan() *engine.Plan { return engine.Compile(engine.DefaultPolicy(), field.Catalogue()) }

// application generates the facts of a decision request, under their canonical names and their
// paths in the request.
func application(d *dice) *rule.Facts {
	f := rule.NewFacts(field.Catalogue())
	both := func(name, raw string, v rule.Value) {
		f.Set(name, v)
		f.Set(raw, v)
	}
	score := d.between(600, 860)
	both("bureau_score", "bureau_report.score", rule.Num(rule.Int(score)))
	f.Set("bureau_is_ntc", rule.Bool(false))
	if d.percent(5) {
		f.Set("bureau_score", rule.Value{})
		f.Set("bureau_is_ntc", rule.Bool(true))
	}
	optional := func(name, raw string, v rule.Value) {
		if d.percent(92) {
			both(name, raw, v)
		}
	}
	optional("monthly_income", "applicant.monthly_income", rule.Num(rule.Int(d.between(12, 160)*1_000)))
	foir := rule.Number(d.between(5, 75)) * 10_000
	if d.percent(20) {
		foir += rule.Number(d.between(1, 9_999)) // not on the grid of the field
	}
	optional("foir", "applicant.foir", rule.Num(foir))
	optional("enquiries_6m", "bureau_report.enquiries_6m", rule.Num(rule.Int(d.between(0, 15))))
	optional("active_tradelines", "bureau_report.active_tradelines", rule.Num(rule.Int(d.between(0, 14))))
	optional("max_dpd_12m", "bureau_report.max_dpd_12m", rule.Num(rule.Int(pick(d, int64(0), 0, 0, 15, 35, 65))))
	amount := rule.Int(d.between(5, 400) * 1_000)
	if d.percent(20) {
		amount += rule.Number(d.between(1, 99_999)) * 10_000
	}
	optional("requested_amount", "applicant.requested_amount", rule.Num(amount))
	if d.percent(60) {
		both("requested_tenure_months", "applicant.tenure_months",
			rule.Num(rule.Int(pick(d, int64(6), 12, 18, 24, 36, 48, 60, 13))))
	}
	ownAccounts(f)
	if d.percent(40) {
		f.Set("bureau_own_emi", rule.Num(rule.Int(d.between(0, 70)*1_000)))
	}
	return f
}

// ownAccounts copies the figures about all accounts to those about the applicant's own accounts,
// as the service does for a report without accounts.
func ownAccounts(f *rule.Facts) {
	for own, sent := range map[string]string{
		"bureau_own_max_dpd_12m": "max_dpd_12m", "bureau_own_active_tradelines": "active_tradelines",
	} {
		f.Set(own, f.Get(sent))
	}
}

// policy generates a policy whose rules, bins and bands depend on the actionable fields, with
// all kinds of conditions.
func policy(d *dice) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"name":"drawn","limit_step":%s,"knockouts":[`,
		pick(d, "1000", "1000", "500", "50", "5000", "333.33"))
	for i := range d.between(1, 4) {
		if i > 0 {
			b.WriteByte(',')
		}
		stage, condition := 1, onField(d)
		if d.percent(35) {
			stage, condition = 2, onOffer(d)
		}
		fmt.Fprintf(&b, `{"id":"K%d","stage":%d,"action":%q,"reason_code":"R","condition_ast":%s}`,
			i, stage, pick(d, "refer", "decline"), condition)
	}
	fmt.Fprintf(&b,
		`],"adjustments":[{"id":"A","delta":%d,"condition_ast":%s}],"scorecard":{"base_points":%d,"factors":[`,
		d.between(-40, 20), onField(d), d.between(620, 700))
	fmt.Fprintf(&b, `{"factor":"f","field":"foir","bins":%s},`, bins(d, func() int64 { return d.between(5, 70) }, 2))
	fmt.Fprintf(&b, `{"factor":"e","field":"enquiries_6m","bins":%s},`,
		bins(d, func() int64 { return d.between(1, 12) }, 0))
	fmt.Fprintf(&b, `{"factor":"a","field":"requested_amount","bins":%s}]},"pricing_bands":[`,
		bins(d, func() int64 { return d.between(1, 40) * 10_000 }, 0))
	low := int64(300)
	for i := 0; low <= 900; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		high := min(900, low+d.between(200, 350))
		if low > 300 {
			high = min(900, low+d.between(15, 60))
		}
		least := d.between(5, 60) * 1_000
		fmt.Fprintf(&b,
			`{"id":"B%d","grade":"G%d","min_score":%d,"max_score":%d,"action":%q,"interest_rate":%d,`+
				`"tenure_months":24,`+
				`"tenures_allowed":%s,"min_limit":%d,"max_limit":%d,"default_limit":%d,"foir_cap":%s}`,
			i, i, low, high, pick(d, "approve", "approve", "refer", "decline"), d.between(8, 28),
			pick(d, "[12,24,36]", "[24]", "[6,18,24,60]"), least, least+d.between(0, 300)*1_000, least,
			pick(d, "0.4", "0.5", "0.555", "0.6"))
		low = high + 1
	}
	b.WriteString(`]}`)
	return b.String()
}

// onField generates a condition on an actionable field: with a constant, a set, a range, another
// field or arithmetic.
func onField(d *dice) string {
	number := func(name string) int64 {
		switch name {
		case "requested_amount", "applicant.requested_amount":
			return d.between(5, 400) * 1_000
		case "requested_tenure_months":
			return d.between(6, 60)
		default:
			return d.between(0, 14)
		}
	}
	name := pick(d, "requested_amount", "applicant.requested_amount", "enquiries_6m", "requested_tenure_months")
	switch d.between(0, 9) {
	case 0:
		return fmt.Sprintf(`{"op":"gt","field":"applicant.foir","value":0.%02d}`, d.between(10, 70))
	case 1:
		low := number(name)
		return fmt.Sprintf(`{"op":"between","field":%q,"min":%d,"max":%d}`, name, low, low+d.between(0, 50_000))
	case 2:
		return fmt.Sprintf(`{"op":"in","field":"enquiries_6m","values":[%d,%d]}`, d.between(0, 12), d.between(0, 12))
	case 3:
		return fmt.Sprintf(
			`{"op":"gt","left":{"op":"div","args":[{"field":"requested_amount"},{"field":"monthly_income"}]},
				"right":{"value":%d}}`,
			d.between(1, 8))
	case 4:
		return `{"op":"gt","left":{"field":"enquiries_6m"},"right":{"field":"active_tradelines"}}`
	case 5:
		return fmt.Sprintf(
			`{"op":"and","args":[{"op":"gte","field":"foir","value":0.%02d},
				{"op":"not","arg":{"op":"lte","field":%q,"value":%d}}]}`,
			d.between(10, 60), name, number(name))
	case 6:
		return fmt.Sprintf(`{"op":"lt","left":{"value":%d},"right":{"field":%q}}`, number(name), name)
	default:
		return fmt.Sprintf(`{"op":%q,"field":%q,"value":%d}`,
			pick(d, "gt", "gte", "lt", "eq", "ne"), name, number(name))
	}
}

// onOffer generates a Stage 2 condition on a value of the offer.
func onOffer(d *dice) string {
	switch d.between(0, 4) {
	case 0:
		return fmt.Sprintf(`{"op":"gt","field":"post_offer_foir","value":0.%02d}`, d.between(20, 60))
	case 1:
		return fmt.Sprintf(`{"op":"between","field":"offer_emi","min":%d,"max":%d}`,
			d.between(500, 5_000), d.between(5_000, 20_000))
	case 2:
		return `{"op":"lt","left":{"field":"offer_limit"},"right":{"field":"requested_amount"}}`
	case 3:
		return fmt.Sprintf(`{"op":"gt","field":"offer_apr","value":%d}`, d.between(9, 28))
	default:
		return fmt.Sprintf(`{"op":"gt","field":"offer_limit","value":%d}`, d.between(10, 300)*1_000)
	}
}

// bins returns three half-open ranges. Their points are random, so they need not rise or fall.
func bins(d *dice, cut func() int64, places int) string {
	a, b := cut(), cut()
	for a == b {
		b = cut()
	}
	write := func(n int64) string {
		if places == 2 {
			return fmt.Sprintf("0.%02d", n)
		}
		return fmt.Sprint(n)
	}
	low, high := write(min(a, b)), write(max(a, b))
	return fmt.Sprintf(`[{"lt":%s,"points":%d},{"gte":%s,"lt":%s,"points":%d},{"gte":%s,"points":%d}]`,
		low, d.between(-30, 30), low, high, d.between(-30, 30), high, d.between(-30, 30))
}

// improve calls advice.Improve and fails the test on an error.
func improve(
	tb testing.TB, plan *engine.Plan, facts *rule.Facts, d *engine.Decision, o advice.Options,
) []advice.Improvement {
	tb.Helper()
	list, err := advice.Improve(plan, facts, d, o)
	if err != nil {
		tb.Fatal(err)
	}
	return list
}

// complete calls advice.Complete with a nil check and fails the test on an error.
func complete(tb testing.TB, plan *engine.Plan, facts *rule.Facts, d *engine.Decision) advice.Completeness {
	tb.Helper()
	c, err := advice.Complete(plan, facts, d, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}
