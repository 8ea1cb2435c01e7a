package prover

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/engine/enginetest"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// sensible has guarantees that a lender with the default policy could give.
const sensible = `[
	{"id": "G_MINORS", "text": "Nobody under 21 gets an offer",
	 "when": {"op": "lt", "field": "age", "value": 21}, "never": {"op": "ne", "field": "status", "value": "DECLINED"}},
	{"id": "G_SCORE", "text": "Nobody with a score below 650 is approved",
	 "when": {"op": "lt", "field": "bureau_score", "value": 650},
	 "never": {"op": "eq", "field": "status", "value": "APPROVED"}},
	{"id": "G_RATE", "text": "No rate exceeds 27 %", "never": {"op": "gt", "field": "interest_rate", "value": 27}},
	{"id": "G_FOIR", "text": "No instalment takes the FOIR above 60 %",
	 "never": {"op": "gt", "field": "post_offer_foir", "value": 0.6}},
	{"id": "G_LATE", "text": "Nobody with 30 days past due is approved without a person",
	 "when": {"op": "gte", "field": "bureau_own_max_dpd_12m", "value": 30},
	 "never": {"op": "eq", "field": "status", "value": "APPROVED"}},
	{"id": "G_LIMIT", "text": "Who is new to credit gets at most 100,000",
	 "when": {"op": "eq", "field": "bureau_is_ntc", "value": true},
	 "never": {"op": "gt", "field": "offer_limit", "value": 100000}},
	{"id": "G_SCORE_UP", "text": "A higher score is never worse",
	 "monotone": {"field": "bureau_score", "towards": "up", "of": ["status", "grade", "interest_rate", "offer_limit"]}},
	{"id": "G_INCOME_UP", "text": "A higher income is never worse",
	 "monotone": {"field": "monthly_income", "towards": "up", "of": ["status", "grade", "interest_rate",
	"offer_limit"]}},
	{"id": "G_FOIR_DOWN", "text": "Lower obligations are never worse",
	 "monotone": {"field": "foir", "towards": "down", "of": ["status", "grade", "interest_rate", "offer_limit"]}},
	{"id": "G_ENQUIRIES_DOWN", "text": "Fewer enquiries are never worse",
	 "monotone": {"field": "enquiries_6m", "towards": "down", "of": ["status", "interest_rate"]}}]`

// refutable are guarantees that the default policy does not keep.
const refutable = `[
	{"id": "G_OLD", "text": "Nobody over 55 is approved",
	 "when": {"op": "gt", "field": "age", "value": 55}, "never": {"op": "eq", "field": "status", "value": "APPROVED"}},
	{"id": "G_PRIME", "text": "Nobody with a score of 800 is declined",
	 "when": {"op": "gte", "field": "bureau_score", "value": 800},
	 "never": {"op": "eq", "field": "status", "value": "DECLINED"}},
	{"id": "G_CHEAP", "text": "No rate exceeds 20 %", "never": {"op": "gt", "field": "interest_rate", "value": 20}},
	{"id": "G_APR", "text": "No APR exceeds 25", "never": {"op": "gt", "field": "apr", "value": 25}},
	{"id": "G_MORE_LOANS", "text": "More loans are never worse",
	 "monotone": {"field": "bureau_own_active_tradelines", "towards": "up", "of": ["status", "interest_rate"]}},
	{"id": "G_ASK_LESS", "text": "Who asks for less never gets less",
	 "monotone": {"field": "requested_amount", "towards": "down", "of": ["offer_limit"]}}]`

// guaranteed returns the plan of a policy document with guarantees.
func guaranteed(tb testing.TB, document []byte, guarantees string) *engine.Plan {
	tb.Helper()
	at := bytes.IndexByte(document, '{') + 1
	return plan(tb, slices.Concat(document[:at], []byte(`"guarantees": `+guarantees+`,`), document[at:]))
}

func proveAll(tb testing.TB, p *engine.Plan) []Proof {
	tb.Helper()
	proofs, err := ProveAll(p, Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return proofs
}

// TestGuaranteesOfTheDefaultPolicy proves the guarantees that the default policy keeps and refutes those that it does
// not keep. Guarantees do not change the checksum, and proofs do not change when they are written and read back.
func TestGuaranteesOfTheDefaultPolicy(t *testing.T) {
	t.Parallel()
	p := guaranteed(t, engine.DefaultPolicyJSON(), sensible)
	if p.Checksum() != plan(t, engine.DefaultPolicyJSON()).Checksum() {
		t.Error("guarantees change the checksum")
	}
	for _, proof := range proveAll(t, p) {
		t.Logf("%s: %s, %d states, not covered without %v", proof.ID, proof.Standing, proof.States, proof.NotCovered)
		if proof.Standing != Proved {
			t.Errorf("%s: %s", proof.ID, proof.Sentence())
		}
	}
	p = guaranteed(t, engine.DefaultPolicyJSON(), refutable)
	proofs := proveAll(t, p)
	for _, proof := range proofs {
		t.Logf("%s: %s", proof.ID, proof.Sentence())
		if proof.Standing != Refuted {
			t.Errorf("%s: %s", proof.ID, proof.Sentence())
			continue
		}
		for _, a := range proof.Applicants {
			if a.Request == nil {
				t.Errorf("%s: no request states %v", proof.ID, a.Facts)
			}
		}
	}
	var written, again wire.Writer
	WriteProofs(&written, proofs)
	v, err := wire.Parse(written.Buf)
	if err != nil {
		t.Fatal(err)
	}
	read, err := ReadProofs(p, v)
	if err != nil {
		t.Fatal(err)
	}
	if WriteProofs(&again, read); !bytes.Equal(written.Buf, again.Buf) {
		t.Errorf("proofs change when they are stored:\n%s\n%s", written.Buf, again.Buf)
	}
}

// TestGuaranteesOfMutations proves guarantees of variants of the default policy, each changed at one place. Random
// applicants near the thresholds must not violate a guarantee that was proved.
func TestGuaranteesOfMutations(t *testing.T) {
	t.Parallel()
	names, documents := mutations(t, engine.DefaultPolicyJSON(),
		enginetest.Mutations(enginetest.Decode(t, engine.DefaultPolicyJSON())))
	every := 80
	if os.Getenv("VERDICT_LONG") != "" {
		every = 4
	}
	count := map[Standing]int{}
	for i := 0; i < len(names); i += every {
		p := guaranteed(t, documents[i], sensible)
		for k, proof := range proveAll(t, p) {
			count[proof.Standing]++
			switch proof.Standing {
			case Refuted:
				t.Logf("%s: %s", names[i], proof.Sentence())
			case Undecided:
				t.Logf("%s: %s is undecided: %v", names[i], proof.ID, proof.Why)
			default:
				if !newCrowd(p, uint64(i)).keeps(p, &p.Policy().Guarantees[k], 1_000) {
					t.Errorf("%s: %s was proved, but does not hold", names[i], proof.ID)
				}
			}
		}
	}
	t.Logf("%d mutations: %v", (len(names)+every-1)/every, count)
	if count[Refuted] == 0 || count[Undecided]*20 > count[Proved] {
		t.Errorf("%v", count)
	}
}

// keeps reports whether a guarantee holds for n random applicants.
func (c *crowd) keeps(p *engine.Plan, g *engine.Guarantee, n int) bool {
	var d, e engine.Decision
	d.KeepQuotes()
	e.KeepQuotes()
	if g.Monotone == nil {
		watch := engine.NewWatch(p.Policy(), p.Catalogue(), g)
		for range n {
			if watch.Violates(c.applicant(), &d) {
				return false
			}
		}
		return true
	}
	name := g.Monotone.Field.Name
	goal := monotoneGoal{of: g.Monotone.Of, grades: gradeRanks(p.Policy())}
	id, _ := field.Catalogue().Lookup(name)
	for range n {
		facts := c.applicant()
		first, second := rule.Num(c.number(field.Catalogue().Field(id))),
			rule.Num(c.number(field.Catalogue().Field(id)))
		if name == field.BureauScore && facts.Get(field.BureauIsNTC).IsTrue() || first.Number() == second.Number() {
			continue
		}
		if (second.Number() > first.Number()) == g.Monotone.Down {
			first, second = second, first
		}
		facts.Set(name, first)
		p.Decide(facts, &d)
		facts.Set(name, second)
		p.Decide(facts, &e)
		if k := compare(&d, &e, nil); goal.worse(&k) {
			return false
		}
	}
	return true
}

// TestProofBudget checks that a guarantee is undecided or refuted if its proof exceeds the budget. A proof that
// needs at most four states may still succeed. If the prover does not cover limit caps, it must not prove a
// guarantee of a policy with a limit cap.
func TestProofBudget(t *testing.T) {
	t.Parallel()
	p := guaranteed(t, engine.DefaultPolicyJSON(), sensible)
	for i := range p.Policy().Guarantees {
		g := &p.Policy().Guarantees[i]
		for name, o := range map[string]Options{
			"states": {MaxStates: 2}, "time": {Check: func() error { return ErrOutOfTime }},
		} {
			proof, err := Prove(p, g, o)
			if err != nil || proof.Standing == Proved && proof.States > 4 {
				t.Errorf("%s %s: %v, %s with %d states", g.ID, name, err, proof.Standing, proof.States)
			}
			if proof.Standing == Undecided && (proof.Late() != (name == "time") ||
				strings.Contains(proof.Sentence(), "the comparison")) {
				t.Errorf("%s %s: %s", g.ID, name, proof.Sentence())
			}
		}
		gone := errors.New("the caller is gone")
		if _, err := Prove(p, g, Options{Check: func() error { return gone }}); !errors.Is(err, gone) {
			t.Errorf("%s cancelled: %v", g.ID, err)
		}
	}
	capped := guaranteed(t, bytes.Replace(engine.DefaultPolicyJSON(), []byte(`"semantics": 2,`),
		[]byte(`"semantics": 2, "limit_caps": [{"id": "LC", "of": {"value": 90000}}],`), 1), sensible)
	proved := 0
	for _, proof := range proveAll(t, capped) {
		if proof.Standing == Proved {
			proved++
		}
	}
	if proved == 0 {
		t.Error("no guarantee of a policy with a limit cap is proved")
	}
}

// TestHostileGuarantees proves guarantees of policies that maximise one kind of work. Each proof ends and can be
// cancelled.
func TestHostileGuarantees(t *testing.T) {
	t.Parallel()
	gone := errors.New("the caller is gone")
	source := guaranteed(t, engine.DefaultPolicyJSON(), sensible).Policy()
	for name := range enginetest.HostileDocuments() {
		p := *enginetest.HostilePolicy(t, name)
		p.Guarantees = source.Guarantees[5:8]
		hostile := engine.Compile(&p, field.Catalogue())
		if _, err := ProveAll(hostile, Options{MaxStates: 1_000}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := ProveAll(hostile, Options{Check: func() error { return gone }}); !errors.Is(err, gone) {
			t.Errorf("%s: the caller is gone, but the proof returns %v", name, err)
		}
	}
}
