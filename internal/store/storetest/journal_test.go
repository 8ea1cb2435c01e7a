//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/evidence"
	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// entered returns a decision whose journal entry has the decision's id as its leaf.
func entered(id string, quota int64) *store.DecisionWrite {
	w := decision(id, quota)
	w.Entry = store.Entry{Leaf: []byte(id), Data: []byte("data of " + id)}
	return w
}

// wantJournal checks that the entries are numbered from 0 without gaps, and that every decision has exactly one
// entry, whose number is the decision's Leaf. It returns the number of decisions. The journal also contains the
// entries of the signup.
func wantJournal(t *testing.T, scope *store.Scope) int64 {
	t.Helper()
	var leaves []string
	others := 0
	for from := int64(0); ; {
		runs, err := scope.Journal(t.Context()).Read(from)
		if err != nil {
			t.Fatal(err)
		}
		if len(runs) == 0 {
			break
		}
		for _, run := range runs {
			if run.First != from {
				t.Fatalf("an entry has the number %d instead of %d", run.First, from)
			}
			for _, e := range run.List {
				if _, err := evidence.UnpackLeaf(e.Leaf); err == nil {
					leaves, others = append(leaves, ""), others+1
					continue
				}
				if string(e.Data) != "data of "+string(e.Leaf) {
					t.Errorf("%q has the data %q", e.Leaf, e.Data)
				}
				leaves = append(leaves, string(e.Leaf))
			}
			from = int64(len(leaves))
		}
	}
	decisions := int64(0)
	err := scope.Decisions(t.Context()).Walk(store.DecisionFilter{}, store.Page{}, func(d *store.Decision) error {
		decisions++
		if d.Leaf < 0 || d.Leaf >= int64(len(leaves)) || leaves[d.Leaf] != d.ID {
			t.Errorf("%s has the number %d of %d", d.ID, d.Leaf, len(leaves))
		}
		return nil
	})
	if err != nil || decisions != int64(len(leaves)-others) {
		t.Errorf("%d decisions, %d entries and %d others: %v", decisions, len(leaves), others, err)
	}
	if size, err := scope.Journal(t.Context()).Size(); err != nil || size != int64(len(leaves)) {
		t.Errorf("the journal has the size %d, %v, and %d entries", size, err, len(leaves))
	}
	return decisions
}

// TestFirstSince checks the search for the first entry that was added at a time or later.
func TestFirstSince(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		signUp(t, db, "ten_A")
		scope := db.Scope("ten_A", live)
		first := func(since, want int64) {
			t.Helper()
			if got, err := scope.Journal(t.Context()).FirstSince(since); err != nil || got != want {
				t.Errorf("since %d: entry %d, want %d: %v", since, got, want, err)
			}
		}
		size := wantSize(t, scope)
		first(0, 0)
		first(1<<60, size)
		// The first transaction adds one entry, the second adds two, and so on.
		for at := range int64(9) {
			doing(t, scope, func(tx *store.Tx) error {
				entries := slices.Repeat([]store.Entry{{Leaf: []byte("leaf")}}, int(at)+1)
				_, err := tx.Journal().Add(1<<60+10*at, entries...)
				return err
			})
		}
		before := size
		for at := range int64(9) {
			first(1<<60+10*at-1, before)
			first(1<<60+10*at, before)
			before += at + 1
		}
		first(1<<60+81, before)
	})
}

func wantSize(t *testing.T, scope *store.Scope) int64 {
	t.Helper()
	size, err := scope.Journal(t.Context()).Size()
	if err != nil {
		t.Fatal(err)
	}
	return size
}

// wantEvents reads the events with a type that begins with prefix from the journal of a scope. It compares the type
// and the data of each event.
func wantEvents(t *testing.T, scope *store.Scope, prefix string, want ...string) {
	t.Helper()
	runs, err := scope.Journal(t.Context()).Read(0)
	var got []string
	for _, run := range runs {
		for _, e := range run.List {
			if strings.HasPrefix(string(e.Data), prefix) {
				got = append(got, string(e.Data))
			}
		}
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("the events (-want +got), %v:\n%s", err, diff)
	}
}

// TestJournal stores decisions concurrently, with InsertDecision and with Write. It checks that refused decisions leave
// no gap in the journal.
func TestJournal(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope, other := signUp(t, db, "ten_A"), signUp(t, db, "ten_B")
		refused := errors.New("refused")
		errs := race(300, func(i int) error {
			w := entered(numbered("dec", i), 150)
			switch i % 6 {
			case 1: // five decisions share each key
				a := answer(numbered("key", i/30))
				w.Answer = &a
			case 2:
				return scope.Write(t.Context(), func(tx *store.Tx) error { return tx.Decisions().Insert(w) })
			case 3: // a function that fails after it has added an entry
				return scope.Write(t.Context(), func(tx *store.Tx) error {
					return errors.Join(tx.Decisions().Insert(w), refused)
				})
			case 4:
				w.Meter.Quota = store.Unmetered
				return other.InsertDecision(t.Context(), w)
			}
			return scope.InsertDecision(t.Context(), w)
		})
		for i, err := range errs {
			var answered *store.AlreadyAnswered
			var limited *fault.Error
			if err != nil && !errors.Is(err, refused) && !errors.As(err, &answered) &&
				(!errors.As(err, &limited) || limited.Code != fault.CodeQuotaExceeded) {
				t.Errorf("%d: %v", i, err)
			}
		}
		if n := wantJournal(t, scope); n != 150 {
			t.Errorf("%d entries under a quota of 150", n)
		}
		if n := wantJournal(t, other); n != 50 {
			t.Errorf("%d entries of the other tenant", n)
		}
		if n := wantJournal(t, db.Scope("ten_A", live)); n != 0 {
			t.Errorf("%d entries in live", n)
		}
	})
}

// TestJournalOverNodes lets two nodes add entries to one journal.
func TestJournalOverNodes(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	nodes := []*store.DB{
		storetest.Open(t, databaseURL, store.Options{}), storetest.Open(t, databaseURL, store.Options{}),
	}
	signUp(t, nodes[0], "ten_A")
	errs := race(400, func(i int) error {
		scope, w := nodes[i%2].Scope("ten_A", sandbox), entered(numbered("dec", i), store.Unmetered)
		if i%5 == 0 {
			return scope.Write(t.Context(), func(tx *store.Tx) error { return tx.Decisions().Insert(w) })
		}
		return scope.InsertDecision(t.Context(), w)
	})
	if got := succeeded(t, errs, 0, ""); got != len(errs) {
		t.Fatalf("%d of %d inserted", got, len(errs))
	}
	if n := wantJournal(t, nodes[0].Scope("ten_A", sandbox)); n != int64(len(errs)) {
		t.Errorf("%d entries", n)
	}
}

// TestJournalReads checks that Read begins with the first entry of the transaction that added the requested
// entry.
func TestJournalReads(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope, others := db.Scope("ten_X", sandbox), neighbours(t, db, "ten_X")
		before := map[string]int64{}
		for who, other := range others {
			size, err := other.Journal(t.Context()).Size()
			if err != nil {
				t.Fatal(err)
			}
			before[who] = size
		}
		for _, leaves := range []string{"a b c", "d", "e f"} {
			err := scope.Write(t.Context(), func(tx *store.Tx) error {
				var entries []store.Entry
				for _, leaf := range strings.Fields(leaves) {
					entries = append(entries, store.Entry{Leaf: []byte(leaf)})
				}
				_, err := tx.Journal().Add(1_000, entries...)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for from, want := range []string{"abc d ef", "abc d ef", "abc d ef", "d ef", "ef", "ef", ""} {
			runs, err := scope.Journal(t.Context()).Read(int64(from))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, run := range runs {
				var leaves bytes.Buffer
				for _, e := range run.List {
					leaves.Write(e.Leaf)
				}
				got = append(got, leaves.String())
			}
			if strings.Join(got, " ") != want {
				t.Errorf("from %d: %q, want %q", from, got, want)
			}
		}
		for who, other := range others {
			if size, err := other.Journal(t.Context()).Size(); err != nil || size != before[who] {
				t.Errorf("%s sees %d entries: %v", who, size, err)
			}
		}
	})
}

// withoutEntries inserts decisions directly into the database as a version of verdict
// without a journal did.
func withoutEntries(t *testing.T, databaseURL, kind string) {
	t.Helper()
	const insert = `INSERT INTO decisions (tenant_id, environment, id, created_micros, applicant_ref, status, grade,
			policy_key, policy_id, policy_version, endpoint, engine_version, hash, response, facts, actor)
		SELECT 'ten_A', 'sandbox', id, 1, 'app', 'APPROVED', 'B',
			'default', 'pol_1', 1, 'e', 'v', 'h', 'r', 'f', 'key_1'
		FROM (SELECT 'dec_1' AS id UNION ALL SELECT 'dec_2' UNION ALL SELECT 'dec_3') AS ids`
	off, on := "PRAGMA ignore_check_constraints = ON", "PRAGMA ignore_check_constraints = OFF"
	raw := storetest.Raw(t, databaseURL)
	if kind == "postgres" {
		off = "ALTER TABLE decisions DROP CONSTRAINT decisions_have_leaf"
		on = "ALTER TABLE decisions ADD CONSTRAINT decisions_have_leaf CHECK (leaf >= 0) NOT VALID"
	}
	err := errOf(t.Context(), raw, kind, insert)
	if err == nil || !strings.Contains(err.Error(), "decisions_have_leaf") {
		t.Errorf("a decision without an entry is refused with %v", err)
	}
	fillBy(t, databaseURL, kind, off+";"+insert+";"+on)
}

// TestAddLeaves stores decisions that are older than the journal, and adds their entries. It repeats this in a
// backup that is restored into each kind of database.
func TestAddLeaves(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		signUp(t, db, "ten_A")
		withoutEntries(t, databaseURL, db.Kind())
		var backup bytes.Buffer
		if _, err := db.Backup(t.Context(), &backup, nil); err != nil {
			t.Fatal(err)
		}
		addLeaves(t, db)
		targets := map[string]func(testing.TB) string{"sqlite": storetest.SQLite, "postgres": storetest.Postgres}
		for kind, into := range targets {
			t.Run("restored into "+kind, func(t *testing.T) {
				t.Parallel()
				target := into(t)
				_, err := store.Restore(t.Context(), target, bytes.NewReader(backup.Bytes()), store.Options{}, nil)
				if err != nil {
					t.Fatal(err)
				}
				addLeaves(t, storetest.Open(t, target, store.Options{}))
			})
		}
	})
}

// addLeaves adds the entries of the three decisions of withoutEntries.
func addLeaves(t *testing.T, db *store.DB) {
	t.Helper()
	scope := db.Scope("ten_A", sandbox)
	rows, next, err := scope.Decisions(t.Context()).WithoutLeaf("", 2)
	if err != nil || len(rows) != 2 || next != "dec_2" ||
		rows[0].ID != "dec_1" || rows[1].ID != "dec_2" || string(rows[0].Facts) != "f" {
		t.Fatalf("%+v, %v", rows, err)
	}
	if rows, next, err = scope.Decisions(t.Context()).WithoutLeaf("", 10); err != nil || len(rows) != 3 || next != "" {
		t.Fatalf("%+v, %v", rows, err)
	}
	if last, _, err := scope.Decisions(t.Context()).WithoutLeaf("dec_2", 10); err != nil || len(last) != 1 {
		t.Fatalf("%+v, %v", last, err)
	}
	if err := scope.InsertDecision(t.Context(), entered("dec_4", store.Unmetered)); err != nil {
		t.Fatal(err)
	}
	writes := make([]*store.DecisionWrite, len(rows))
	for i := range rows {
		writes[i] = entered(rows[i].ID, store.Unmetered)
		writes[i].Decision.Plain = `{"of":"` + rows[i].ID + `"}`
	}
	add := func(writes []*store.DecisionWrite) error {
		return scope.Write(t.Context(), func(tx *store.Tx) error { return tx.Decisions().AddLeaves(writes, 5) })
	}
	if err := add(writes[:2]); err != nil {
		t.Fatal(err)
	}
	// The first two decisions already have entries, as if another node had added them.
	if err := add(writes); !errors.Is(err, store.ErrHasLeaf) {
		t.Errorf("adding entries twice: %v", err)
	}
	if err := add(writes[2:]); err != nil {
		t.Fatal(err)
	}
	if n := wantJournal(t, scope); n != 4 {
		t.Errorf("%d entries", n)
	}
	if d, err := scope.Decisions(t.Context()).Get("dec_2"); err != nil || d.Plain != `{"of":"dec_2"}` {
		t.Errorf("%+v, %v", d, err)
	}
}
