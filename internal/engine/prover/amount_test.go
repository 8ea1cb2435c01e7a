package prover

import (
	"slices"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// capped returns the default policy with a cap on every limit.
func capped(t *testing.T, of string) *engine.Plan {
	t.Helper()
	return edited(t, `"semantics": 2,`, `"semantics": 2, "limit_caps": [{"id": "LC", "of": `+of+`}],`)
}

// TestCapsCeaseToHaveAValue compares caps that have a value for different applicants. A cap whose amount is too large
// has no value, and the limit is then 0. So the policies differ for the applicants between the two points at which the
// caps cease to have a value. The comparison must find such an applicant.
func TestCapsCeaseToHaveAValue(t *testing.T) {
	t.Parallel()
	income := func(amount string) string {
		return `{"op": "mul", "args": [{"value": ` + amount + `}, {"field": "monthly_income"}]}`
	}
	for name, c := range map[string]struct {
		old, changed string
		from, to     rule.Number // the incomes that are approved before the change and declined after it
	}{
		"a factor of 2.5 and one of 2.55": {
			income("2.5"), income("2.55"), rule.MaxNumber / 255 * 100, rule.MaxNumber / 25 * 10,
		},
		"a factor of 2.5 and one of 2.5001": {
			income("2.5"), income("2.5001"), rule.MaxNumber / 25_001 * 10_000, rule.MaxNumber / 25 * 10,
		},
		"a part of a sum": {
			`{"op": "add", "args": [` + income("2.5") + `, {"field": "age"}]}`,
			`{"op": "add", "args": [` + income("2.55") + `, {"field": "age"}]}`,
			rule.MaxNumber/255*100 - rule.Int(100), rule.MaxNumber / 25 * 10,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old, changed := capped(t, c.old), capped(t, c.changed)
			r := diff(t, old, changed)
			if !r.Complete {
				t.Errorf("not complete: %v", r.Incomplete)
			}
			lost := slices.DeleteFunc(slices.Clone(r.Classes), func(x Class) bool {
				return x.From.Status != engine.Approved || x.To.Status != engine.Declined
			})
			if len(lost) == 0 {
				t.Fatal("nobody who was approved is declined")
			}
			for i := range lost {
				if !lost[i].Confirmed {
					t.Errorf("%s is not confirmed", lost[i].Title())
					continue
				}
				at := slices.IndexFunc(lost[i].Witness.Facts, func(v rule.NamedValue) bool {
					return v.Name == field.MonthlyIncome
				})
				if at < 0 {
					continue // a cap without its field has no value under either policy
				}
				if n := lost[i].Witness.Facts[at].Value.Number(); n < c.from || n > c.to {
					t.Errorf("%s: the income of the witness is %v, not from %v to %v", lost[i].Title(), n, c.from, c.to)
				}
			}
			if k, _, missing := newCrowd(old, 3).unlisted(old, changed, &r, 2_000); missing {
				t.Errorf("%+v is in no class", k)
			}
		})
	}
}

// TestValueEnds checks the last income before an amount begins or ceases to have a value.
func TestValueEnds(t *testing.T) {
	t.Parallel()
	for of, want := range map[string][]string{
		`{"op": "mul", "args": [{"value": 4}, {"field": "monthly_income"}]}`:   {"250000000000"},
		`{"op": "div", "args": [{"value": 9}, {"field": "monthly_income"}]}`:   {"0"},
		`{"op": "add", "args": [{"value": 1}, {"field": "monthly_income"}]}`:   {"999999999999"},
		`{"op": "min", "args": [{"value": 1}, {"field": "monthly_income"}]}`:   nil,
		`{"op": "mul", "args": [{"value": 0.5}, {"field": "monthly_income"}]}`: nil,
		`{"op": "sub", "args": [{"op": "mul", "args": [{"value": 8}, {"field": "monthly_income"}]},
			{"op": "mul", "args": [{"value": 2}, {"field": "requested_amount"}]}]}`: {"125000000000", "500000000000"},
	} {
		p := capped(t, of)
		m := newModel(p, p, nil)
		var got []string
		for _, c := range m.tests.caps {
			if c == nil {
				continue
			}
			for _, end := range c.ends {
				got = append(got, end.last.String())
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s ends after %v, not after %v", of, got, want)
		}
	}
}
