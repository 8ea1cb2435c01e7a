package journal

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/evidence"
	"verdict/internal/sealing"
	"verdict/internal/store"
)

var sealingTree = NewTree(tree.keys, 1, true)

// TestSealedDecision checks that a sealed decision contains none of its documents unencrypted,
// and that opening it gives back every byte, so that it matches its leaf.
func TestSealedDecision(t *testing.T) {
	t.Parallel()
	for _, alter := range []func(*store.DecisionWrite){
		func(*store.DecisionWrite) {},
		func(w *store.DecisionWrite) { w.Features = nil },
		func(w *store.DecisionWrite) { w.Decision.ApplicantRef = "" },
	} {
		want, w := sample(), sample()
		alter(want)
		alter(w)
		Complete(tree, scope, want, &outcome)
		Complete(sealingTree, scope, w, &outcome)
		if w.Decision.Plain != want.Decision.Plain || !bytes.Equal(w.Entry.Leaf, want.Entry.Leaf) {
			t.Error("sealing changes the plain text or the leaf")
		}
		for zone, document := range documents(&w.Decision, w.Features) {
			if !sealing.Sealed(*document) || bytes.Contains(*document, []byte("742")) {
				t.Errorf("%v is stored as %q", zone, *document)
			}
		}
		if err := sealingTree.Open(scope.Environment, &w.Decision, w.Features); err != nil {
			t.Fatal(err)
		}
		want.Decision.KeyTree = 1 // Open has set it
		if diff := cmp.Diff(want, w); diff != "" {
			t.Errorf("opened (-want +got):\n%s", diff)
		}
		leaf, err := evidence.UnpackLeaf(w.Entry.Leaf)
		if err != nil {
			t.Fatal(err)
		}
		if found := Compare(sealingTree, scope, &w.Decision, w.Features, &leaf, Erased{}); len(found) != 0 {
			t.Errorf("compared: %v", found)
		}
		again := sample()
		alter(again)
		again.Decision.Plain = want.Decision.Plain
		sealingTree.sealStored(scope.Environment, again)
		if err := sealingTree.Open(scope.Environment, &again.Decision, again.Features); err != nil {
			t.Error(err)
		}
	}
}

// TestSealedDecisionMoved checks that the documents of a sealed decision cannot be opened in
// another row, in another environment or for another applicant, and that the error names
// each document.
func TestSealedDecisionMoved(t *testing.T) {
	t.Parallel()
	for name, alter := range map[string]func(*store.DecisionWrite, *string){
		"another decision":    func(w *store.DecisionWrite, _ *string) { w.Decision.ID = "dec_2" },
		"another applicant":   func(w *store.DecisionWrite, _ *string) { w.Decision.ApplicantRef = "A-2" },
		"no applicant":        func(w *store.DecisionWrite, _ *string) { w.Decision.ApplicantRef = "" },
		"another environment": func(_ *store.DecisionWrite, e *string) { *e = "sandbox" },
	} {
		w, environment := sample(), scope.Environment
		Complete(sealingTree, scope, w, &outcome)
		alter(w, &environment)
		err := sealingTree.Open(environment, &w.Decision, w.Features)
		for zone, document := range documents(&w.Decision, w.Features) {
			if *document != nil {
				t.Errorf("%s: %v is %q", name, zone, *document)
			}
		}
		var unreadable Unreadable
		if !errors.As(err, &unreadable) || unreadable.Zones[0] != sealing.Response {
			t.Errorf("%s: %v", name, err)
		}
	}
	w := sample()
	Complete(sealingTree, scope, w, &outcome)
	w.Decision.Facts, w.Features.Vector = w.Features.Vector, w.Decision.Facts
	err := sealingTree.Open(scope.Environment, &w.Decision, w.Features)
	want := "decision dec_1: cannot decrypt the stored feature vector, facts"
	if err == nil || err.Error() != want {
		t.Errorf("two documents exchanged: %v", err)
	}
}

// TestSealedRun seals and opens runs about a person, about a decision, and about nobody.
func TestSealedRun(t *testing.T) {
	t.Parallel()
	for _, r := range []store.Run{
		{ID: "run_1", SubjectRef: "A-1", DecisionID: "dec_1"},
		{ID: "run_1", DecisionID: "dec_1"},
		{ID: "run_1"},
	} {
		r.Request, r.Response = []byte(`{"memo":1}`), []byte(`{"outcome":"approve"}`)
		sealed := r
		sealingTree.SealRun("live", &sealed)
		if !sealing.Sealed(sealed.Request) || !sealing.Sealed(sealed.Response) {
			t.Fatalf("the run is stored as %+v", sealed)
		}
		moved := sealed
		moved.ID = "run_2"
		if err := sealingTree.OpenRun("live", &moved); !errors.As(err, new(Unreadable)) {
			t.Errorf("a moved run is opened: %v", err)
		}
		if err := sealingTree.OpenRun("live", &sealed); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(r, sealed); diff != "" {
			t.Errorf("opened (-want +got):\n%s", diff)
		}
		readable := r
		if tree.SealRun("live", &readable); !cmp.Equal(r, readable) {
			t.Error("a run is sealed although encryption is off")
		}
	}
}

// TestSealedAnswer seals and opens an answer about a decision and an answer about none.
func TestSealedAnswer(t *testing.T) {
	t.Parallel()
	key, body := store.IdempotencyKey{Route: "POST /v1/decisions", Name: "k"}, []byte(`{"facts":{}}`)
	d := &sample().Decision
	for _, of := range []*store.Decision{nil, d} {
		sealed := sealingTree.SealAnswer("live", key, of, body)
		if !sealing.Sealed(sealed) {
			t.Fatalf("the answer is stored as %q", sealed)
		}
		if got, err := sealingTree.OpenAnswer("live", key, of, sealed); err != nil || !bytes.Equal(got, body) {
			t.Errorf("opened %q, %v", got, err)
		}
		other := store.IdempotencyKey{Route: key.Route, Name: "l"}
		if got, err := sealingTree.OpenAnswer("live", other, of, sealed); !errors.As(err, new(Unreadable)) {
			t.Errorf("opened %q under another key, %v", got, err)
		}
	}
	if got := tree.SealAnswer("live", key, d, body); !bytes.Equal(got, body) {
		t.Errorf("an answer is sealed although encryption is off: %q", got)
	}
}
