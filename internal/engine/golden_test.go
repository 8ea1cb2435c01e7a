package engine_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/golden"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// TestGoldenDecisions decides every testdata/decisions/*.txtar file. The
// comment of each file says what the file shows. A file contains the policy (or
// the line "default policy"), the facts, the wanted decision and its hash. It
// also contains the rules that could not be evaluated, the sentences for the
// lender and, if the file has a section for it, the Stage 1 result.
func TestGoldenDecisions(t *testing.T) {
	t.Parallel()
	goldenFiles(t, "testdata/decisions/*.txtar",
		[]string{"decision.json", "hash", "not_evaluated", "text", "eligibility.json"},
		func(t *testing.T, archive *txtar.Archive) []txtar.File {
			t.Helper()
			plan := goldenPlan(t, archive)
			facts := goldenFacts(t, golden.Section(archive, "facts.json"))
			var d engine.Decision
			plan.Decide(facts, &d)
			goldenInvariants(t, plan, facts, &d)
			var w wire.Writer
			d.Write(&w, &engine.Envelope{})
			out := []txtar.File{
				{Name: "decision.json", Data: goldenJSON(t, w.Buf)},
				{Name: "hash", Data: []byte(d.Hash() + "\n")},
				{Name: "not_evaluated", Data: goldenMissing(&d)},
				{Name: "text", Data: []byte(strings.Join(d.Text(), "\n") + "\n")},
			}
			if goldenHas(archive, "eligibility.json") {
				var e engine.Eligibility
				plan.Eligible(facts, &e)
				var w wire.Writer
				e.Write(&w, &engine.Envelope{})
				out = append(out, txtar.File{Name: "eligibility.json", Data: goldenJSON(t, w.Buf)})
			}
			return out
		})
}

// goldenFiles runs one subtest for each file. The function answer computes the
// sections named in answers from the other sections. They must equal the
// sections in the file; with -update they replace those sections.
func goldenFiles(t *testing.T, pattern string, answers []string, answer func(*testing.T, *txtar.Archive) []txtar.File) {
	t.Helper()
	answered := func(section string) bool { return slices.Contains(answers, section) }
	golden.Archives(t, pattern, answered, func(t *testing.T, _, stored *txtar.Archive) []txtar.File {
		t.Helper()
		return answer(t, stored)
	})
}

func goldenHas(archive *txtar.Archive, name string) bool {
	return slices.ContainsFunc(archive.Files, func(f txtar.File) bool { return f.Name == name })
}

// goldenPlan compiles the policy of the file, or the default policy if the
// comment of the file says "default policy".
func goldenPlan(t *testing.T, archive *txtar.Archive) *engine.Plan {
	t.Helper()
	document := golden.Section(archive, "policy.json")
	if document == nil {
		if !bytes.Contains(archive.Comment, []byte("\ndefault policy\n")) {
			t.Fatal(`the file has neither a policy.json nor the line "default policy"`)
		}
		return engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	}
	return goldenCompile(t, string(document))
}

// goldenCompile parses and compiles a valid policy.
func goldenCompile(tb testing.TB, document string) *engine.Plan {
	tb.Helper()
	policy, err := engine.ParsePolicy([]byte(document), engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		tb.Fatal(err)
	}
	return engine.Compile(policy, field.Catalogue())
}

// goldenFacts reads facts. Every name must be a field or a path that a policy
// can declare, because a misspelt name would be silently absent.
func goldenFacts(tb testing.TB, document []byte) *rule.Facts {
	tb.Helper()
	v, err := wire.Parse(document)
	if err != nil {
		tb.Fatal(err)
	}
	for name := range v.Members() {
		if _, known := field.Catalogue().Lookup(name); !known && !field.Declarable(name) {
			tb.Fatalf("%s is not a field", name)
		}
	}
	facts, err := rule.ReadFacts(v, field.Catalogue())
	if err != nil {
		tb.Fatal(err)
	}
	// Copy the sent values to the applicant's own fields, as for a report
	// without accounts.
	for own, sent := range map[string]string{
		"bureau_own_max_dpd_12m": "max_dpd_12m", "bureau_own_active_tradelines": "active_tradelines",
		"bureau_own_emi": "bureau_total_emi", "bureau_own_overdue_amount": "bureau_overdue_amount",
		"bureau_own_written_off_36m": "bureau_written_off_36m", "bureau_own_suit_or_wilful": "bureau_suit_or_wilful",
	} {
		if value := facts.Get(sent); value.Type() != rule.Absent && facts.Get(own).Type() == rule.Absent {
			facts.Set(own, value)
		}
	}
	return facts
}

func goldenMissing(d *engine.Decision) []byte {
	var b strings.Builder
	for _, n := range d.NotEvaluated() {
		missing := "nothing is missing, and there is no result"
		if len(n.Missing) > 0 {
			missing = strings.Join(n.Missing, ", ")
		}
		fmt.Fprintf(&b, "%s: %s\n", n.ID, missing)
	}
	return []byte(b.String())
}

// goldenInvariants checks the invariants that every decision must satisfy.
func goldenInvariants(t *testing.T, plan *engine.Plan, facts *rule.Facts, d *engine.Decision) {
	t.Helper()
	var sum rule.Number
	for _, c := range d.Contributions() {
		sum += c.Points
	}
	for _, r := range d.Rules() {
		sum += r.Delta
	}
	if sum != d.FinalScore {
		t.Errorf("points and deltas add up to %s, the final score is %s", sum, d.FinalScore)
	}
	if len(d.Reasons) > engine.MaxReasons || d.Status == engine.Declined && len(d.Reasons) == 0 {
		t.Errorf("%s with the reasons %v", d.Status, d.Reasons)
	}
	for i, r := range d.Reasons {
		if r.Rank != i+1 {
			t.Errorf("reason %d has rank %d", i, r.Rank)
		}
	}
	if o := &d.Offer; d.Status == engine.Declined && (o.Made || o.LimitPaise != 0) ||
		o.HasCapacity && o.InstalmentPaise > o.CapacityPaise {
		t.Errorf("%s with the offer %+v", d.Status, *o)
	}
	digest := sha256.Sum256(d.Canonical())
	if want := "sha256:" + hex.EncodeToString(digest[:]); d.Hash() != want {
		t.Errorf("the hash is %s, that of the canonical bytes %s", d.Hash(), want)
	}
	// The hash computed from the response alone is the same. It changes if the response is altered.
	var answer wire.Writer
	env := &engine.Envelope{DecisionID: "dec_1", ValidUntil: "2026-11-18T18:29:59Z", CreatedAt: "2026-11-15T00:12:00Z"}
	d.Write(&answer, env)
	v, err := wire.Parse(answer.Buf)
	if err != nil || engine.ResponseHash(v) != d.Hash() {
		t.Errorf("the answer's own hash is another: %v\n%s", err, answer.Buf)
	}
	// Reading the response back returns the values of the decision.
	if diff := cmp.Diff(d.Answer(env), engine.ReadAnswer(v), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the answer is read as another (-decided +read):\n%s", diff)
	}
	altered := bytes.Replace(answer.Buf, []byte(`"limit":`), []byte(`"limit":1`), 1)
	if v, err := wire.Parse(altered); err != nil || engine.ResponseHash(v) == d.Hash() {
		t.Errorf("an altered answer has the same hash (%v)", err)
	}
	// A reused Decision gives the same result.
	before := d.Canonical()
	var reused engine.Decision
	plan.Decide(rule.NewFacts(field.Catalogue()), &reused)
	plan.Decide(facts, &reused)
	if !bytes.Equal(before, reused.Canonical()) {
		t.Errorf("a reused decision differs:\n%s\n%s", before, reused.Canonical())
	}
}

// goldenJSON formats JSON for reading: values that fit on a line stay on one
// line.
func goldenJSON(t *testing.T, document []byte) []byte {
	t.Helper()
	v, err := wire.Parse(document)
	if err != nil {
		t.Fatal(err)
	}
	return append(appendNeat(nil, v, ""), '\n')
}

func appendNeat(dst []byte, v wire.Value, indent string) []byte {
	const width = 110
	if line := appendLine(nil, v); len(line)+len(indent) <= width && indent != "" {
		return append(dst, line...)
	}
	inner := indent + "  "
	first := true
	lead := func() {
		if !first {
			dst = append(dst, ',')
		}
		dst = append(append(dst, '\n'), inner...)
		first = false
	}
	switch v.Kind() {
	case wire.Object:
		dst = append(dst, '{')
		for name, member := range v.Members() {
			lead()
			dst = append(wire.AppendString(dst, name), ": "...)
			dst = appendNeat(dst, member, inner)
		}
		return append(append(append(dst, '\n'), indent...), '}')
	case wire.Array:
		dst = append(dst, '[')
		for _, element := range v.Elements() {
			lead()
			dst = appendNeat(dst, element, inner)
		}
		return append(append(append(dst, '\n'), indent...), ']')
	default:
		return appendLine(dst, v)
	}
}

func appendLine(dst []byte, v wire.Value) []byte {
	switch v.Kind() {
	case wire.Object:
		dst = append(dst, '{')
		for name, member := range v.Members() {
			if dst[len(dst)-1] != '{' {
				dst = append(dst, ", "...)
			}
			dst = append(wire.AppendString(dst, name), ": "...)
			dst = appendLine(dst, member)
		}
		return append(dst, '}')
	case wire.Array:
		dst = append(dst, '[')
		for i, element := range v.Elements() {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendLine(dst, element)
		}
		return append(dst, ']')
	case wire.String:
		return wire.AppendString(dst, v.Text())
	case wire.Number:
		return append(dst, v.Text()...)
	case wire.Bool:
		return fmt.Appendf(dst, "%t", v.IsTrue())
	default:
		return append(dst, "null"...)
	}
}

// TestGoldenVectors checks the results of the default policy. The wanted
// numbers are written here and not in a golden file, so that -update cannot
// hide a change.
func TestGoldenVectors(t *testing.T) {
	t.Parallel()
	type vector struct {
		Status, Grade, Score string
		Limit, Rate, EMI     string
		Months               int
		APR                  string
		Indicative           bool
	}
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	for _, c := range []struct {
		name, facts string
		want        vector
	}{
		{
			"742 sample",
			`{
				"bureau_score":742,"bureau_is_ntc":false,"monthly_income":85000,"foir":0.32,"enquiries_6m":2,
				"active_tradelines":4,"max_dpd_12m":0
			}`,
			vector{
				Status: "APPROVED",
				Grade:  "B",
				Score:  "712",
				Limit:  "500000",
				Rate:   "16",
				EMI:    "14170",
				Months: 48,
				APR:    "17.33",
			},
		},
		{
			"781 alone",
			`{"bureau_score":781,"bureau_is_ntc":false}`,
			vector{
				Status: "APPROVED",
				Grade:  "B",
				Score:  "710",
				Limit:  "50000",
				Rate:   "16",
				EMI:    "1417",
				Months: 48,
				APR:    "17.33",
			},
		},
		{
			"560",
			`{"bureau_score":560,"bureau_is_ntc":false}`,
			vector{Status: "DECLINED", Grade: "F", Score: "590", Limit: "0", Rate: "0", EMI: "0", APR: "0"},
		},
		{
			"-1 alone",
			`{"bureau_is_ntc":true}`,
			vector{
				Status:     "REFERRED",
				Grade:      "NTC",
				Score:      "650",
				Limit:      "20000",
				Rate:       "20",
				EMI:        "1018",
				Months:     24,
				APR:        "23.14",
				Indicative: true,
			},
		},
		{
			"-1 salaried",
			`{
				"bureau_is_ntc":true,"monthly_income":45000,"foir":0.10,"enquiries_6m":1,"active_tradelines":0,
				"employment_type":"SALARIED"
			}`,
			vector{
				Status: "APPROVED",
				Grade:  "NTC",
				Score:  "678",
				Limit:  "100000",
				Rate:   "20",
				EMI:    "5090",
				Months: 24,
				APR:    "23.14",
			},
		},
	} {
		var d engine.Decision
		plan.Decide(goldenFacts(t, []byte(c.facts)), &d)
		hundredths := func(n int64) string { return string(wire.AppendDecimal(nil, n, 2)) }
		got := vector{
			Status: d.Status.String(), Grade: d.Grade, Score: d.FinalScore.String(),
			Limit: hundredths(d.Offer.LimitPaise), Rate: hundredths(d.Offer.RateBP),
			EMI:    hundredths(d.Offer.InstalmentPaise),
			Months: d.Offer.TenureMonths, APR: hundredths(d.Offer.APR), Indicative: d.Offer.Indicative,
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestGoldenSample checks the response that the documentation shows, with
// amounts exact to the paisa.
func TestGoldenSample(t *testing.T) {
	t.Parallel()
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	var d engine.Decision
	plan.Decide(goldenFacts(t, []byte(`{"bureau_score":742,"bureau_is_ntc":false,"monthly_income":85000,"foir":0.32,
		"enquiries_6m":2,"active_tradelines":4,"max_dpd_12m":0,"requested_amount":600000}`)), &d)
	var w wire.Writer
	d.Write(&w, &engine.Envelope{ValidUntil: "2026-11-18T18:29:59Z"})
	v, err := wire.Parse(w.Buf)
	if err != nil {
		t.Fatal(err)
	}
	for member, want := range map[string]string{
		"offer": `{"limit": 500000, "currency": "INR", "requested_amount": 600000, "is_counter_offer": true, ` +
			`"interest_rate": 16, "rate_type": "fixed", "method": "reducing_balance", "tenure_months": 48, ` +
			`"emi": 14170, "last_emi": 14179.38, ` +
			`"processing_fee": 10000, "processing_fee_gst": 1800, "net_disbursed": 488200, ` +
			`"total_interest": 180169.38, "total_payable": 680169.38, "apr": 17.33, ` +
			`"max_emi": 19550, "post_offer_foir": 0.4867, "binding_constraint": "band_max_limit", ` +
			`"pricing_band_id": "PB_B", "valid_until": "2026-11-18T18:29:59Z", ` +
			`"conditions": [{"code": "ECONOMIC_PROFILE", "text": "Age and occupation on record before disbursal"}], ` +
			`"alternatives": [{"limit": 500000, "tenure_months": 36, "emi": 17579}]}`,
		"reasons": `[{"code": "AMT_BAND_CAP", ` +
			`"message": "The amount offered is the most available for this application", "rank": 1, ` +
			`"detail": {"field": "requested_amount", "value": 600000, "threshold": 500000, ` +
			`"text": "PB_B maximum 500000"}}]`,
	} {
		if diff := cmp.Diff(want, string(appendLine(nil, v.Get(member)))); diff != "" {
			t.Errorf("%s:\n%s", member, diff)
		}
	}
	contributions := `[{"factor": "base", "points": 650}, {"factor": "bureau_score", "points": 28}, ` +
		`{"factor": "foir", "points": 8}, ` +
		`{"factor": "monthly_income", "points": 8}, {"factor": "enquiries_6m", "points": 5}, ` +
		`{"factor": "active_tradelines", "points": 8}, ` +
		`{"factor": "max_dpd_12m", "points": 10}]`
	got := string(appendLine(nil, v.Get("explanation").Get("score_contributions")))
	if diff := cmp.Diff(contributions, got); diff != "" {
		t.Error(diff)
	}
}
