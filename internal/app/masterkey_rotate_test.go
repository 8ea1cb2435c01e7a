package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"verdict/internal/masterkey"
	"verdict/internal/sealing"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// rotationBench is a database with a master key and some key trees.
type rotationBench struct {
	config Config
	db     *store.DB
	source masterkey.Source
	now    time.Time
	trees  map[string][]byte // the secret of each tenant
}

func newRotationBench(t *testing.T, databaseURL string) *rotationBench {
	t.Helper()
	c, err := load(t, []string{"-database-url", databaseURL, "-master-key", testMasterKey(t)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &rotationBench{config: c, now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), trees: map[string][]byte{}}
	b.config.Now = func() time.Time { return b.now }
	b.db = storetest.Open(t, databaseURL, store.Options{})
	b.source, _ = c.masterKeySource()
	keys, err := b.source.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	epoch := sealing.NewEpoch(keys[0])
	fingerprint := epoch.Fingerprint()
	if _, err := b.db.Secrets().SetMasterKey(t.Context(), fingerprint[:], b.now.UnixMicro()); err != nil {
		t.Fatal(err)
	}
	for i := range 120 {
		id := fmt.Sprintf("ten_%03d", i)
		b.trees[id] = fmt.Appendf(nil, "the tree of %s", id)
		wrapped := epoch.Wrap("key tree "+id+" 1", b.trees[id])
		if _, err := b.db.Secrets().TenantKeys(t.Context(), id, wrapped); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.db.Secrets().Secret(t.Context(), epoch.Wrap("installation secret", []byte("secret"))); err != nil {
		t.Fatal(err)
	}
	return b
}

// readable checks that every secret can be decrypted with the keys in the file, and returns how
// many secrets are encrypted with the newest key.
func (b *rotationBench) readable(t *testing.T) (newest int) {
	t.Helper()
	keys, err := b.source.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	open := func(name string, stored, want []byte) {
		t.Helper()
		for i, key := range keys {
			secret, err := sealing.NewEpoch(key).Unwrap(name, stored)
			if err != nil {
				continue
			}
			if !bytes.Equal(secret, want) {
				t.Fatalf("%s is %q", name, secret)
			}
			if i == len(keys)-1 {
				newest++
			}
			return
		}
		t.Fatalf("%s cannot be decrypted with the %d keys of the file", name, len(keys))
	}
	for tenant, want := range b.trees {
		tree, found, err := b.db.Secrets().KeyTree(t.Context(), tenant, 1)
		if err != nil || !found {
			t.Fatalf("the tree of %s: %v, %v", tenant, found, err)
		}
		open("key tree "+tenant+" 1", tree.Tree, want)
	}
	secret, err := b.db.Secrets().Secret(t.Context(), []byte("another"))
	if err != nil {
		t.Fatal(err)
	}
	open("installation secret", secret, []byte("secret"))
	return newest
}

// everyDatabase runs a test on both databases.
func everyDatabase(t *testing.T, test func(t *testing.T, databaseURL string)) {
	t.Helper()
	for kind, databaseURL := range map[string]func(testing.TB) string{
		"sqlite": storetest.MigratedSQLite, "postgres": storetest.MigratedPostgres,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(t, databaseURL(t))
		})
	}
}

// TestRotationIsKilled replaces the key many times. The first rotation is killed at its first step,
// the next rotation at its second step, and so on; each is then continued. After every kill,
// everything can be decrypted with the keys in the file. At the end one key is left, and everything
// is encrypted with it.
func TestRotationIsKilled(t *testing.T) {
	t.Parallel()
	everyDatabase(t, func(t *testing.T, databaseURL string) {
		b := newRotationBench(t, databaseURL)
		var killed []string
		for at := 1; ; at++ {
			before := b.keys(t)
			steps := 0
			_, err := RotateMasterKey(t.Context(), b.config, b.db, RotateOptions{step: func(name string) error {
				if steps++; steps < at {
					return nil
				}
				killed = append(killed, name)
				return errKilled
			}})
			if !errors.Is(err, errKilled) {
				if err != nil {
					t.Fatal(err)
				}
				break // the rotation has fewer steps
			}
			b.readable(t)
			// The lease of the killed process keeps others away for a minute.
			if _, err := RotateMasterKey(t.Context(), b.config, b.db, RotateOptions{}); !errors.Is(err, ErrRotating) {
				t.Fatalf("another rotation at the same time: %v", err)
			}
			b.now = b.now.Add(rotationLease)
			r, err := RotateMasterKey(t.Context(), b.config, b.db, RotateOptions{})
			if err != nil || len(r.Left) > 0 {
				t.Fatalf("continued after %q: %+v, %v", killed[at-1], r, err)
			}
			b.complete(t, before[0])
		}
		for _, step := range []string{
			"add", "announce", "wait", "use", "wrap", "wrap some", "replaced", "scrub", "drop", "wait for nodes",
			"destroyed",
		} {
			if !slices.Contains(killed, step) {
				t.Errorf("no rotation was killed before %q: %q", step, killed)
			}
		}
	})
}

// keys returns the keys in the file.
func (b *rotationBench) keys(t *testing.T) []sealing.Secret {
	t.Helper()
	keys, err := b.source.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// complete checks that a rotation has replaced the previous key.
func (b *rotationBench) complete(t *testing.T, before sealing.Secret) {
	t.Helper()
	if after := b.keys(t); len(after) != 1 || after[0] == before {
		t.Errorf("the file has %d keys", len(after))
	}
	if newest := b.readable(t); newest != len(b.trees)+1 {
		t.Errorf("%d of %d secrets are encrypted with the new key", newest, len(b.trees)+1)
	}
	epochs, err := b.db.Secrets().KeyEpochs(t.Context())
	if err != nil || len(epochs.Retiring()) != 0 {
		t.Errorf("the epochs are %+v, %v", epochs, err)
	}
	if _, announced := epochs.Announced(); announced {
		t.Error("a key is announced and not used")
	}
}

// TestOldKeyFile starts a node with the old key file and another one with an unknown key. It checks
// that each gets its own error.
func TestOldKeyFile(t *testing.T) {
	t.Parallel()
	b := newRotationBench(t, storetest.MigratedSQLite(t))
	old := testMasterKey(t) // another file with the same key
	if _, err := RotateMasterKey(t.Context(), b.config, b.db, RotateOptions{}); err != nil {
		t.Fatal(err)
	}
	for want, key := range map[string]string{
		"was replaced by a newer one at 2026-03-01T00:00:00Z; copy the key file": old,
		"is not the one with which the data":                                     otherMasterKey(t),
	} {
		_, err := startsWith(t, "-database-url", b.config.DatabaseURL, "-log-key", "off", "-master-key", key)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
	c := b.config
	c.MasterKey = old
	if _, err := RotateMasterKey(t.Context(), c, b.db, RotateOptions{}); err == nil ||
		!strings.Contains(err.Error(), "was replaced by a newer one") {
		t.Errorf("a rotation with the old file: %v", err)
	}
}

// otherMasterKey returns the source of a key that no test database has.
func otherMasterKey(t *testing.T) string {
	t.Helper()
	path := t.TempDir() + "/other"
	if err := masterkey.Write(path, sealing.Secret{'o'}); err != nil {
		t.Fatal(err)
	}
	return "file:" + path
}

// TestRotationByTheOperator replaces a key in a source that only the operator can change.
func TestRotationByTheOperator(t *testing.T) {
	t.Parallel()
	b := newRotationBench(t, storetest.MigratedSQLite(t))
	path, _ := b.source.Path()
	b.config.MasterKey = "exec:cat " + path
	rotate := func() (Rotation, error) { return RotateMasterKey(t.Context(), b.config, b.db, RotateOptions{}) }
	if _, err := rotate(); err == nil || !strings.Contains(err.Error(), "as a second line after the present one") {
		t.Errorf("without a second key: %v", err)
	}
	second := sealing.Secret{'2'}
	if err := b.source.Add(second); err != nil {
		t.Fatal(err)
	}
	r, err := rotate()
	if err != nil || len(r.Left) != 1 || r.Left[0] != b.config.MasterKey {
		t.Fatalf("with a second key: %+v, %v", r, err)
	}
	if epochs, err := b.db.Secrets().KeyEpochs(t.Context()); err != nil || epochs.List[0].DestroyedMicros != 0 {
		t.Errorf("the old key counts as destroyed: %+v, %v", epochs, err)
	}
	if err := os.WriteFile(path, masterkey.Format(second), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err = rotate(); err != nil || len(r.Left) > 0 || !r.Completed {
		t.Fatalf("after the old key was removed: %+v, %v", r, err)
	}
	if epochs, err := b.db.Secrets().KeyEpochs(t.Context()); err != nil || epochs.List[0].DestroyedMicros == 0 {
		t.Errorf("the old key is not destroyed: %+v, %v", epochs, err)
	}
}

// TestNodeWithoutTheNewKey runs a node whose key file does not get the new key. The rotation must wait for the
// node, name it in the error, and change nothing.
func TestNodeWithoutTheNewKey(t *testing.T) {
	t.Parallel()
	b := newRotationBench(t, storetest.MigratedSQLite(t))
	keys, err := b.source.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	old := sealing.NewEpoch(keys[0]).Fingerprint()
	holder := store.KeyHolder{Node: "node 2", Fingerprints: [][]byte{old[:]}}
	if err := b.db.Secrets().HoldKeys(t.Context(), holder, b.now.UnixMicro(), 0); err != nil {
		t.Fatal(err)
	}
	waited := 0
	options := RotateOptions{Sleep: func(context.Context, time.Duration) error {
		waited++
		return nil
	}}
	if _, err := RotateMasterKey(t.Context(), b.config, b.db, options); err == nil || waited == 0 ||
		!strings.Contains(err.Error(), "these nodes do not have it: node 2. Copy /") {
		t.Errorf("after %d pauses: %v", waited, err)
	}
	if known, err := b.db.Secrets().MasterKey(t.Context()); err != nil || !bytes.Equal(known, old[:]) {
		t.Errorf("the present key is %x, %v", known, err)
	}
	// The node gets both keys, and drops the old key when the test says so.
	both, err := b.source.Read(t.Context())
	if err != nil || len(both) != 2 || both[0] != keys[0] {
		t.Fatalf("the file has %d keys, %v", len(both), err)
	}
	fresh := sealing.NewEpoch(both[1]).Fingerprint()
	holder.Fingerprints = append(holder.Fingerprints, fresh[:])
	if err := b.db.Secrets().HoldKeys(t.Context(), holder, b.now.UnixMicro(), 0); err != nil {
		t.Fatal(err)
	}
	r, err := RotateMasterKey(t.Context(), b.config, b.db, options)
	if err != nil || len(r.Left) != 1 || r.Left[0] != "node 2" {
		t.Errorf("the node still has the old key: %+v, %v", r, err)
	}
	b.now = b.now.Add(time.Hour) // by then, the node counts as stopped
	if r, err = RotateMasterKey(t.Context(), b.config, b.db, options); err != nil || len(r.Left) > 0 {
		t.Errorf("the node has stopped: %+v, %v", r, err)
	}
}

// TestNodesDecideDuringRotations lets two nodes with key files of their own decide, and sign up
// tenants, while the key is replaced twice; on SQLite there is one node. Nothing may fail, and the files end up with
// the new key alone.
func TestNodesDecideDuringRotations(t *testing.T) {
	t.Parallel()
	everyDatabase(t, func(t *testing.T, databaseURL string) {
		sources := []string{testMasterKey(t), testMasterKey(t)}
		if strings.HasPrefix(databaseURL, "sqlite:") {
			sources = sources[:1] // one process serves a SQLite file
		}
		var nodes []*App
		for _, source := range sources {
			// A fast machine would reach the rate limit.
			node, _, _ := startApp(t, "-database-url", databaseURL, "-master-key", source, "-signups-each-day", "0",
				"-rate-decide", "1000000/s", "-plan-quotas", "free=1000000000")
			nodes = append(nodes, node)
		}
		key := signUp(t, nodes[0])
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		var decided atomic.Int64
		for i, node := range nodes {
			all.Go(func() {
				for n := 0; ctx.Err() == nil; n++ {
					status, answer, err := post(t.Context(), node.URL()+"/v1/decisions", key, decisionBody)
					if err != nil || status != http.StatusOK {
						t.Errorf("decision: %d %v %v", status, answer, err)
						return
					}
					if n%10 == 0 && n < 150 { // a tenant that no node has in its cache, within the limit of signups
						body := strings.Replace(signupBody, "asha@", fmt.Sprintf("a%d-%d@", i, n), 1)
						status, answer, err := post(t.Context(), node.URL()+"/api/signup", "", body)
						fresh, _ := answer["api_key"].(string)
						if err == nil && status == http.StatusCreated {
							status, answer, err = post(t.Context(), node.URL()+"/v1/decisions", fresh, decisionBody)
						}
						if err != nil || status != http.StatusOK {
							t.Errorf("a new tenant: %d %v %v", status, answer, err)
							return
						}
					}
					decided.Add(1)
				}
			})
		}
		rotateWithCopies(t, nodes[0].config, sources)
		rotateWithCopies(t, nodes[0].config, sources)
		stop()
		all.Wait()
		if decided.Load() == 0 {
			t.Error("nothing was decided")
		}
		var last sealing.Secret
		for i, source := range sources {
			keys, err := masterkey.File(source[len("file:"):]).Read(t.Context())
			if err != nil || len(keys) != 1 || i > 0 && keys[0] != last {
				t.Errorf("%s has %d keys, %v", source, len(keys), err)
			}
			last = keys[0]
		}
	})
}

// rotateWithCopies replaces the key in the first file, and copies the new key to the other files when the
// rotation waits for that, as an operator would.
func rotateWithCopies(t *testing.T, c Config, sources []string) {
	t.Helper()
	db := storetest.Open(t, c.DatabaseURL, store.Options{})
	r, err := RotateMasterKey(t.Context(), c, db, RotateOptions{step: func(name string) error {
		if name != "wait" || len(sources) == 1 {
			return nil
		}
		keys, err := masterkey.File(sources[0][len("file:"):]).Read(t.Context())
		if err != nil {
			return err
		}
		return masterkey.File(sources[1][len("file:"):]).Add(keys[len(keys)-1])
	}})
	if err != nil || len(r.Left) > 0 || r.Completed {
		t.Fatalf("the rotation: %+v, %v", r, err)
	}
}
