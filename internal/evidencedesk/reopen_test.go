//nolint:thelper // what EachURL runs is the test itself: a failure belongs to its own line
package evidencedesk_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"verdict/internal/application"
	"verdict/internal/capsule"
	"verdict/internal/evidence"
	"verdict/internal/evidencedesk"
	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// node returns the use cases of a node over a database.
func node(t *testing.T, db *store.DB, signed evidencedesk.Signed) *usecase.Set {
	t.Helper()
	n, err := usecase.New(db, usecase.Options{
		Now: usecasetest.NewClock().Now, PasswordCost: usecasetest.Cheap, MasterKey: usecasetest.MasterKey,
		Log: evidencedesk.Options{Key: key, Signed: signed},
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// restored returns a new database of the same kind with the content of a backup.
func restored(t *testing.T, from *store.DB, backup []byte) *store.DB {
	t.Helper()
	target := storetest.SQLite(t)
	if from.Kind() != "sqlite" {
		target = storetest.Postgres(t)
	}
	if _, err := store.Restore(t.Context(), target, bytes.NewReader(backup), store.Options{}, nil); err != nil {
		t.Fatal(err)
	}
	return storetest.Open(t, target, store.Options{})
}

// openingOf reads the first leaf of a log from its entries, as an auditor does.
func openingOf(t *testing.T, h *usecasetest.House) evidence.Reopening {
	t.Helper()
	stored, err := h.Service.Evidence.Checkpoint(t.Context(), h.Caller)
	if err != nil {
		t.Fatal(err)
	}
	bundle, err := h.Service.Evidence.Tile(t.Context(), h.Caller, "entries/000.p/1")
	if err != nil {
		t.Fatalf("%v; the checkpoint is\n%s", err, stored)
	}
	opening, err := evidence.ParseReopening(bundle[2 : 2+binary.BigEndian.Uint16(bundle)])
	if err != nil {
		t.Fatalf("%v: %s", err, bundle)
	}
	return opening
}

// reopen reopens the log of the caller.
func reopen(t *testing.T, h *usecasetest.House, reason string) (evidencedesk.Reopened, error) {
	t.Helper()
	return h.Service.Evidence.Reopen(t.Context(), h.Caller.TenantID, h.Caller.Environment, reason)
}

// TestReopen restores an older backup, reopens the log and continues. Proofs from before stay
// valid, and the audit names what is gone.
func TestReopen(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		signed := newMemory()
		db := storetest.Open(t, databaseURL, store.Options{})
		h := open(t, db, signed)
		kept := []string{h.Decided(t, usecasetest.Sample), h.Decided(t, usecasetest.Sample)}
		sign(t, h)
		before := logOf(t, h)
		old, err := h.Service.Evidence.Capsule(t.Context(), h.Caller, kept[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := reopen(t, h, "why not"); fault.KindOf(err) != fault.Conflict {
			t.Errorf("a log that can be signed is reopened: %v", err)
		}
		var backup bytes.Buffer
		if _, err := db.Backup(t.Context(), &backup, nil); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			h.Decided(t, usecasetest.Sample)
		}
		sign(t, h)

		// The older copy gets other decisions in the place of those that are lost.
		older := restored(t, db, backup.Bytes())
		h.Service = node(t, older, signed)
		other := node(t, older, newMemory()) // this node has no record of what was signed
		after := h.Decided(t, usecasetest.Sample)
		sign(t, h)
		if h.Service.Evidence.Stopped() != 1 {
			t.Fatal("an older copy is signed")
		}
		if err := other.Evidence.SignAll(t.Context()); err != nil || other.Evidence.Stopped() != 1 {
			t.Errorf("another node: %v", err)
		}
		for _, reason := range []string{"", " ", "a\nb", strings.Repeat("x", 501)} {
			if _, err := reopen(t, h, reason); fault.KindOf(err) != fault.Invalid {
				t.Errorf("the reason %.10q: %v", reason, err)
			}
		}
		r, err := reopen(t, h, "a backup was restored")
		if err != nil || r.Before.Size != 5+signupEntries || r.Kept != 2+signupEntries ||
			r.Origin != before.keys.Name()+"#2" {
			t.Fatalf("reopened: %+v, %v", r, err)
		}
		if opening := openingOf(t, h); opening.Origin != r.Origin || opening.Reason != "a backup was restored" ||
			opening.Kept != 2+signupEntries || !strings.HasPrefix(opening.Checkpoint, r.Before.Text()) {
			t.Errorf("the first leaf is %+v", opening)
		}
		if _, err := reopen(t, h, "again"); fault.KindOf(err) != fault.Conflict {
			t.Errorf("a log is reopened twice: %v", err)
		}
		sign(t, h)
		if err := other.Evidence.SignAll(t.Context()); err != nil || other.Evidence.Stopped() != 0 {
			t.Errorf("another node does not go on: %v", err)
		}
		wantReopened(t, h, append(kept, after))
		if report := old.Check(before.keys, nil); report.Logged != nil || report.Decided != nil {
			t.Errorf("a capsule from before: %+v", report)
		}
		audited, err := h.Service.Evidence.Audit(t.Context(), "")
		if err != nil || len(audited.Wrong) != 0 || len(audited.Reopened) != 1 ||
			audited.Leaves != 4+signupEntries+liveEntries || audited.Unsigned != 0 ||
			!strings.Contains(audited.Reopened[0].Text, "entries 7 to 9 are gone") {
			t.Errorf("the audit says %+v, %v", audited, err)
		}

		// If the same backup is restored again, the reopened log is gone, too.
		h.Service = node(t, restored(t, db, backup.Bytes()), signed)
		h.Decided(t, usecasetest.Sample)
		sign(t, h)
		if n := h.Service.Evidence.Stopped(); n != 1 {
			t.Errorf("%d logs are stopped after the reopened log was lost", n)
		}
		if audited, err := h.Service.Evidence.Audit(t.Context(), ""); err != nil || len(audited.Wrong) != 1 {
			t.Errorf("the audit says %+v, %v", audited, err)
		}
		if r, err = reopen(t, h, "once more"); err != nil || r.Before.Size != 4+signupEntries ||
			!strings.HasSuffix(r.Origin, "#3") {
			t.Errorf("reopened: %+v, %v", r, err)
		}
		sign(t, h)
		if c := logOf(t, h).checkpoint(t); c.Size != 4+signupEntries || c.Origin != r.Origin {
			t.Errorf("the checkpoint is %+v", c)
		}
	})
}

// wantReopened checks the tiles of a reopened log and the capsules of its decisions.
func wantReopened(t *testing.T, h *usecasetest.House, ids []string) {
	t.Helper()
	l := logOf(t, h)
	c := l.checkpoint(t)
	if c.Size != int64(1+signupEntries+len(ids)) || !strings.HasSuffix(c.Origin, "#2") {
		t.Errorf("the checkpoint is %+v", c)
	}
	var roots evidence.Roots
	bundle, err := h.Service.Evidence.Tile(t.Context(), h.Caller, fmt.Sprintf("entries/000.p/%d", c.Size))
	if err != nil {
		t.Fatal(err)
	}
	for first := true; len(bundle) > 0; first = false {
		end := 2 + int(binary.BigEndian.Uint16(bundle))
		if opening, err := evidence.ParseReopening(bundle[2:end]); first && err == nil {
			roots.Add(opening.Hash())
		} else if leaf, err := evidence.ParseLeaf(bundle[2:end]); !first && err == nil {
			roots.Add(evidence.LeafHash(&leaf))
		} else {
			t.Fatalf("%s: %v", bundle[2:end], err)
		}
		bundle = bundle[end:]
	}
	if roots.Root() != c.Root {
		t.Error("the entries do not have the root of the checkpoint")
	}
	for _, id := range ids {
		made, err := h.Service.Evidence.Capsule(t.Context(), h.Caller, id)
		if err != nil {
			t.Fatal(err)
		}
		read, err := capsule.Parse(made.Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		if report := read.Check(l.keys, nil); report.Logged != nil || report.Decided != nil {
			t.Errorf("%s: %+v", id, report)
		}
	}
}

// TestReopenDamaged reopens logs after a part of them was altered in the database. The stored hashes show which
// entries are unchanged.
func TestReopenDamaged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		damage []string
		kept   int64
	}{
		{"an altered hash", []string{
			"UPDATE log_tiles SET hashes = zeroblob(length(hashes)) WHERE environment = 'sandbox'",
		}, 10},
		{"a checkpoint that nobody signed", []string{
			"UPDATE log_checkpoints SET note = 'x' WHERE environment = 'sandbox'",
		}, 10},
		{"no checkpoint", []string{"DELETE FROM log_checkpoints WHERE environment = 'sandbox'",
			"DELETE FROM journal WHERE environment = 'sandbox' AND first >= 9"}, 0},
		{"entries deleted", []string{"DELETE FROM journal WHERE environment = 'sandbox' AND first >= 8"}, 8},
		{"an entry exchanged", []string{
			"DROP TRIGGER journal_unchanged", "DELETE FROM journal WHERE environment = 'sandbox' AND first = 9",
			"INSERT INTO journal SELECT tenant_id, environment, 9, count, created_micros, entries FROM journal " +
				"WHERE environment = 'sandbox' AND first = 6",
		}, 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			databaseURL := storetest.MigratedSQLite(t)
			db := storetest.Open(t, databaseURL, store.Options{})
			h := open(t, db, newMemory())
			for range 5 {
				h.Decided(t, usecasetest.Sample)
			}
			sign(t, h)
			raw := storetest.Raw(t, databaseURL)
			for _, statement := range c.damage {
				if _, err := raw.ExecContext(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := h.Service.Decisions.Decide(t.Context(), h.Caller,
				application.DecisionRequest(usecasetest.Parse(t, usecasetest.Sample)), nil); err != nil {
				t.Fatal(err)
			}
			r, err := reopen(t, h, c.name)
			if err != nil || r.Kept != c.kept || r.Before.Size != 5+signupEntries {
				t.Errorf("reopened: %+v, %v", r, err)
			}
			sign(t, h)
			audited, err := h.Service.Evidence.Audit(t.Context(), "")
			if err != nil || len(audited.Wrong) != 0 || len(audited.Reopened) != 1 ||
				h.Service.Evidence.Stopped() != 0 {
				t.Errorf("the audit says %+v, %v", audited, err)
			}
		})
	}
}

// TestReopenFork reopens a log after two different states of it were signed. The state that is recorded outside the
// database counts.
func TestReopenFork(t *testing.T) {
	t.Parallel()
	for _, recorded := range []int64{3, 5} {
		db := storetest.Open(t, storetest.MigratedSQLite(t), store.Options{})
		signed := newMemory()
		h := open(t, db, signed)
		for range 5 {
			h.Decided(t, usecasetest.Sample)
		}
		sign(t, h)
		c := logOf(t, h).checkpoint(t)
		fork := evidence.Checkpoint{Origin: c.Origin, Size: recorded, Root: [32]byte{1}}
		signed.last[c.Origin] = fork
		r, err := reopen(t, h, "two logs were signed")
		if err != nil || r.Before != fork || r.Kept != 0 {
			t.Errorf("recorded with %d entries: %+v, %v", recorded, r, err)
		}
		audited, err := h.Service.Evidence.Audit(t.Context(), "")
		if err != nil || len(audited.Wrong) != 0 || len(audited.Reopened) != 1 ||
			!strings.Contains(audited.Reopened[0].Text, fmt.Sprintf("entries 0 to %d are gone", recorded-1)) {
			t.Errorf("the audit says %+v, %v", audited, err)
		}
	}
}
