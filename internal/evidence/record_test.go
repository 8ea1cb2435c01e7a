package evidence

import (
	"testing"

	"verdict/internal/sealing"
)

// TestRecord checks that the leaf of a record depends on each of its parts, and that its
// event can be read back.
func TestRecord(t *testing.T) {
	t.Parallel()
	record := func() Record {
		return Record{
			Tenant: "ten_A", Environment: "live", Kind: Review, ID: "rev_1", Micros: 1_763_303_400_123_456,
			Type: "decision.reviewed", Data: []byte(`{"outcome":"upheld"}`), Commitment: Commit([]byte("salt"), "note"),
		}
	}
	r := record()
	leaf := r.Leaf()
	if leaf.At != "2025-11-16T14:30:00.123Z" || leaf.Kind != Review || leaf.ID != "rev_1" || leaf.Backfilled {
		t.Errorf("the leaf is %+v", leaf)
	}
	if again, err := UnpackLeaf(leaf.Pack(nil)); err != nil || again != leaf {
		t.Errorf("%+v, %v", again, err)
	}
	if again, err := ParseLeaf(leaf.Append(nil)); err != nil || again != leaf {
		t.Errorf("%+v, %v", again, err)
	}
	hashes := map[sealing.Hash]string{leaf.Row: "nothing"}
	for name, alter := range map[string]func(*Record){
		"tenant":           func(r *Record) { r.Tenant = "ten_B" },
		"environment":      func(r *Record) { r.Environment = "sandbox" },
		"kind":             func(r *Record) { r.Kind = Config },
		"id":               func(r *Record) { r.ID = "rev_2" },
		"a microsecond":    func(r *Record) { r.Micros++ },
		"type":             func(r *Record) { r.Type = "decision.created" },
		"data":             func(r *Record) { r.Data = []byte(`{"outcome":"overturned"}`) },
		"texts that moved": func(r *Record) { r.ID, r.Kind = "w_1", "reviewre" },
	} {
		altered := record()
		alter(&altered)
		hash := altered.Leaf().Row
		if same, found := hashes[hash]; found {
			t.Errorf("%s and %s have the same hash", name, same)
		}
		hashes[hash] = name
	}
	commitments := map[sealing.Hash]bool{leaf.Commitment: true}
	for _, c := range []sealing.Hash{
		Commit([]byte("salt"), "note "), Commit([]byte("sal"), "tnote"), Commit([]byte("salt"), "note", ""),
		Commit(nil, "note"),
	} {
		if commitments[c] {
			t.Error("two commitments are the same")
		}
		commitments[c] = true
	}
	if kind, data, ok := ParseEvent(r.Event()); !ok || kind != r.Type || string(data) != string(r.Data) {
		t.Errorf("the event is %q %q", kind, data)
	}
	for _, broken := range []string{"", " ", "x", "x ", " {}"} {
		if _, _, ok := ParseEvent([]byte(broken)); ok {
			t.Errorf("%q is an event", broken)
		}
	}
}
