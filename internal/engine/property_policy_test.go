package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gowebpki/jcs"

	"verdict/internal/engine"
	"verdict/internal/field"
)

func parse(document []byte) (*engine.Policy, error) {
	return engine.ParsePolicy(document, engine.Sources{Catalogue: field.Catalogue()})
}

// TestPolicyDocumentIsStable checks that a written document is complete and canonical: reading and writing it again
// changes neither its bytes nor its checksum, and its bytes are RFC 8785 JSON.
func TestPolicyDocumentIsStable(t *testing.T) {
	t.Parallel()
	documents := [][]byte{engine.DefaultPolicyJSON()}
	for seed := range uint64(rounds(100, 3_000)) {
		documents = append(documents, generatePolicy(seed).document)
	}
	for _, document := range documents {
		first, err := parse(document)
		if err != nil {
			t.Fatal(err)
		}
		written := first.Document()
		second, err := parse(written)
		if err != nil {
			t.Fatalf("its own document is refused: %v\n%s", err, written)
		}
		if diff := cmp.Diff(string(written), string(second.Document())); diff != "" {
			t.Fatalf("the document is not stable:\n%s", diff)
		}
		if first.Checksum() != second.Checksum() {
			t.Fatalf("the checksum is not stable: %s", document)
		}
		canonical, err := jcs.Transform(written)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(written, canonical) {
			t.Fatalf("the document is not canonical:\n%s", cmp.Diff(string(canonical), string(written)))
		}
	}
}

// TestChecksumIsOfWhatDecides checks that the checksum covers every member of a
// document except those that only identify the policy.
func TestChecksumIsOfWhatDecides(t *testing.T) {
	t.Parallel()
	identity := map[string]bool{"/name": true, "/policy_key": true, "/scorecard/name": true, "/scorecard_id": true}
	documents := [][]byte{engine.DefaultPolicy().Document()}
	for seed := range uint64(rounds(1, 25)) {
		p, err := parse(generatePolicy(seed).document)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, p.Document())
	}
	accepted := 0
	for _, document := range documents {
		original, err := parse(document)
		if err != nil {
			t.Fatal(err)
		}
		for i := range leaves(decodeAny(t, document), "", func(string, any) any { return nil }) {
			tree := decodeAny(t, document)
			at, n := "", 0
			leaves(tree, "", func(path string, value any) any {
				n++
				if n-1 != i {
					return nil
				}
				at = path
				return otherThan(value)
			})
			changed, err := parse(encode(t, as[object](tree)))
			if err != nil {
				continue // some changes give an invalid policy
			}
			accepted++
			same := changed.Checksum() == original.Checksum()
			if same != identity[at] && !bytes.Equal(changed.Document(), original.Document()) {
				t.Errorf("%s: changed, and the checksum is the same: %v", at, same)
			}
		}
	}
	if accepted < 300 {
		t.Errorf("only %d changes made a policy", accepted)
	}
}

func decodeAny(tb testing.TB, document []byte) any {
	tb.Helper()
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		tb.Fatal(err)
	}
	return v
}

// leaves calls the function change for every scalar of a document. If the result is not nil, it replaces the scalar.
// leaves returns the number of scalars.
func leaves(v any, path string, change func(path string, value any) any) (count int) {
	visit := func(name string, value any, set func(any)) {
		switch value.(type) {
		case []any, object:
			count += leaves(value, path+"/"+name, change)
		default:
			count++
			if other := change(path+"/"+name, value); other != nil {
				set(other)
			}
		}
	}
	switch v := v.(type) {
	case []any:
		for i := range v {
			visit(fmt.Sprint(i), v[i], func(other any) { v[i] = other })
		}
	case object:
		for _, name := range sortedNames(v) {
			visit(name, v[name], func(other any) { v[name] = other })
		}
	}
	return count
}

// otherThan returns a different value of the same JSON type.
func otherThan(value any) any {
	switch v := value.(type) {
	case bool:
		return !v
	case json.Number:
		if v == "0" {
			return json.Number("1")
		}
		if strings.Contains(v.String(), ".") {
			return json.Number(v.String() + "1")
		}
		return json.Number(v.String() + "0")
	case string:
		switch v {
		case "and":
			return "or"
		case "lt":
			return "gte"
		case "refer":
			return "decline"
		case "decline", "approve":
			return "refer"
		}
		return v + "X"
	}
	return nil
}
