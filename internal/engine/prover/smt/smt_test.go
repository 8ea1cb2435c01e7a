package smt

import (
	"bytes"
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
)

// plan compiles the default policy with the first occurrence of a text replaced.
func plan(t *testing.T, old, changed string) *engine.Plan {
	t.Helper()
	text := string(engine.DefaultPolicyJSON())
	if !strings.Contains(text, old) {
		t.Fatalf("the default policy does not contain %s", old)
	}
	p, err := engine.ParsePolicy([]byte(strings.Replace(text, old, changed, 1)),
		engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		t.Fatal(err)
	}
	return engine.Compile(p, field.Catalogue())
}

// TestTextIsWellFormed checks the parentheses of the text outside comments and symbols. It also checks that every
// symbol is declared before it is used, and that the same policies give the same text.
func TestTextIsWellFormed(t *testing.T) {
	t.Parallel()
	old, changed := plan(t, `"value": 21}`, `"value": 21}`), plan(t, `"value": 21}`, `"value": 23}`)
	text := Differ(old, changed).Text
	if !bytes.Equal(text, Differ(old, changed).Text) {
		t.Error("the text of the same policies differs")
	}
	depth, known := 0, map[string]bool{}
	for number, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, ";") {
			continue
		}
		for i, part := range strings.Split(line, "|") {
			if i%2 == 0 {
				depth += strings.Count(part, "(") - strings.Count(part, ")")
				continue
			}
			declares := strings.HasPrefix(line, "(declare-const |"+part+"|") ||
				strings.HasPrefix(line, "(define-fun |"+part+"|")
			if !known[part] && !declares {
				t.Errorf("line %d uses %s, which is not declared", number+1, part)
			}
			known[part] = true
		}
	}
	if depth != 0 {
		t.Errorf("%d parentheses are open at the end", depth)
	}
	for _, name := range []string{"old KO_AGE_RANGE", "new KO_AGE_RANGE", "bureau_score?", "old band", "new rate"} {
		if !known[name] {
			t.Errorf("the text does not have %s", name)
		}
	}
}

// TestFreePredicatesAreListed checks that a predicate with arithmetic is listed in the result and named in a comment.
func TestFreePredicatesAreListed(t *testing.T) {
	t.Parallel()
	rule := `"knockouts": [{"id": "KO_SUM", "reason_code": "POLICY", "condition_ast": {"op": "gt", "left":
		{"op": "mul", "args": [{"field": "age"}, {"field": "monthly_income"}]}, "right": {"value": 5}}},`
	q := Differ(plan(t, `"name": "`, `"name": "A `), plan(t, `"knockouts": [`, rule))
	if len(q.Free) != 1 || !strings.Contains(q.Free[0], "monthly_income") {
		t.Errorf("free predicates are %q", q.Free)
	}
	if !bytes.Contains(q.Text, []byte("; This predicate may hold or fail freely: ")) {
		t.Error("the text does not name the predicate")
	}
}
