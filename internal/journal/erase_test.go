package journal

import (
	"encoding/hex"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"verdict/internal/evidence"
	"verdict/internal/sealing"
	"verdict/internal/store"
)

// TestCompareErased compares decisions with their leaf after all or some of their documents
// were removed: with and without an entry of the erasure, and with another reference.
func TestCompareErased(t *testing.T) {
	t.Parallel()
	w := sample()
	Complete(sealingTree, scope, w, &outcome)
	leaf, err := evidence.UnpackLeaf(w.Entry.Leaf)
	if err != nil {
		t.Fatal(err)
	}
	replacement, ok := sealingTree.Replacement(1, scope.Environment, "A-1")
	if !ok || replacement != hex.EncodeToString(leaf.Reference[:]) {
		t.Fatalf("the replacement is %q, and the leaf has %x", replacement, leaf.Reference)
	}
	left := NewTree(sealingTree.keys.Forget(sealing.PersonName(scope.Environment, "A-1", 0)), 1, true)
	compare := func(entry ErasureEntry, alter func(*store.DecisionWrite)) string {
		w := sample()
		Complete(sealingTree, scope, w, &outcome)
		w.Decision.ApplicantRef = store.ErasedPrefix + replacement
		for _, document := range documents(&w.Decision, w.Features) {
			*document = nil
		}
		alter(w)
		e := Erased{Zones: Emptied(&w.Decision, w.Features), Entry: entry}
		_ = left.Open(scope.Environment, &w.Decision, w.Features) // documents that cannot be opened become nil
		return strings.Join(Compare(left, scope, &w.Decision, w.Features, &leaf, e), "; ")
	}
	for name, c := range map[string]struct {
		entry ErasureEntry
		alter func(*store.DecisionWrite)
		want  string
	}{
		"erased":           {ErasureCompleted, func(*store.DecisionWrite) {}, ""},
		"without an entry": {NotErased, func(*store.DecisionWrite) {}, "the journal has no entry of an erasure"},
		"just begun":       {ErasureStarted, func(w *store.DecisionWrite) {}, ""},
		"something is left": {ErasureCompleted, func(w *store.DecisionWrite) { w.Decision.Facts = []byte("{}") },
			"the applicant was erased, but documents are stored"},
		"another reference": {ErasureCompleted, func(w *store.DecisionWrite) { w.Decision.ApplicantRef = "erased:00" },
			"the stored applicant reference was altered"},
		"the reference itself": {ErasureCompleted, func(w *store.DecisionWrite) { w.Decision.ApplicantRef = "A-1" },
			"the stored applicant reference was altered"},
		"another outcome": {ErasureCompleted, func(w *store.DecisionWrite) { w.Decision.Status = "DECLINED" },
			"a stored column was altered"},
		"other hashes": {ErasureCompleted, func(w *store.DecisionWrite) { w.Decision.Plain = "{}" }, "altered"},
		"no features":  {ErasureCompleted, func(w *store.DecisionWrite) { w.Features = nil }, "added or removed"},
	} {
		got := compare(c.entry, c.alter)
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestReadPlain reads back what plainText wrote.
func TestReadPlain(t *testing.T) {
	t.Parallel()
	w := sample()
	Complete(tree, scope, w, &outcome)
	got, zones, err := ReadPlain(w.Decision.Plain)
	if err != nil || !reflect.DeepEqual(got, outcome) {
		t.Errorf("read %+v, %v, want %+v", got, err, outcome)
	}
	if want := []string{"response", "history", "features", "combined"}; !slices.Equal(zones, want) {
		t.Errorf("the zones are %v, want %v", zones, want)
	}
	least := Outcome{Score: 1, Semantics: 2}
	Complete(tree, scope, w, &least) // nothing was asked for or offered
	if got, _, err := ReadPlain(w.Decision.Plain); err != nil || !reflect.DeepEqual(got, least) {
		t.Errorf("read %+v, %v, want %+v", got, err, least)
	}
}

// TestUnreadablePlain damages the values of the column plain one at a time. A damaged value must not be read as 0.
func TestUnreadablePlain(t *testing.T) {
	t.Parallel()
	w := sample()
	Complete(tree, scope, w, &outcome)
	intact := w.Decision.Plain
	damaged := []string{"", "not JSON", "[]", "{}", `{"score":1,"semantics":1,"zones":{}}`}
	for _, name := range []string{"asked", "limit", "rate", "score", "semantics"} {
		text := regexp.MustCompile(`"`+name+`":[0-9.]+`).ReplaceAllString(intact, `"`+name+`":"x"`)
		damaged = append(damaged, text, strings.Replace(text, `"x"`, "null", 1),
			strings.Replace(text, `"x"`, "1e300", 1))
	}
	for _, name := range []string{"score", "semantics", "limit", "rate", "zones"} {
		damaged = append(damaged, strings.Replace(intact, `"`+name+`":`, `"x`+name+`":`, 1))
	}
	damaged = append(damaged, strings.Replace(intact, `"reasons":[`, `"reasons":[1,`, 1),
		strings.Replace(intact, `"reasons":[`, `"reasons":"x","codes":[`, 1),
		strings.Replace(intact, `"zones":{`, `"zones":{"x":1,`, 1))
	for _, text := range damaged {
		if text == intact {
			t.Fatal("a value was not damaged")
		}
		if got, zones, err := ReadPlain(text); err == nil {
			t.Errorf("read %+v and %v from %s", got, zones, text)
		}
	}
}
