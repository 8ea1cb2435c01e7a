package engine_test

import (
	"slices"
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
)

const plainSections = `"scorecard":{"base_points":700,"factors":[]},"pricing_bands":[` + lessonBand + `]`

func readPolicy(tb testing.TB, document string) *engine.Policy {
	tb.Helper()
	p, err := engine.ParsePolicy([]byte(document), engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		tb.Fatalf("%v in %s", err, document)
	}
	return p
}

// TestSemanticsOfADocument checks that a document without "semantics" has
// semantics 1, and that "semantics": 1 changes neither its bytes nor its
// checksum.
func TestSemanticsOfADocument(t *testing.T) {
	t.Parallel()
	absent := readPolicy(t, `{"name":"Old",`+plainSections+`}`)
	first := readPolicy(t, `{"name":"Old","semantics":1,`+plainSections+`}`)
	second := readPolicy(t, `{"name":"Old","semantics":2,`+plainSections+`}`)
	if absent.Semantics != 1 || second.Semantics != 2 {
		t.Errorf("semantics %d and %d", absent.Semantics, second.Semantics)
	}
	if strings.Contains(string(first.Document()), "semantics") || absent.Checksum() != first.Checksum() {
		t.Error("semantics 1 shows in the document or in its checksum")
	}
	if !strings.Contains(string(second.Document()), `"semantics":2`) || second.Checksum() == first.Checksum() {
		t.Error("semantics 2 does not show in the document and in its checksum")
	}
	for _, wrong := range []string{`0`, `3`, `1.5`, `"2"`} {
		document := `{"name":"Old","semantics":` + wrong + `,` + plainSections + `}`
		_, err := engine.ParsePolicy([]byte(document), engine.Sources{Catalogue: field.Catalogue()})
		if err == nil || !strings.Contains(err.Error(), "/semantics") {
			t.Errorf("semantics %s: %v", wrong, err)
		}
	}
}

// TestSystemRulesBySemantics checks that the block list is a system rule from
// semantics 2 on, and that a rule with the same id in a policy of semantics 1
// stays an ordinary rule.
func TestSystemRulesBySemantics(t *testing.T) {
	t.Parallel()
	system := func(p *engine.Policy) (ids []string) {
		for _, k := range p.Knockouts {
			if k.System {
				ids = append(ids, k.ID)
			}
		}
		return ids
	}
	first := []string{"KO_DEVICE_EMULATOR", "KO_FRAUD_MULE_ACCOUNT"}
	old := readPolicy(t, `{"name":"Old",`+plainSections+`}`)
	if got := system(old); !slices.Equal(got, first) {
		t.Errorf("semantics 1 merges %v", got)
	}
	newer := readPolicy(t, `{"name":"New","semantics":2,`+plainSections+`}`)
	if got := system(newer); !slices.Equal(got, append(first, "KO_FRAUD_BLOCKLISTED")) {
		t.Errorf("semantics 2 merges %v", got)
	}
	own := readPolicy(t, `{"name":"Own",`+plainSections+`,"knockouts":[{"id":"KO_FRAUD_BLOCKLISTED","system":true,`+
		`"condition_ast":{"op":"eq","field":"fraud_blocklisted","value":true}}]}`)
	if got := system(own); !slices.Equal(got, first) || own.Knockouts[0].System {
		t.Errorf("a rule of its own became a system rule: %v", got)
	}
	moved, _ := forked(t, `{"name":"Moved","semantics":2}`, old)
	if got := system(moved); moved.Semantics != 2 || !slices.Contains(got, "KO_FRAUD_BLOCKLISTED") {
		t.Errorf("a fork that was moved to semantics %d has the system rules %v", moved.Semantics, got)
	}
}
