package prover

import (
	"maps"
	"os"
	"slices"
	"testing"

	"verdict/internal/engine"
)

// parts has edits of the default policy. Each adds a part to the policy, in two forms.
func parts() map[string][2][]string {
	member := func(text string) []string { return []string{`"semantics": 2,`, `"semantics": 2,` + text} }
	caps := func(text string) []string { return member(`"limit_caps": [` + text + `],`) }
	income := func(times string) []string {
		return caps(`{"id": "LC", "of": {"op": "mul", "args": [{"value": ` + times +
			`}, {"field": "monthly_income"}]}}`)
	}
	price := func(share string) []string {
		return member(`"inputs": [{"name": "applicant.car_price", "type": "number"}], "limit_caps": [{"id": "LC", "of":
			{"op": "mul", "args": [{"value": ` + share + `}, {"field": "applicant.car_price"}]}}],`)
	}
	young := func(age string) []string {
		return caps(`{"id": "LC", "of": {"value": 90000}, "when": {"op": "lt", "field": "age", "value": ` + age + `}}`)
	}
	segment := func(age string) []string {
		return []string{`"pricing_bands": [`, `"pricing_bands": [{"id": "PB_YOUNG", "grade": "Y", "min_score": 700,
			"max_score": 900, "when": {"op": "lt", "field": "age", "value": ` + age + `}, "action": "refer",
			"interest_rate": 17.0, "tenure_months": 24, "tenures_allowed": [12, 24], "min_limit": 20000,
			"max_limit": 200000, "default_limit": 30000, "income_multiple": 5, "foir_cap": 0.5,
			"processing_fee_pct": 1.0, "processing_fee_min": 499, "gst_pct": 18},`}
	}
	return map[string][2][]string{
		"segments": {segment("25"), segment("27")},
		"caps": {caps(`{"id": "LC", "of": {"value": 90000}}`),
			caps(`{"id": "LC", "of": {"value": 80000}}`)},
		"caps of a field":  {income("2.5"), income("2")},
		"caps of an input": {price("0.8"), price("0.85")},
		"caps with when":   {young("30"), young("31")},
		"charges": {
			member(`"charges": [{"id": "CH", "to": "third_party", "kind": "fixed", "amount": 500}],`),
			member(`"charges": [{"id": "CH", "to": "third_party", "kind": "percent", "amount": 0.5, "min": 300}],`),
		},
		"people": {member(`"people": {"score": "lowest"},`), member(`"people": {"score": "highest"},`)},
		"all incomes": {
			{`"affordability": {`, `"affordability": {"people": "all",`},
			{`"affordability": {`, `"affordability": {"people": "all",`, `["declared", "bureau"], "take": "highest"`,
				`["bureau", "declared"], "take": "first"`},
		},
	}
}

// TestPartsAreCompared compares policies with and without segments, caps, charges and people. Equal policies must be
// proved equal without a comparison of their checksums. Each difference must be found, and no applicant may show a
// difference that is not listed.
func TestPartsAreCompared(t *testing.T) {
	t.Parallel()
	all := parts()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		forms := all[name]
		plain, one, other := edited(t), edited(t, forms[0]...), edited(t, forms[1]...)
		rate := edited(t, append(slices.Clone(forms[0]), `"interest_rate": 16.0`, `"interest_rate": 16.5`)...)
		hard := name == "people" || name == "all incomes" // needs hundreds of thousands of states
		for _, c := range []struct {
			what         string
			old, changed *engine.Plan
			equal        bool
			maybe        bool // the result may be incomplete
			long         bool
		}{
			{"itself", one, one, true, false, false},
			{"a rate", one, rate, false, false, false},
			{"added", plain, one, false, name == "all incomes", name == "all incomes"},
			{"removed", other, plain, false, name == "all incomes", true},
			{"another form", one, other, false, name == "all incomes", hard},
		} {
			if c.long && os.Getenv("VERDICT_LONG") == "" {
				continue
			}
			r, err := comparePlans(c.old, c.changed, Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s, %s: %d states, %d classes, complete %v", name, c.what, r.States, len(r.Classes), r.Complete)
			if r.Equal != c.equal || !r.Complete && !c.maybe {
				t.Errorf("%s, %s: equal %v, complete %v: %v", name, c.what, r.Equal, r.Complete, r.Incomplete)
				for _, x := range r.Classes {
					if !x.Confirmed {
						t.Logf("not confirmed: %s", x.Title())
					}
				}
			}
			if !c.equal && !slices.ContainsFunc(r.Classes, func(x Class) bool { return x.Confirmed }) {
				t.Errorf("%s, %s: no difference was found: %v", name, c.what, r.Incomplete)
			}
			if k, _, missing := newCrowd(c.changed, 5).unlisted(c.old, c.changed, &r, 2_000); missing {
				t.Errorf("%s, %s: %+v is in no class", name, c.what, k)
			}
		}
	}
}

// TestCausesOfParts checks that a change of a part of the policy, such as its caps, is named as the cause.
func TestCausesOfParts(t *testing.T) {
	t.Parallel()
	for name, section := range map[string]string{
		"segments": "pricing_bands", "caps": "limit_caps", "charges": "charges", "people": "people",
	} {
		r := diff(t, edited(t), edited(t, parts()[name][0]...))
		for i := range r.Classes {
			c := &r.Classes[i]
			named := slices.ContainsFunc(c.Causes, func(at int) bool { return r.Changes[at].Section == section })
			if c.Confirmed && !named {
				t.Errorf("%s: %s has the causes %v of %v", name, c.Title(), c.Causes, r.Changes)
			}
		}
	}
}
