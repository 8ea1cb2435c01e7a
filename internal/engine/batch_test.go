package engine_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// TestBatchEqualsDecide decides generated applications one by one and in batches of every size. The decisions must be
// equal byte for byte, and so must the effects that a backtest counts.
func TestBatchEqualsDecide(t *testing.T) {
	t.Parallel()
	policies := rounds(300, 16_000)
	for seed := range uint64(policies) {
		seed += 2_000_000 // differs from the seeds of the other property tests
		g := generateEither(seed)
		plan := compile(t, g.document)
		d := newDice(^seed)
		batch, size := plan.NewBatch(), 1+int(seed)%engine.BatchRows
		for range 2 { // in the second round, the batch still has the contents of the first
			var facts []*rule.Facts
			var texts [][]byte
			for range size {
				text := encode(t, g.facts(d))
				texts, facts = append(texts, text), append(facts, decodeFacts(t, text))
			}
			compareBatch(t, seed, plan, batch, facts, texts)
		}
	}
}

func compareBatch(
	t *testing.T, seed uint64, plan *engine.Plan, batch *engine.Batch, facts []*rule.Facts, texts [][]byte,
) {
	t.Helper()
	batch.Reset()
	for i, f := range facts {
		fillFrame(plan, batch.Next(), f, i%2 == 0)
		batch.Add(f)
	}
	batch.Evaluate()
	var one, other engine.Decision
	single, together := plan.NewTracer(), plan.NewTracer()
	for i, f := range facts {
		plan.Decide(f, &one)
		batch.Decide(i, &other)
		if !bytes.Equal(one.Canonical(), other.Canonical()) {
			t.Fatalf("seed %d, applicant %d of %d, facts %s: in a batch (+) the decision differs (-)\n%s", seed, i,
				len(facts), texts[i], cmp.Diff(readObject(t, one.Canonical()), readObject(t, other.Canonical()),
					cmp.Comparer(sameNumber)))
		}
		if diff := cmp.Diff(
			single.Read(&one), together.Read(&other), cmpopts.EquateEmpty(), cmp.AllowUnexported(engine.Hit{}),
		); diff != "" {
			t.Fatalf("seed %d, applicant %d of %d: in a batch (+) the effect differs (-)\n%s", seed, i, len(facts),
				diff)
		}
	}
}

// fillFrame does nothing if store is false. Otherwise it stores the numbers of the facts in the frame, as a reader
// of a file does. The caller then adds the same facts again, and that must not change anything.
func fillFrame(plan *engine.Plan, fr *rule.Frame, facts *rule.Facts, store bool) {
	if !store {
		return
	}
	for _, nv := range facts.Sorted() {
		id, known := field.Catalogue().Lookup(nv.Name)
		if !known || nv.Value.Type() != rule.NumberType {
			continue
		}
		if slot, ok := plan.NumberSlot(id); ok {
			fr.SetNumber(slot, nv.Value.Number())
		}
	}
}
