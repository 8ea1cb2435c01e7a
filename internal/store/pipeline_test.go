package store_test

import (
	"bytes"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestInsertPipelined checks that insertPipelined stores ordinary batches
// completely, and stores nothing of a batch that must be stored with ordinary
// statements.
func TestInsertPipelined(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.Postgres(t), store.Options{})
	scope := db.Scope("ten_A", "sandbox")
	metered := func(id string, change func(*store.Meter)) *store.DecisionWrite {
		w := write(id)
		change(&w.Meter)
		return w
	}
	quota := func(n int64) func(*store.Meter) { return func(m *store.Meter) { m.Quota = n } }
	full := answering("dec_1", "first", "h")
	full.Features = &store.Features{AsOf: "2026-11-10", Hash: "sha256:f", Vector: []byte{1}, Source: []byte{2}}
	if err := scope.Write(t.Context(), func(*store.Tx) error { return nil }); err != nil { // creates the journal's head
		t.Fatal(err)
	}
	stored := 0
	for _, c := range []struct {
		name   string
		writes []*store.DecisionWrite
		want   bool
	}{
		{"some with all that can belong to them",
			[]*store.DecisionWrite{full, write("dec_2"), answering("dec_3", "third", "h")}, true},
		{"one", []*store.DecisionWrite{write("dec_4")}, true},
		{"the last of a quota", []*store.DecisionWrite{metered("dec_5", quota(5))}, true},
		{"too many for a quota", []*store.DecisionWrite{metered("dec_6", quota(6)), metered("dec_7", quota(6))}, false},
		{"no quota at all", []*store.DecisionWrite{metered("dec_6", quota(0))}, false},
		{"too many with an answer", []*store.DecisionWrite{func() *store.DecisionWrite {
			w := answering("dec_6", "refused", "h")
			w.Meter.Quota = 5
			return w
		}()}, false},
		{"a key that is free again", []*store.DecisionWrite{answering("dec_6", "refused", "h")}, true},
		{"a key that is taken", []*store.DecisionWrite{write("dec_7"), answering("dec_8", "first", "h")}, false},
		{"a key twice", []*store.DecisionWrite{answering("dec_7", "twice", "h"), answering("dec_8", "twice", "h")},
			false},
		{"an id that is taken", []*store.DecisionWrite{write("dec_7"), write("dec_1")}, false},
		{"several days", []*store.DecisionWrite{write("dec_7"),
			metered("dec_8", func(m *store.Meter) { m.Day = "2026-11-16" })}, false},
		{"not billed", []*store.DecisionWrite{metered("dec_7", func(m *store.Meter) { m.Billable = false })}, false},
		{"not counted", []*store.DecisionWrite{metered("dec_7", func(m *store.Meter) { m.Units = 0 })}, false},
	} {
		got, err := scope.InsertPipelined(t.Context(), c.writes...)
		if err != nil || got != c.want {
			t.Errorf("%s: %t, %v", c.name, got, err)
		}
		if got {
			stored += len(c.writes)
		}
		wantDecisions(t, scope, stored)
	}
	features, err := scope.Decisions(t.Context()).Features("dec_1")
	if err != nil || !bytes.Equal(features.Vector, []byte{1}) {
		t.Errorf("got %v, %v", features, err)
	}
	before, err := scope.Answers(t.Context()).Lookup(full.Answer.Key, store.RequestHash{Keyed: "h"}, 1500)
	if err != nil || before == nil || string(before.Body) != "dec_1" {
		t.Errorf("got %v, %v", before, err)
	}
}
