package store_test

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"testing"

	"verdict/internal/fault"
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
			metered("dec_8", func(m *store.Meter) { m.Day = "2026-11-16" })}, true},
		{"several endpoints, and one has waited longer", []*store.DecisionWrite{
			metered("dec_9", func(m *store.Meter) { m.Endpoint = "POST /v1/evaluate" }), write("dec_A"),
			metered("dec_B", func(m *store.Meter) { m.Endpoint = "POST /v1/evaluate" })}, true},
		{"not billed", []*store.DecisionWrite{metered("dec_C", func(m *store.Meter) { m.Billable = false })}, false},
		{"not counted", []*store.DecisionWrite{metered("dec_C", func(m *store.Meter) { m.Units = 0 })}, false},
	} {
		batch := make([]store.ScopedWrite, len(c.writes))
		for i, w := range c.writes {
			batch[i] = store.ScopedWrite{Scope: scope, Write: w}
		}
		flags, err := db.InsertPipelined(t.Context(), batch...)
		got := flags != nil && !slices.Contains(flags, false)
		if err != nil || got != c.want || !got && flags != nil {
			t.Errorf("%s: %v, %v", c.name, flags, err)
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

// TestPipelineGroups stores decisions of several scopes in one pipeline. It checks that a group that cannot be stored
// does not affect the others, and that every decision has the leaf that its journal gives it.
func TestPipelineGroups(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.Postgres(t), store.Options{})
	first, second, full := db.Scope("ten_A", "live"), db.Scope("ten_B", "sandbox"), db.Scope("ten_C", "live")
	for _, scope := range []*store.Scope{first, second, full} {
		if err := scope.InsertDecision(t.Context(), write("dec_0")); err != nil { // creates the journal's head
			t.Fatal(err)
		}
	}
	batch := []store.ScopedWrite{
		{Scope: second, Write: write("dec_1")}, {Scope: full, Write: write("dec_1")},
		{Scope: first, Write: write("dec_1")}, {Scope: second, Write: answering("dec_2", "order", "h")},
		{Scope: db.Scope("ten_D", "live"), Write: write("dec_1")}, // has no head
		{Scope: first, Write: write("dec_2")},
	}
	batch[1].Write.Meter.Quota = 1
	batch[5].Write.KeyChanges = 1 // not the present value
	stored, err := db.InsertPipelined(t.Context(), batch...)
	if want := []bool{true, false, true, true, false, false}; err != nil || !slices.Equal(stored, want) {
		t.Fatalf("got %v, %v, want %v", stored, err, want)
	}
	for _, c := range []struct {
		scope *store.Scope
		want  []string
	}{{first, []string{"dec_0", "dec_1"}}, {second, []string{"dec_0", "dec_1", "dec_2"}}, {full, []string{"dec_0"}}} {
		wantDecisions(t, c.scope, len(c.want))
		size, err := c.scope.Journal(t.Context()).Size()
		if err != nil || size != int64(len(c.want)) {
			t.Errorf("the journal of %s has %d entries, %v", c.scope.Tenant(), size, err)
		}
		for leaf, id := range c.want {
			d, err := c.scope.Decisions(t.Context()).Get(id)
			if err != nil || d.Leaf != int64(leaf) {
				t.Errorf("%s of %s has leaf %d, %v", id, c.scope.Tenant(), d.Leaf, err)
			}
		}
		usage, err := c.scope.Usage(t.Context()).Get(write("").Meter.Period)
		if err != nil || usage.Used != size {
			t.Errorf("%s has used %d units, %v", c.scope.Tenant(), usage.Used, err)
		}
	}
	if batch[3].Write.Decision.Leaf != 2 {
		t.Errorf("the caller got leaf %d", batch[3].Write.Decision.Leaf)
	}
}

// TestManyScopesTogether stores decisions of several scopes in one batch, of which one collides, some exceed a quota,
// one repeats a request and one is sealed with old keys. It checks that each of them gets its own answer, that the
// others are stored, and that nothing of a refused decision remains.
func TestManyScopesTogether(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		collides bool
	}{{"refused", false}, {"one collides", true}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				free, full, repeated, rekeyed := db.Scope("ten_A", "live"), db.Scope("ten_B", "live"),
					db.Scope("ten_C", "live"), db.Scope("ten_D", "live")
				if err := repeated.InsertDecision(t.Context(), answering("dec_0", "order", "h")); err != nil {
					t.Fatal(err)
				}
				old := write("dec_2")
				old.KeyChanges = 7
				batch := []store.ScopedWrite{
					{Scope: free, Write: write("dec_1")}, {Scope: free, Write: write("dec_2")},
					{Scope: full, Write: write("dec_1")}, {Scope: full, Write: write("dec_2")},
					{Scope: repeated, Write: answering("dec_1", "order", "h")},
					{Scope: repeated, Write: write("dec_2")},
					{Scope: rekeyed, Write: write("dec_1")}, {Scope: rekeyed, Write: old},
				}
				batch[2].Write.Meter.Quota, batch[3].Write.Meter.Quota = 1, 1
				if c.collides {
					batch = append(batch, store.ScopedWrite{Scope: repeated, Write: write("dec_0")})
				}
				errs := togetherIn(t, db, batch)
				if errs[0] != nil || errs[1] != nil || errs[5] != nil || errs[6] != nil {
					t.Errorf("some decisions were not stored: %v", errs)
				}
				if (errs[2] == nil) == (errs[3] == nil) || kindOf(errors.Join(errs[2], errs[3])) != fault.Limited {
					t.Errorf("at the last unit of the quota: %v, %v", errs[2], errs[3])
				}
				if heard(batch[4].Write, errs[4]) != "dec_0" {
					t.Errorf("a repeated request: %v", errs[4])
				}
				if !errors.Is(errs[7], store.ErrKeysChanged) {
					t.Errorf("sealed with old keys: %v", errs[7])
				}
				if c.collides && kindOf(errs[8]) != fault.Conflict {
					t.Errorf("a taken id: %v", errs[8])
				}
				for scope, want := range map[*store.Scope]int{free: 2, full: 1, repeated: 2, rekeyed: 1} {
					wantDecisions(t, scope, want)
					size, err := scope.Journal(t.Context()).Size()
					if err != nil || size != int64(want) {
						t.Errorf("the journal of %s has %d entries, want %d, %v", scope.Tenant(), size, want, err)
					}
					usage, err := scope.Usage(t.Context()).Get(write("").Meter.Period)
					if err != nil || usage.Used != int64(want) {
						t.Errorf("%s has used %d units, want %d, %v", scope.Tenant(), usage.Used, want, err)
					}
				}
			})
		})
	}
}

// togetherIn submits decisions of any scopes so that they are committed together, and returns the outcome of each.
func togetherIn(t *testing.T, db *store.DB, batch []store.ScopedWrite) []error {
	t.Helper()
	release := hold(t, db)
	errs := make([]error, len(batch))
	var all sync.WaitGroup
	for i, b := range batch {
		all.Go(func() { errs[i] = b.Scope.InsertDecision(t.Context(), b.Write) })
	}
	waiting(t, db, len(batch))
	release()
	all.Wait()
	return errs
}
