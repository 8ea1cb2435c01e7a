package journal

import (
	"strings"
	"testing"

	"verdict/internal/evidence"
	"verdict/internal/rule"
	"verdict/internal/sealing"
	"verdict/internal/store"
)

func sample() *store.DecisionWrite {
	return &store.DecisionWrite{
		Decision: store.Decision{
			ID: "dec_1", CreatedMicros: 1_763_303_400_123_000, ApplicantRef: "A-1", Status: "APPROVED", Grade: "B",
			PolicyKey: "default", PolicyID: "pol_1", PolicyVersion: 3, Endpoint: "POST /v1/decisions",
			EngineVersion: "2026.11.2", Hash: "sha256:h", Actor: "key_1", Response: []byte(`{"status":"APPROVED"}`),
			Facts: []byte(`{"bureau_score":742}`),
		},
		Features: &store.Features{AsOf: "2026-11-10", Hash: "sha256:f", Vector: []byte{1}, Source: []byte{2}},
	}
}

var (
	tree    = NewTree(sealing.NewKeyTree(sealing.Secret{1}, sealing.Secret{2}), 1, false)
	scope   = Scope{Tenant: "ten_A", Environment: "live"}
	outcome = Outcome{
		Score: 712 * 1_000_000, AskedRupees: rule.Number(300_000) * 1_000_000, LimitPaise: 250_000_00, RateBP: 1450,
		Reasons: []string{"SCORE_LOW", "DPD_HIGH"}, Semantics: 2,
	}
)

// TestPlain checks the text of the column plain.
func TestPlain(t *testing.T) {
	t.Parallel()
	w := sample()
	Complete(tree, scope, w, &outcome)
	want := `{"asked":300000,"features":{"as_of":"2026-11-10","hash":"sha256:f"},"limit":250000,"rate":14.5,` +
		`"reasons":["SCORE_LOW","DPD_HIGH"],"score":712,"semantics":2,"zones":{"response":"`
	if !strings.HasPrefix(w.Decision.Plain, want) {
		t.Errorf("got  %s\nwant %s", w.Decision.Plain, want)
	}
	leaf, err := evidence.UnpackLeaf(w.Entry.Leaf)
	if err != nil || leaf.Kind != evidence.Decision || leaf.ID != "dec_1" || leaf.At != "2025-11-16T14:30:00.123Z" ||
		leaf.Backfilled {
		t.Errorf("the leaf is %+v, %v", leaf, err)
	}
	w = sample()
	w.Features, w.Decision.ApplicantRef = nil, ""
	Backfill(tree, scope, w, &Outcome{})
	if !strings.HasPrefix(w.Decision.Plain, `{"score":0,"semantics":0,"zones":{"response":"`) {
		t.Errorf("got %s", w.Decision.Plain)
	}
	leaf, err = evidence.UnpackLeaf(w.Entry.Leaf)
	if err != nil || !leaf.Backfilled || leaf.Reference != (sealing.Hash{}) {
		t.Errorf("the leaf is %+v, %v", leaf, err)
	}
}

// TestCompare alters each part of a stored decision, and checks that Compare names it.
func TestCompare(t *testing.T) {
	t.Parallel()
	w := sample()
	Complete(tree, scope, w, &outcome)
	leaf, err := evidence.UnpackLeaf(w.Entry.Leaf)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		alter func(d *store.Decision, f *store.Features)
		want  string
	}{
		{"nothing", func(*store.Decision, *store.Features) {}, ""},
		{"id", func(d *store.Decision, _ *store.Features) { d.ID = "dec_2" }, "another object"},
		{"time", func(d *store.Decision, _ *store.Features) { d.CreatedMicros += 1000 }, "time"},
		{"less than a millisecond", func(d *store.Decision, _ *store.Features) { d.CreatedMicros++ }, "column"},
		{"applicant", func(d *store.Decision, _ *store.Features) { d.ApplicantRef = "A-2" }, "applicant reference"},
		{"no applicant", func(d *store.Decision, _ *store.Features) { d.ApplicantRef = "" }, "applicant reference"},
		{"status", func(d *store.Decision, _ *store.Features) { d.Status = "DECLINED" }, "column"},
		{"texts moved", func(d *store.Decision, _ *store.Features) { d.Grade, d.PolicyKey = "Bd", "efault" }, "column"},
		{"plain", func(d *store.Decision, _ *store.Features) { d.Plain += " " }, "column"},
		{"answer", func(d *store.Decision, _ *store.Features) { d.Response = []byte(`{}`) }, "answer"},
		{"facts", func(d *store.Decision, _ *store.Features) { d.Facts = []byte(`{}`) }, "facts"},
		{"vector", func(_ *store.Decision, f *store.Features) { f.Vector = []byte{3} }, "feature vector"},
		{"source", func(_ *store.Decision, f *store.Features) { f.Source = nil }, "history"},
		{"date", func(_ *store.Decision, f *store.Features) { f.AsOf = "2026-11-11" }, "date or the hash"},
	} {
		d, f := w.Decision, *w.Features
		c.alter(&d, &f)
		got := strings.Join(Compare(tree, scope, &d, &f, &leaf, Erased{}), "; ")
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	for _, alter := range []func(*evidence.Leaf){
		func(l *evidence.Leaf) { l.Row[0]++ }, func(l *evidence.Leaf) { l.Reference[0]++ },
		func(l *evidence.Leaf) { l.Commitment[0]++ }, func(l *evidence.Leaf) { l.At = "" },
		func(l *evidence.Leaf) { l.Kind = evidence.Review }, func(l *evidence.Leaf) { l.ID = "dec_2" },
	} {
		altered := leaf
		alter(&altered)
		if got := Compare(tree, scope, &w.Decision, w.Features, &altered, Erased{}); len(got) == 0 {
			t.Errorf("%+v is taken for the decision's leaf", altered)
		}
	}
	if got := Compare(tree, scope, &w.Decision, nil, &leaf, Erased{}); len(got) == 0 {
		t.Error("removed features are not noticed")
	}
	if got := Compare(tree, Scope{"ten_A", "sandbox"}, &w.Decision, w.Features, &leaf, Erased{}); len(got) == 0 {
		t.Error("another environment is not noticed")
	}
}

// TestKeyAfterErasure checks that a reference has a new key after it was erased, and that erasing it in one
// environment does not change its key in the other.
func TestKeyAfterErasure(t *testing.T) {
	t.Parallel()
	d := &store.Decision{ID: "dec_1", ApplicantRef: "A-1"}
	before := tree.keyOf(1, "live", d)
	left := NewTree(tree.keys.Forget(sealing.PersonName("live", "A-1", 0)), 1, false)
	if after := left.keyOf(1, "live", d); after == before || after == (sealing.Secret{}) {
		t.Error("an erased reference keeps its key")
	}
	if left.keyOf(1, "sandbox", d) != tree.keyOf(1, "sandbox", d) {
		t.Error("erasing in live changes the key in the sandbox")
	}
}
