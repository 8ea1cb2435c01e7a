package generate

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"verdict/internal/engine"
	"verdict/internal/engine/enginetest"
	"verdict/internal/field"
	"verdict/internal/policytest"
	"verdict/internal/wire"
)

// TestMutations changes the default policy once in every way that enginetest.Mutations lists, and checks that
// the generated cases notice at least 95 percent of the changes. A change that they do not notice
// counts as missed, unless enginetest.Equivalent lists it. The test also fails if one of the applications that
// the search found shows a change that enginetest.Equivalent lists.
func TestMutations(t *testing.T) {
	t.Parallel()
	search, set := generated(t)
	var cases []policytest.Case
	for _, f := range set.Files {
		read, err := policytest.Read(f.Data)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		cases = append(cases, read...)
	}
	original := policytest.NewSubject(engine.DefaultPolicy())
	var killed, refused, same int
	var missed []string
	for _, m := range enginetest.Mutations(enginetest.Decode(t, engine.DefaultPolicyJSON())) {
		document := enginetest.Decode(t, engine.DefaultPolicyJSON())
		m.Apply(document)
		text, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		policy, err := engine.ParsePolicy(text, engine.Sources{Catalogue: field.Catalogue()})
		if err != nil {
			refused++
			continue
		}
		mutant := policytest.NewSubject(policy)
		switch {
		case slices.ContainsFunc(cases, func(c policytest.Case) bool { r := mutant.Run("", &c); return !r.Passed() }):
			killed++
		default:
			at := slices.IndexFunc(enginetest.Equivalent, func(e enginetest.Same) bool {
				return strings.HasPrefix(m.Name, e.Name)
			})
			if at < 0 {
				missed = append(missed, m.Name)
				continue
			}
			same++
			t.Logf("equivalent: %s: %s", m.Name, enginetest.Equivalent[at].Why)
			if differs(t, search, original, mutant) {
				t.Errorf("%s is not equivalent: an application shows it", m.Name)
			}
		}
	}
	for _, name := range missed {
		t.Logf("missed: %s", name)
	}
	t.Logf("%d cases: %d killed, %d missed, %d equivalent, %d refused as invalid", len(cases), killed, len(missed),
		same, refused)
	if killed < 300 || killed*100 < 95*(killed+len(missed)) {
		t.Errorf("%d of %d changes are noticed, want 95 percent of at least 300", killed, killed+len(missed))
	}
}

// differs takes a sample of the applications in the pool of the search. It reports whether the two policies decide
// at least one of them differently.
func differs(t *testing.T, s *search, original, mutant *policytest.Subject) bool {
	t.Helper()
	visible := []string{"status", "grade", "score", "offer", "reasons", "hits"}
	for i := 0; i < len(s.pool); i += 1 + len(s.pool)/1_500 {
		body, err := wire.Parse(s.pool[i].body())
		if err != nil {
			t.Fatal(err)
		}
		var got [2][]byte
		for k, subject := range []*policytest.Subject{original, mutant} {
			answer, err := subject.Answer(body, time.Time{}, s.pool[i].stated()...)
			if err != nil {
				got[k] = []byte("refused")
				continue
			}
			decision, err := wire.Parse(answer)
			if err != nil {
				t.Fatal(err)
			}
			got[k] = policytest.Expect(decision, visible)
		}
		if !bytes.Equal(got[0], got[1]) {
			return true
		}
	}
	return false
}
