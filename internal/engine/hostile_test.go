package engine_test

import (
	"errors"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/engine/enginetest"
	"verdict/internal/field"
)

func BenchmarkHostile(b *testing.B) {
	for name, document := range enginetest.HostileDocuments() {
		p := enginetest.HostilePolicy(b, name)
		b.Logf("%s has %d bytes and costs %d", name, len(document), engine.Compile(p, field.Catalogue()).Cost())
		b.Run(name+"/read", func(b *testing.B) {
			for b.Loop() {
				enginetest.HostilePolicy(b, name)
			}
		})
		b.Run(name+"/compile", func(b *testing.B) {
			for b.Loop() {
				engine.Compile(p, field.Catalogue())
			}
		})
		b.Run(name+"/changes", func(b *testing.B) {
			for b.Loop() {
				engine.Changes(p, engine.DefaultPolicy())
			}
		})
	}
}

func TestReadingEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	gone, asked := errors.New("gone"), 0
	_, err := engine.ParsePolicy([]byte(enginetest.HostileDocuments()["thresholds"]),
		engine.Sources{Catalogue: field.Catalogue(), Check: func() error {
			if asked++; asked == 100 {
				return gone
			}
			return nil
		}})
	if !errors.Is(err, gone) || asked != 100 {
		t.Errorf("%v after %d", err, asked)
	}
}

// TestPolicyCost checks that the cost of a policy is the sum of the costs of
// its conditions, bins and bands.
func TestPolicyCost(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{
		"thresholds": 9_800 + 1, "crossed": 250*(1+40*3) + 1, "alternatives": 45*501 + 1,
		"sets": 150*101 + 1, "sums": 3_000*(1+8) + 1, "bins": 60*500 + 1,
	} {
		system := 0
		p := enginetest.HostilePolicy(t, name)
		for i := range p.Knockouts {
			if p.Knockouts[i].System {
				system += (&engine.Policy{Knockouts: p.Knockouts[i : i+1], Scorecard: &engine.Scorecard{}}).Cost()
			}
		}
		if got := p.Cost() - system; got != want {
			t.Errorf("%s costs %d, not %d", name, got, want)
		}
		if p.Cost() > engine.MaxCost {
			t.Errorf("%s is refused", name)
		}
	}
}
