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

// projected returns the plan of a policy whose decisions depend only on Stage 1, the score and the bands: every limit
// is offered, all offers have the same terms apart from the rate, and there is no Stage 2.
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
	for _, name := range []string{"knockouts", "adjustments", "scorecard", "pricing_bands", "people",
		"required_fields"} {
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

// pair returns the documents of two policies. In every third pair bands have conditions, and in every fourth pair the
// policies choose among scores.
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

// treatsAlike checks two policies that are proved equal although their Stage 1, score and bands differ. That is
// possible: if the highest foir_cap is 0.6, nobody with a higher FOIR is lent anything, with or without a knockout that
// says so. Then both policies must make the same decisions for the witnesses of the difference and for many
// random applicants.
func treatsAlike(t *testing.T, pair int, old, changed *engine.Plan, partial *Result) bool {
	t.Helper()
	var x, y engine.Decision
	for _, c := range partial.Classes {
		if c.Witness == nil {
			continue
		}
		facts := rule.NewFacts(field.Catalogue())
		for _, v := range c.Witness.Facts {
			facts.Set(v.Name, v.Value)
		}
		old.Decide(facts, &x)
		changed.Decide(facts, &y)
		if k := compare(&x, &y, nil); k.changed() {
			t.Errorf("pair %d: proved equal, but %v is treated differently: %+v", pair, c.Witness.Facts, k)
			return false
		}
	}
	k, _, differ := newCrowd(old, uint64(pair)).unlisted(old, changed, &Result{}, 200_000)
	if differ {
		t.Errorf("pair %d: proved equal, but a random applicant is treated differently: %+v", pair, k)
	}
	return !differ
}

// checkWhole compares two policies with their limits and Stage 2. Both plans must decide every witness as its class
// says, and no random applicant may be in no class.
func checkWhole(t *testing.T, pair int, old, changed *engine.Plan) Result {
	t.Helper()
	r := diff(t, old, changed)
	redecide(t, old, changed, &r)
	if k, _, missing := newCrowd(changed, uint64(pair)).unlisted(old, changed, &r, 1_000); missing && r.Complete {
		t.Errorf("pair %d: %+v is in no class", pair, k)
	}
	return r
}

// redecide lets both plans decide every witness of a result again.
func redecide(t *testing.T, old, changed *engine.Plan, r *Result) {
	t.Helper()
	var x, y engine.Decision
	for _, c := range r.Classes {
		if c.Confirmed != (c.Witness != nil) {
			t.Errorf("%+v: confirmed is %v, but the witness is %v", c.Kind, c.Confirmed, c.Witness)
		}
		if c.Witness == nil {
			continue
		}
		facts := rule.NewFacts(field.Catalogue())
		for _, v := range c.Witness.Facts {
			facts.Set(v.Name, v.Value)
		}
		old.Decide(facts, &x)
		changed.Decide(facts, &y)
		if k := compare(&x, &y, r.Terms); k != c.Kind {
			t.Errorf("the witness of %+v is decided as %+v: %v", c.Kind, k, c.Witness.Facts)
		}
		if decided(&x) != c.Witness.From || decided(&y) != c.Witness.To {
			t.Errorf("the witness of %+v has other decisions than the class says: %v", c.Kind, c.Witness.Facts)
		}
	}
}

// TestSolversAgree compares random pairs of full-sized policies. It asks z3 and cvc5 whether there is an applicant
// who gets a different status, grade or rate from the Stage 1 rules, the score and the bands of the second policy.
func TestSolversAgree(t *testing.T) {
	t.Parallel()
	from, to := rangeOfPairs(t, 40)
	list, count := judges(t), map[string]int{}
	proving, started := time.Duration(0), time.Now()
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
		whole := checkWhole(t, i, old, changed)
		if !whole.Complete {
			count["not complete as a whole"]++
		}
		q := smt.Differ(old, changed)
		if len(q.Free) > 0 {
			t.Fatalf("pair %d: the question leaves %v open", i, q.Free)
		}
		name := fmt.Sprintf("pair %d, is there a difference", i)
		if !agree(t, list, name, q.Text, want) {
			t.Logf("%s\n%s", before, after)
		}
		// agree compares the answers of the solvers with want, so want stands for their answer.
		if want && whole.Equal {
			count["equal only as a whole"]++
			t.Logf("pair %d: Stage 1, score and bands differ, but the whole policies are proved equal", i)
			if !treatsAlike(t, i, old, changed, &r) {
				t.Logf("%s\n%s", before, after)
			}
		}
		if want {
			count["different"]++
		} else {
			count["equal"]++
		}
	}
	t.Logf("pairs %d to %d: %s; compared in %v", from, to-1, counts(count), proving.Round(time.Millisecond))
	report(t, list, judged{
		what: "pairs of policies", from: from, to: to - 1, yes: count["different"], no: count["equal"],
		open: count["open"], took: time.Since(started),
	})
	if count["different"] == 0 || count["equal"] == 0 || count["open"] > (to-from)/10 ||
		count["equal only as a whole"]*20 > to-from {
		t.Errorf("%v", count)
	}
}

// TestSolversNoticeAWrongAnswer checks that the solvers can find a difference. The question about two policies that
// differ in one threshold must be sat. The question about a policy and itself must be unsat. An answer must
// not depend on earlier questions.
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
