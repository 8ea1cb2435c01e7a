//nolint:thelper // what EachURL runs is the test itself: a failure belongs to its own line
package evidencedesk_test

import (
	"bytes"
	"crypto/ed25519"
	"strings"
	"testing"
	"time"

	"verdict/internal/evidence"
	"verdict/internal/evidencedesk"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// keyFile finds keys like a node that reads its key file again.
type keyFile struct{ has ed25519.PrivateKey }

func (f *keyFile) find(public []byte) (ed25519.PrivateKey, error) {
	if f.has != nil && bytes.Equal(evidence.PublicOf(f.has), public) {
		return f.has, nil
	}
	return nil, nil
}

// nodeWith returns the use cases of a node whose key may be replaced.
func nodeWith(t *testing.T, db *store.DB, signed evidencedesk.Signed, file *keyFile) *usecase.Set {
	t.Helper()
	n, err := usecase.New(db, usecase.Options{
		Now: usecasetest.NewClock().Now, PasswordCost: usecasetest.Cheap, MasterKey: usecasetest.MasterKey,
		Log: evidencedesk.Options{Key: key, Signed: signed, FindKey: file.find},
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestRotate replaces the log key while two nodes run. One of them has the new key, the other
// gets it later. What the old key has signed stays valid.
func TestRotate(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		next := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{8}, ed25519.SeedSize))
		if _, err := db.Secrets().SetLogKey(t.Context(), evidence.PublicOf(key)); err != nil {
			t.Fatal(err)
		}
		h := open(t, db, newMemory())
		file, late := &keyFile{has: next}, &keyFile{}
		h.Service = nodeWith(t, db, newMemory(), file)
		other := nodeWith(t, db, newMemory(), late)
		ids := []string{h.Decided(t, usecasetest.Sample)}
		sign(t, h)
		before := logOf(t, h)
		first, err := h.Service.Evidence.Capsule(t.Context(), h.Caller, ids[0])
		if err != nil {
			t.Fatal(err)
		}

		change := evidence.NewKeyChange(key, next, "2026-11-17T02:00:00.000Z")
		done, err := db.Secrets().ReplaceLogKey(t.Context(), change.From, change.To, change.String())
		if err != nil || !done {
			t.Fatalf("replaced: %t, %v", done, err)
		}
		ids = append(ids, h.Decided(t, usecasetest.Sample))
		if err := other.Evidence.SignAll(t.Context()); err == nil ||
			!strings.Contains(err.Error(), "does not have the new") {
			t.Errorf("a node without the new key says %v", err)
		}
		if c := logOf(t, h).checkpoint(t); c.Size != 1+signupEntries {
			t.Errorf("a node without the new key signs %+v", c)
		}
		sign(t, h)
		after := logOf(t, h)
		if c := after.checkpoint(t); c.Size != 2+signupEntries {
			t.Errorf("the checkpoint is %+v", c)
		}
		second, err := h.Service.Evidence.Capsule(t.Context(), h.Caller, ids[1])
		if err != nil {
			t.Fatal(err)
		}
		if r := first.Check(before.keys, nil); r.Logged != nil || r.Replaced != "" {
			t.Errorf("an old capsule with the old key: %+v", r)
		}
		if r := first.Check(after.keys, nil); r.Logged != nil || r.Replaced != change.At {
			t.Errorf("an old capsule with the new keys: %+v", r)
		}
		if r := second.Check(after.keys, nil); r.Logged != nil || r.Replaced != "" {
			t.Errorf("a new capsule with the new keys: %+v", r)
		}
		if r := second.Check(before.keys, nil); r.Logged == nil {
			t.Error("a new capsule passes with the old key")
		}

		// The other node signs again as soon as it finds the new key.
		late.has = next
		h.Decided(t, usecasetest.Sample)
		if err := other.Evidence.SignAll(t.Context()); err != nil {
			t.Error(err)
		}
		if c := after.checkpoint(t); c.Size != 3+signupEntries {
			t.Errorf("the checkpoint is %+v", c)
		}
		if leaves := logOf(t, h).leaves(t); len(leaves) != 3+signupEntries {
			t.Errorf("%d leaves, want %d", len(leaves), 3+signupEntries)
		}
		audited, err := h.Service.Evidence.Audit(t.Context(), "")
		if err != nil || len(audited.Wrong) != 0 || audited.Leaves != 3+signupEntries+liveEntries ||
			audited.Unsigned != 0 {
			t.Errorf("the audit says %+v, %v", audited, err)
		}
		// A new node that is started with the old key finds the new key.
		again := nodeWith(t, db, newMemory(), file)
		h.Decided(t, usecasetest.Sample)
		if audited, err = h.Service.Evidence.Audit(t.Context(), ""); err != nil || audited.Unsigned != 1 {
			t.Errorf("with a decision that is not signed, the audit says %+v, %v", audited, err)
		}
		if err := again.Evidence.SignAll(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestExchangedKey puts another key into the database, like somebody who can write to it but
// has no key. Nothing is signed then, and the key is not published.
func TestExchangedKey(t *testing.T) {
	t.Parallel()
	foreign := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{9}, ed25519.SeedSize))
	for name, changes := range map[string]string{
		"no change":                     "",
		"a change that only one signed": halfSigned(foreign),
		"a change of other keys": func() string {
			other := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{6}, ed25519.SeedSize))
			c := evidence.NewKeyChange(other, foreign, "2026-11-17T02:00:00Z")
			return c.String()
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := storetest.Open(t, storetest.MigratedSQLite(t), store.Options{})
			if _, err := db.Secrets().SetLogKey(t.Context(), evidence.PublicOf(key)); err != nil {
				t.Fatal(err)
			}
			h := open(t, db, newMemory())
			h.Decided(t, usecasetest.Sample)
			sign(t, h)
			before := logOf(t, h).checkpoint(t)
			if _, err := db.Secrets().ReplaceLogKey(
				t.Context(), evidence.PublicOf(key), evidence.PublicOf(foreign), changes,
			); err != nil {
				t.Fatal(err)
			}
			h.Service = nodeWith(t, db, newMemory(), &keyFile{has: foreign})
			h.Decided(t, usecasetest.Sample)
			if err := h.Service.Evidence.Sign(t.Context()); err == nil {
				t.Error("a log is signed with an exchanged key")
			}
			if _, err := h.Service.Evidence.Key(t.Context(), h.Caller); err == nil {
				t.Error("an exchanged key is published")
			}
			text, err := h.Service.Evidence.Checkpoint(t.Context(), h.Caller)
			if err != nil || !strings.HasPrefix(string(text), before.Text()) {
				t.Errorf("the checkpoint is %s, %v", text, err)
			}
		})
	}
}

// halfSigned returns a change that only the new key has signed.
func halfSigned(to ed25519.PrivateKey) string {
	c := evidence.NewKeyChange(to, to, "2026-11-17T02:00:00Z")
	c.From = evidence.PublicOf(key)
	return c.String()
}

// TestUnsignedAge checks that the age of entries that cannot be signed is known, and is 0
// again when they are signed.
func TestUnsignedAge(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		next := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{8}, ed25519.SeedSize))
		if _, err := db.Secrets().SetLogKey(t.Context(), evidence.PublicOf(key)); err != nil {
			t.Fatal(err)
		}
		h := open(t, db, newMemory())
		file := &keyFile{}
		clock := usecasetest.NewClock()
		node, err := usecase.New(db, usecase.Options{
			Now: clock.Now, PasswordCost: usecasetest.Cheap,
			Log: evidencedesk.Options{Key: key, Signed: newMemory(), FindKey: file.find},
		})
		if err != nil {
			t.Fatal(err)
		}
		h.Decided(t, usecasetest.Sample)
		if err := node.Evidence.SignAll(t.Context()); err != nil || node.Evidence.UnsignedAge() != 0 {
			t.Errorf("all is signed: %v, %v", node.Evidence.UnsignedAge(), err)
		}
		change := evidence.NewKeyChange(key, next, "2026-11-17T02:00:00.000Z")
		if _, err := db.Secrets().ReplaceLogKey(t.Context(), change.From, change.To, change.String()); err != nil {
			t.Fatal(err)
		}
		h.Decided(t, usecasetest.Sample)
		clock.Pass(90 * time.Second)
		if err := node.Evidence.SignAll(t.Context()); err == nil {
			t.Fatal("signed without the new key")
		}
		if age := node.Evidence.UnsignedAge(); age < 80*time.Second || age > 100*time.Second {
			t.Errorf("the oldest entry is %v old", age)
		}
		file.has = next
		if err := node.Evidence.SignAll(t.Context()); err != nil || node.Evidence.UnsignedAge() != 0 {
			t.Errorf("all is signed: %v, %v", node.Evidence.UnsignedAge(), err)
		}
	})
}
