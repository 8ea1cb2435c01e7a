package prover

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"verdict/internal/engine"
	"verdict/internal/engine/prover/smt"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// projected returns the plan of a policy whose decisions depend on Stage 1, the score and the bands alone: every limit
// is offered, all offers have the same terms besides the rate, and there is no Stage 2.
func projected(p *engine.Policy) *engine.Plan {
	q := *p
	q.Terms, q.LimitCaps, q.Charges, q.Exposure = nil, nil, nil, nil
	q.Knockouts = slices.DeleteFunc(slices.Clone(q.Knockouts), func(k engine.Knockout) bool { return k.Stage == 2 })
	q.LimitStepPaise = 100_00
	q.Bands = slices.Clone(p.Bands)
	for i := range q.Bands {
		b := &q.Bands[i]
		b.Priced, b.TenureMonths, b.Tenures = true, 12, []int{12}
		b.MinLimitPaise, b.MaxLimitPaise, b.DefaultLimitPaise = 0, 100_00, 100_00
		b.HasIncomeMultiple, b.FOIRCap, b.FeePct, b.FeeMinPaise, b.GSTPct = false, 100*rule.One, 0, 0, 0
	}
	return engine.Compile(&q, field.Catalogue())
}

// differs reports whether a class is a difference in status, grade or rate.
func (c *Class) differs() bool {
	return c.From.Status != c.To.Status || c.From.Grade != c.To.Grade || c.From.RateBP != c.To.RateBP
}

// breeder makes full-sized policies: mutations and recombinations of the default policy.
type breeder struct {
	*rand.Rand
	tb testing.TB
}

// mutant returns a document with some values changed and perhaps some entries left out or in another order.
func (b *breeder) mutant(document []byte, changes int) []byte {
	var policy map[string]any
	if err := json.Unmarshal(document, &policy); err != nil {
		b.tb.Fatal(err)
	}
	last := document
	for range changes {
		if b.IntN(6) == 0 {
			name := []string{"knockouts", "adjustments"}[b.IntN(2)]
			if list, _ := policy[name].([]any); len(list) > 0 {
				at := b.IntN(len(list))
				policy[name] = slices.Delete(slices.Clone(list), at, at+1)
			}
		} else {
			list := spots(policy)
			s := list[b.IntN(len(list))]
			s.set(s.changed)
		}
		data, ok := valid(b.tb, policy)
		if !ok {
			if err := json.Unmarshal(last, &policy); err != nil {
				b.tb.Fatal(err)
			}
			continue
		}
		last = data
	}
	return last
}

// child returns a document that has each section from one of two documents.
func (b *breeder) child(x, y []byte) []byte {
	var mother, father map[string]any
	if json.Unmarshal(x, &mother) != nil || json.Unmarshal(y, &father) != nil {
		b.tb.Fatal("a document cannot be read")
	}
	for _, name := range []string{"knockouts", "adjustments", "scorecard", "pricing_bands", "people", "required_fields"} {
		if b.IntN(2) == 0 {
			mother[name] = father[name]
		}
	}
	data, ok := valid(b.tb, mother)
	if !ok {
		return x
	}
	return data
}

// pair returns two policies. Every third pair has bands with conditions, every fourth one chooses among scores.
func (b *breeder) pair(i int) (old, changed []byte) {
	base := string(engine.DefaultPolicyJSON())
	edit := func(pairs []string) {
		for k := 0; k < len(pairs); k += 2 {
			base = strings.Replace(base, pairs[k], pairs[k+1], 1)
		}
	}
	if i%3 == 1 {
		edit(parts()["segments"][b.IntN(2)])
	}
	if i%4 == 2 {
		edit(parts()["people"][b.IntN(2)])
	}
	old = b.mutant([]byte(base), b.IntN(3))
	changed = b.mutant(old, 1+b.IntN(3))
	if i%2 == 0 {
		changed = b.child(changed, b.mutant([]byte(base), 1+b.IntN(3)))
	}
	return old, changed
}

// TestSolversAgree compares full-sized random pairs of policies and asks z3 and cvc5 whether there is an applicant with
// another status by Stage 1, score and bands, or with another grade or rate.
func TestSolversAgree(t *testing.T) {
	t.Parallel()
	from, to := rangeOfPairs(t, 40)
	list, count := judges(t), map[string]int{}
	proving := time.Duration(0)
	for i := from; i < to; i++ {
		b := &breeder{Rand: rand.New(rand.NewPCG(7, uint64(i))), tb: t}
		before, after := b.pair(i)
		old, changed := plan(t, before), plan(t, after)
		begun := time.Now()
		r, err := Diff(projected(old.Policy()), projected(changed.Policy()), Options{})
		if err != nil {
			t.Fatal(err)
		}
		proving += time.Since(begun)
		want := slices.ContainsFunc(r.Classes, func(c Class) bool { return c.Confirmed && c.differs() })
		if !want && !r.Complete {
			count["open"]++ // the comparison claims nothing
			continue
		}
		q := smt.Differ(old, changed)
		if len(q.Free) > 0 {
			t.Fatalf("pair %d: the question leaves %v open", i, q.Free)
		}
		name := fmt.Sprintf("pair %d, is there a difference", i)
		if !agree(t, list, name, q.Text, want) {
			t.Logf("%s\n%s", before, after)
		}
		if want {
			count["different"]++
		} else {
			count["equal"]++
		}
	}
	t.Logf("pairs %d to %d: %s; compared in %v", from, to-1, counts(count), proving.Round(time.Millisecond))
	report(t, list)
	if count["different"] == 0 || count["equal"] == 0 || count["open"] > (to-from)/10 {
		t.Errorf("%v", count)
	}
}

// TestSolversNoticeAWrongAnswer checks that the solvers can find a difference: the text of a pair that differs in one
// threshold is sat, and that of a policy and itself is unsat, in every order of the questions.
func TestSolversNoticeAWrongAnswer(t *testing.T) {
	t.Parallel()
	p, q := edited(t), edited(t, `"value": 21}`, `"value": 22}`)
	list := judges(t)
	for _, c := range []struct {
		name    string
		changed *engine.Plan
		sat     bool
	}{{"another age", q, true}, {"itself", p, false}, {"another age again", q, true}} {
		text := smt.Differ(p, c.changed).Text
		if !bytes.Contains(text, []byte("(check-sat)")) {
			t.Fatal("the question is not asked")
		}
		for _, j := range list {
			if got, judged := j.answer(text); !judged || got != c.sat {
				t.Errorf("%s: %s says %v, judged %v", c.name, j.command[0], got, judged)
			}
		}
	}
}
