//nolint:thelper // what EachURL runs is the test itself: a failure belongs to its own line
package evidencedesk_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"database/sql"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/rfc6962"

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

func TestMain(m *testing.M) { storetest.Main(m) }

// memory stores signed checkpoints as the file beside the key does.
type memory struct {
	mu   sync.Mutex
	last map[string]evidence.Checkpoint
}

func newMemory() *memory { return &memory{last: map[string]evidence.Checkpoint{}} }

func (m *memory) Last(origin string) (evidence.Checkpoint, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, ok := m.last[origin]
	return c, ok
}

func (m *memory) Origins() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var origins []string
	for origin := range m.last {
		origins = append(origins, origin)
	}
	return origins
}

func (m *memory) Add(checkpoints []evidence.Checkpoint) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range checkpoints {
		if before, ok := m.last[c.Origin]; ok && before.Size == c.Size && before.Root != c.Root {
			return fmt.Errorf("two roots of %s with the size %d", c.Origin, c.Size)
		}
		if m.last[c.Origin].Size <= c.Size {
			m.last[c.Origin] = c
		}
	}
	return nil
}

var key = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))

// signupEntries and liveEntries are the numbers of entries that a signup adds to the sandbox
// journal and to the live journal.
const signupEntries, liveEntries = 5, 3

func open(t *testing.T, db *store.DB, signed evidencedesk.Signed) *usecasetest.House {
	t.Helper()
	return usecasetest.Open(t, db, usecase.Options{Log: evidencedesk.Options{Key: key, Signed: signed}})
}

// log reads the log of a house as an examiner does.
type log struct {
	*usecasetest.House
	keys *evidence.LogKeys
}

func logOf(t *testing.T, h *usecasetest.House) log {
	t.Helper()
	text, err := h.Service.Evidence.Key(t.Context(), h.Caller)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := evidence.ParseLogKeys(text)
	if err != nil {
		t.Fatal(err)
	}
	return log{h, keys}
}

func (l log) checkpoint(t *testing.T) evidence.Checkpoint {
	t.Helper()
	text, err := l.Service.Evidence.Checkpoint(t.Context(), l.Caller)
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := l.keys.Open(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// leaves reads all leaves of the log, and checks with another implementation that they have
// the root of the checkpoint. It also reads every tile.
func (l log) leaves(t *testing.T) []evidence.Leaf {
	t.Helper()
	c := l.checkpoint(t)
	judge := (&compact.RangeFactory{Hash: rfc6962.DefaultHasher.HashChildren}).NewEmptyRange(0)
	var leaves []evidence.Leaf
	for number := int64(0); number*evidence.TileWidth < c.Size; number++ {
		width := min(evidence.TileWidth, c.Size-number*evidence.TileWidth)
		path := fmt.Sprintf("%03d", number)
		if width < evidence.TileWidth {
			path += fmt.Sprintf(".p/%d", width)
		}
		bundle, err := l.Service.Evidence.Tile(t.Context(), l.Caller, "entries/"+path)
		if err != nil {
			t.Fatal(err)
		}
		hashes, err := l.Service.Evidence.Tile(t.Context(), l.Caller, "0/"+path)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; len(bundle) > 0; i++ {
			end := 2 + int(binary.BigEndian.Uint16(bundle))
			leaf, err := evidence.ParseLeaf(bundle[2:end])
			if err != nil {
				t.Fatal(err)
			}
			hash := rfc6962.DefaultHasher.HashLeaf(bundle[2:end])
			if !bytes.Equal(hash, hashes[i*len(hash):(i+1)*len(hash)]) {
				t.Errorf("the tile has another hash of leaf %d", len(leaves))
			}
			if err := judge.Append(hash, nil); err != nil {
				t.Fatal(err)
			}
			leaves, bundle = append(leaves, leaf), bundle[end:]
		}
	}
	root, err := judge.GetRootHash(nil)
	if err != nil || !bytes.Equal(root, c.Root[:]) || int64(len(leaves)) != c.Size {
		t.Errorf("%d leaves have the root %x, %v; the checkpoint says %d and %x", len(leaves), root, err, c.Size,
			c.Root)
	}
	return leaves
}

// begun returns the number of entries that the log has after the signup: the entries of the first
// key, of the rule sets and of their activation.
func begun(t *testing.T, db *store.DB, h *usecasetest.House) int64 {
	t.Helper()
	size, err := db.Scope(h.Caller.TenantID, string(h.Caller.Environment)).Journal(t.Context()).Size()
	if err != nil || size == 0 {
		t.Fatalf("the log begins with %d entries, %v", size, err)
	}
	return size
}

func sign(t *testing.T, h *usecasetest.House) {
	t.Helper()
	if err := h.Service.Evidence.Sign(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// withFeatures is a request for which a feature vector is stored.
const withFeatures = `{"bureau":"cibil","features":true,"report":{"cibil":{"scoreData":{"score":742},
	"reportDate":"2026-01-10","accounts":[{"accountType":"personal_loan","openDate":"2024-02-11","status":"active",
	"sanctionedAmount":200000,"currentBalance":120000,"emi":6900}]}}}`

// TestCapsule decides, signs, and checks the capsules as an examiner does.
func TestCapsule(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		h := open(t, db, newMemory())
		first := begun(t, db, h)
		if _, err := h.Service.Evidence.Checkpoint(t.Context(), h.Caller); fault.CodeOf(err) != fault.CodeNotFound {
			t.Errorf("got %v for a log without a checkpoint", err)
		}
		ids := []string{h.Decided(t, usecasetest.Sample), h.Decided(t, usecasetest.Sample)}
		evaluated, err := h.Service.Decisions.Evaluate(t.Context(), h.Caller,
			application.EvaluateRequest(usecasetest.Parse(t, withFeatures)), nil)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, evaluated.ID)
		_, err = h.Service.Evidence.Proof(t.Context(), h.Caller, ids[0])
		if fault.CodeOf(err) != fault.CodeNotSignedYet {
			t.Errorf("got %v for a decision that is not signed", err)
		}
		sign(t, h)
		l := logOf(t, h)
		if leaves := l.leaves(t)[first:]; len(leaves) != len(ids) || leaves[1].ID != ids[1] {
			t.Errorf("the leaves are %+v", leaves)
		}
		size := first + 3
		for _, id := range ids {
			made, err := h.Service.Evidence.Capsule(t.Context(), h.Caller, id)
			if err != nil {
				t.Fatal(err)
			}
			text := made.Append(nil)
			read, err := capsule.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if r := read.Check(l.keys, nil); r.Decided != nil || r.Logged != nil || r.Checkpoint.Size != size {
				t.Errorf("%+v", r)
			}
			if (read.Features != nil) != (id == evaluated.ID) {
				t.Errorf("%s has features: %t", id, read.Features != nil)
			}
			read.Row.Status = "DECLINED"
			if r := read.Check(l.keys, nil); r.Logged == nil {
				t.Error("another status is not noticed")
			}
			// The audit trail says who asked.
			if logged := strings.Join(h.Logged(h.Caller, id), " "); !strings.Contains(logged, "decision.capsule_read") {
				t.Errorf("the audit trail has %s", logged)
			}
		}
		for _, id := range []string{"dec_01J00000000000000000000000", "x", ""} {
			if _, err := h.Service.Evidence.Capsule(t.Context(), h.Caller, id); fault.KindOf(err) != fault.NotFound {
				t.Errorf("%q: got %v", id, err)
			}
		}
		for _, path := range []string{
			"0/001", "0/000", fmt.Sprint("0/000.p/", size+1), "1/000.p/1", fmt.Sprint("entries/000.p/", size+1), "x",
			"entries/001.p/1",
		} {
			if _, err := h.Service.Evidence.Tile(t.Context(), h.Caller, path); fault.KindOf(err) != fault.NotFound {
				t.Errorf("%q: got %v", path, err)
			}
		}
	})
}

// TestSignGrows signs a log repeatedly while it grows beyond one tile.
func TestSignGrows(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		h := open(t, db, newMemory())
		const decisions = 530
		first := begun(t, db, h)
		for n := range decisions {
			h.Decided(t, usecasetest.Sample)
			if n%97 == 0 {
				sign(t, h)
			}
		}
		sign(t, h)
		sign(t, h) // nothing is left to sign
		if leaves := logOf(t, h).leaves(t)[first:]; len(leaves) != decisions {
			t.Errorf("%d leaves, want %d", len(leaves), decisions)
		}
		wantWrongTiles(t, h, db.Kind(), databaseURL)
	})
}

// wantWrongTiles damages tiles of the log of the sandbox. The audit must name them.
func wantWrongTiles(t *testing.T, h *usecasetest.House, kind, databaseURL string) {
	t.Helper()
	if found, err := h.Service.Evidence.Audit(t.Context(), ""); err != nil || len(found.Wrong) != 0 {
		t.Errorf("before the damage, the audit finds %+v, %v", found, err)
	}
	raw := storetest.Raw(t, databaseURL)
	for _, c := range []struct{ damage, why string }{
		{
			"UPDATE log_tiles SET hashes = (SELECT l.hashes FROM log_tiles l WHERE l.level = 0 AND l.number = 0 " +
				"AND l.environment = 'sandbox') WHERE level = 1 AND environment = 'sandbox'",
			"the hashes of tile 1/0 of the log were altered",
		},
		{
			"DELETE FROM log_tiles WHERE level = 0 AND number = 1 AND environment = 'sandbox'",
			"the hashes of tile 0/1 of the log are missing",
		},
	} {
		damageOne(t, raw, kind, c.damage)
		found, err := h.Service.Evidence.Audit(t.Context(), "")
		if err != nil || len(found.Wrong) != 1 || found.Wrong[0].Text != c.why {
			t.Errorf("the audit finds %+v, %v; want %q", found, err, c.why)
		}
	}
}

// damageOne executes a statement that must change one row, whatever tenant it belongs to.
func damageOne(t *testing.T, raw *sql.DB, kind, statement string) {
	t.Helper()
	tx, err := raw.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if kind == "postgres" { // row-level security hides the rows of all tenants otherwise
		if _, err := tx.ExecContext(t.Context(), "SELECT set_config('verdict.role', 'system', true)"); err != nil {
			t.Fatal(err)
		}
	}
	result, err := tx.ExecContext(t.Context(), statement)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := result.RowsAffected(); err != nil || n != 1 {
		t.Fatalf("%q changed %d rows, %v", statement, n, err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// TestNothingToSign checks that a log is not looked at again once it is signed: with many
// tenants the service would otherwise read all their logs every second.
func TestNothingToSign(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.MigratedSQLite(t), store.Options{})
	h := open(t, db, newMemory())
	h.Decided(t, usecasetest.Sample)
	sign(t, h)
	if err := h.Service.Evidence.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	sign(t, h)
	if n := h.Service.Evidence.Waiting(); n != 0 {
		t.Errorf("%d logs are looked at again", n)
	}
}

// TestNodesSignOneLog lets two nodes decide and sign at the same time. They have the same
// key and must never sign two roots of one size.
func TestNodesSignOneLog(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		signed := newMemory() // shared, so that Add sees the checkpoints of both
		first := storetest.Open(t, databaseURL, store.Options{})
		second := first
		if first.Kind() != "sqlite" {
			second = storetest.Open(t, databaseURL, store.Options{})
		}
		h := open(t, first, signed)
		size := begun(t, first, h)
		other, err := usecase.New(second, usecase.Options{
			Now: usecasetest.NewClock().Now, PasswordCost: usecasetest.Cheap, MasterKey: usecasetest.MasterKey,
			Log: evidencedesk.Options{Key: key, Signed: signed},
		})
		if err != nil {
			t.Fatal(err)
		}
		const each = 40
		var all sync.WaitGroup
		for _, node := range []*usecase.Set{h.Service, other} {
			all.Go(func() {
				for n := range each {
					if _, err := node.Decisions.Decide(t.Context(), h.Caller,
						application.DecisionRequest(usecasetest.Parse(t, usecasetest.Sample)), nil); err != nil {
						t.Error(err)
					}
					if n%3 == 0 {
						if err := node.Evidence.Sign(t.Context()); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		all.Wait()
		if err := other.Evidence.SignAll(t.Context()); err != nil {
			t.Error(err)
		}
		if leaves := logOf(t, h).leaves(t)[size:]; len(leaves) != 2*each {
			t.Errorf("%d leaves, want %d", len(leaves), 2*each)
		}
		if n := h.Service.Evidence.Stopped() + other.Evidence.Stopped(); n != 0 {
			t.Errorf("%d logs are not signed", n)
		}
	})
}

// TestCrashBeforePublishing signs a checkpoint that is not published, because the node ends
// in between. The next node continues.
func TestCrashBeforePublishing(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.MigratedSQLite(t), store.Options{})
	signed := newMemory()
	h := open(t, db, signed)
	first := begun(t, db, h)
	h.Decided(t, usecasetest.Sample)
	sign(t, h)
	before := logOf(t, h).checkpoint(t)
	h.Decided(t, usecasetest.Sample)
	ending, cancel := context.WithCancel(t.Context())
	ended := &endingMemory{memory: signed, end: cancel}
	node, err := usecase.New(db, usecase.Options{
		Now: usecasetest.NewClock().Now, PasswordCost: usecasetest.Cheap, MasterKey: usecasetest.MasterKey,
		Log: evidencedesk.Options{Key: key, Signed: ended},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := node.Evidence.SignAll(ending); err == nil {
		t.Error("a checkpoint is published by a node that has ended")
	}
	if c := logOf(t, h).checkpoint(t); c != before || signed.last[c.Origin].Size != first+2 {
		t.Errorf("the checkpoint is %+v, and %+v was signed", c, signed.last)
	}
	h.Decided(t, usecasetest.Sample)
	sign(t, h)
	if leaves := logOf(t, h).leaves(t)[first:]; len(leaves) != 3 {
		t.Errorf("%d leaves, want 3", len(leaves))
	}
}

// endingMemory ends the node as soon as a checkpoint was stored.
type endingMemory struct {
	*memory
	end func()
}

func (m *endingMemory) Add(checkpoints []evidence.Checkpoint) error {
	defer m.end()
	return m.memory.Add(checkpoints)
}

// TestOlderDatabase signs a log, and then changes the database as if an older copy had been
// restored, or somebody had altered the journal. Such a log must not be signed, and the
// service says so.
func TestOlderDatabase(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		damage []string
		more   int // number of decisions after the damage
	}{
		// The numbers of entries are those after the signup. Only the sandbox is damaged.
		{"an older copy", []string{"DELETE FROM journal WHERE first >= entry 2", older}, 0},
		{"an older copy that grew", []string{"DELETE FROM journal WHERE first >= entry 2", older}, 5},
		{"an altered hash", []string{"UPDATE log_tiles SET hashes = zeroblob(length(hashes)) WHERE true"}, 1},
		{"a missing tile", []string{"DELETE FROM log_tiles WHERE true"}, 1},
		{"a root that nobody signed", []string{"UPDATE log_checkpoints SET root = zeroblob(32) WHERE true"}, 1},
		{"a checkpoint that nobody signed", []string{"UPDATE log_checkpoints SET note = 'x' WHERE true"}, 1},
		{"no checkpoint", []string{
			"DELETE FROM log_checkpoints WHERE true", "DELETE FROM journal WHERE first >= entry 4",
		}, 0},
		{"the last entry exchanged", []string{
			"DROP TRIGGER journal_unchanged", "UPDATE journal SET first = 99 WHERE first = entry 4",
			"UPDATE journal SET first = entry 4 WHERE first = entry 3",
			"INSERT INTO journal SELECT tenant_id, environment, entry 3, count, created_micros, entries FROM journal " +
				"WHERE first = entry 4",
			"DELETE FROM journal WHERE first = 99",
		}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			databaseURL := storetest.MigratedSQLite(t)
			signed := newMemory()
			db := storetest.Open(t, databaseURL, store.Options{})
			h := open(t, db, signed)
			first := begun(t, db, h)
			for range 2 {
				h.Decided(t, usecasetest.Sample)
			}
			sign(t, h)
			earlier := logOf(t, h).checkpoint(t)
			earlierNote, err := h.Service.Evidence.Checkpoint(t.Context(), h.Caller)
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				h.Decided(t, usecasetest.Sample)
			}
			sign(t, h)
			raw := storetest.Raw(t, databaseURL)
			for _, statement := range c.damage {
				if strings.Contains(statement, "%") {
					statement = fmt.Sprintf(statement, earlier.Size, earlier.Root[:], earlierNote)
				}
				for n := range int64(5) {
					statement = strings.ReplaceAll(statement, fmt.Sprint("entry ", n), fmt.Sprint(first+n))
				}
				statement = strings.ReplaceAll(statement, " WHERE ", " WHERE environment = 'sandbox' AND ")
				if _, err := raw.ExecContext(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
			}
			for range c.more {
				h.Decided(t, usecasetest.Sample)
			}
			before := signed.last[earlier.Origin]
			sign(t, h)
			if err := h.Service.Evidence.Resume(t.Context()); err != nil {
				t.Error(err)
			}
			if got := signed.last[earlier.Origin]; got != before {
				t.Errorf("%+v was signed after %+v", got, before)
			}
			if n := h.Service.Evidence.Stopped(); n != 1 {
				t.Errorf("%d logs are said to be not signed, want 1", n)
			}
			if found, err := h.Service.Evidence.Audit(t.Context(), ""); err != nil || len(found.Wrong) != 1 {
				t.Errorf("the audit finds %+v, %v", found, err)
			}
			// Another node, which has no record of what was signed, does not sign either.
			forgetful := newMemory()
			node, err := usecase.New(db, usecase.Options{
				Now: usecasetest.NewClock().Now, PasswordCost: usecasetest.Cheap, MasterKey: usecasetest.MasterKey,
				Log: evidencedesk.Options{Key: key, Signed: forgetful},
			})
			if err != nil {
				t.Fatal(err)
			}
			err = node.Evidence.SignAll(t.Context())
			// Without a checkpoint there is no row in which the reason could be stored.
			if c.name != "no checkpoint" && (err != nil || len(forgetful.last) != 0) {
				t.Errorf("a node without a record signs %+v, %v", forgetful.last, err)
			}
			if c.name == "no checkpoint" {
				return
			}
			id := h.Decided(t, usecasetest.Sample)
			_, err = h.Service.Evidence.Proof(t.Context(), h.Caller, id)
			if fault.CodeOf(err) != fault.CodeLogNotSigned {
				t.Errorf("got %v for a decision of a log that is not signed", err)
			}
		})
	}
}

// TestNodeRemembersOthers checks that a node records the checkpoints of other nodes that it
// sees in the database, and notices when they are lost in a failover.
func TestNodeRemembersOthers(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.MigratedSQLite(t)
	db := storetest.Open(t, databaseURL, store.Options{})
	h := open(t, db, newMemory())
	begun := begun(t, db, h)
	own := newMemory()
	other, err := usecase.New(db, usecase.Options{
		Now: usecasetest.NewClock().Now, PasswordCost: usecasetest.Cheap, MasterKey: usecasetest.MasterKey,
		Log: evidencedesk.Options{Key: key, Signed: own},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		h.Decided(t, usecasetest.Sample)
	}
	sign(t, h)
	h.Decided(t, usecasetest.Sample)
	if err := other.Evidence.Sign(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := storetest.Raw(t, databaseURL).ExecContext(t.Context(),
		"DELETE FROM journal WHERE environment = 'sandbox' AND first >= $1", begun+2); err != nil {
		t.Fatal(err)
	}
	if _, err := storetest.Raw(t, databaseURL).ExecContext(t.Context(),
		"DELETE FROM log_checkpoints WHERE environment = 'sandbox'"); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		h.Decided(t, usecasetest.Sample)
	}
	if err := other.Evidence.Sign(t.Context()); err != nil {
		t.Fatal(err)
	}
	if other.Evidence.Stopped() != 1 || len(own.last) != 1 {
		t.Errorf("%d logs are stopped, and %+v was signed", other.Evidence.Stopped(), own.last)
	}
}

// older sets the checkpoint back to the one after two decisions.
const older = "UPDATE log_checkpoints SET size = %d, root = x'%x', note = '%s' WHERE true"
