package witness

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"verdict/internal/evidence"
	"verdict/internal/sealing"
)

const origin = "verdict/ten_A/live"

func seeded(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
}

var (
	witnessKey = Key{Name: "auditor.example", Secret: seeded(5)}
	now        = time.Date(2026, time.November, 17, 2, 30, 0, 0, time.UTC)
)

// memory stores what the witness has signed.
type memory struct {
	mu   sync.Mutex
	last map[string]evidence.Checkpoint
	fail bool
}

func (m *memory) Last(origin string) (evidence.Checkpoint, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, ok := m.last[origin]
	return c, ok
}

func (m *memory) Add(checkpoints []evidence.Checkpoint) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail {
		return errors.New("the disk is full")
	}
	for _, c := range checkpoints {
		m.last[c.Origin] = c
	}
	return nil
}

// lender is a log, with the part of the service's API that a witness uses.
type lender struct {
	t        *testing.T
	origin   string
	leaves   [][]byte
	stored   []tlog.Hash
	cosigned []string
}

func (l *lender) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		hashes[i] = l.stored[index]
	}
	return hashes, nil
}

func (l *lender) add(text []byte) {
	l.t.Helper()
	hashes, err := tlog.StoredHashes(int64(len(l.leaves)), text, l)
	if err != nil {
		l.t.Fatal(err)
	}
	l.leaves, l.stored = append(l.leaves, text), append(l.stored, hashes...)
}

// grow adds n decisions. seed makes them different from those of another lender.
func (l *lender) grow(n int, seed byte) *lender {
	l.t.Helper()
	for range n {
		leaf := evidence.Leaf{
			Kind: evidence.Decision, ID: fmt.Sprintf("dec_%d", len(l.leaves)), At: "2026-11-17T02:00:00.000Z",
			Row: sealing.Hash{seed, 1},
		}
		l.add(leaf.Append(nil))
	}
	return l
}

func (l *lender) checkpoint() evidence.Checkpoint {
	l.t.Helper()
	root, err := tlog.TreeHash(int64(len(l.leaves)), l)
	if err != nil {
		l.t.Fatal(err)
	}
	return evidence.Checkpoint{Origin: l.origin, Size: int64(len(l.leaves)), Root: root}
}

func (l *lender) signed(key ed25519.PrivateKey) []byte {
	l.t.Helper()
	signer, err := evidence.NewSigner(l.origin, key)
	if err != nil {
		l.t.Fatal(err)
	}
	signed, err := l.checkpoint().Sign(signer)
	if err != nil {
		l.t.Fatal(err)
	}
	return signed
}

func (l *lender) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch path, isTile := strings.CutPrefix(r.URL.Path, "/v1/log/tile/"); {
	case r.Header.Get("Authorization") != "Bearer sk_1":
		http.Error(w, `{"detail":"no key"}`, http.StatusUnauthorized)
	case r.URL.Path == "/v1/log/checkpoint":
		_, _ = w.Write(l.signed(seeded(1)))
	case r.Method == http.MethodPost && r.URL.Path == "/v1/log/cosignatures":
		var body struct{ Checkpoint string }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			l.t.Error(err)
		}
		l.cosigned = append(l.cosigned, body.Checkpoint)
	case isTile:
		l.serveTile(w, path)
	default:
		http.NotFound(w, r)
	}
}

func (l *lender) serveTile(w http.ResponseWriter, path string) {
	t, ok := evidence.ParseTilePath(path)
	if !ok || !evidence.HasTile(int64(len(l.leaves)), t) {
		http.Error(w, `{"detail":"no such tile"}`, http.StatusNotFound)
		return
	}
	if t.L != evidence.EntriesLevel {
		data, err := tlog.ReadTileData(t, l)
		if err != nil {
			l.t.Error(err)
		}
		_, _ = w.Write(data)
		return
	}
	for _, leaf := range l.leaves[t.N*evidence.TileWidth:][:t.W] {
		_, _ = w.Write(binary.BigEndian.AppendUint16(nil, uint16(len(leaf)))) //nolint:gosec // a short text
		_, _ = w.Write(leaf)
	}
}

func newLender(t *testing.T) *lender { t.Helper(); return &lender{t: t, origin: origin} }

func (l *lender) serve() *Remote {
	l.t.Helper()
	server := httptest.NewServer(l)
	l.t.Cleanup(server.Close)
	return NewRemote(server.URL+"/", "sk_1", nil)
}

func lenderKeys(t *testing.T) *evidence.LogKeys {
	t.Helper()
	public, _ := seeded(1).Public().(ed25519.PublicKey)
	return evidence.NewLogKeys(origin, public, nil)
}

func newWitness(t *testing.T) (*Witness, *memory) {
	t.Helper()
	state := &memory{last: map[string]evidence.Checkpoint{}}
	return New(witnessKey, []*evidence.LogKeys{lenderKeys(t)}, state, func() time.Time { return now }), state
}

// request returns a request of the protocol.
func request(t *testing.T, old int64, l *lender, signed []byte) string {
	t.Helper()
	body := fmt.Sprintf("old %d\n", old)
	if old > 0 && old < int64(len(l.leaves)) {
		proof, err := tlog.ProveTree(int64(len(l.leaves)), old, l)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range proof {
			body += base64.StdEncoding.EncodeToString(h[:]) + "\n"
		}
	}
	return body + "\n" + string(signed)
}

// TestProtocol asks a witness by the protocol, and checks the status of each answer.
func TestProtocol(t *testing.T) {
	t.Parallel()
	w, state := newWitness(t)
	var reported []error
	handler := w.Handler(func(err error) { reported = append(reported, err) })
	ask := func(body string) *httptest.ResponseRecorder {
		out := httptest.NewRecorder()
		handler.ServeHTTP(out, httptest.NewRequest(http.MethodPost, "/add-checkpoint", strings.NewReader(body)))
		return out
	}
	want := func(what, body string, status int, text string) {
		t.Helper()
		if got := ask(body); got.Code != status || !strings.Contains(got.Body.String(), text) {
			t.Errorf("%s: %d %s, want %d %s", what, got.Code, got.Body, status, text)
		}
	}
	l := newLender(t).grow(3, 1)
	for _, body := range []string{
		"", "old 0", "old 0\n" + string(l.signed(seeded(1))), "old -1\n\nx", "old 00\n\nx", "new 0\n\nx",
		"old 0\nx\n\ny",
		"old 0\n" + strings.Repeat(strings.Repeat("A", 43)+"=\n", 64) + "\n", strings.Repeat("x", maxRequest+1),
	} {
		want("a malformed request", body, http.StatusBadRequest, "")
	}
	want("another log", request(t, 0, l, (&lender{t: t, origin: "verdict/ten_B/live"}).grow(1, 1).signed(seeded(1))),
		http.StatusNotFound, "does not watch")
	want("another key", request(t, 0, l, l.signed(seeded(2))), http.StatusForbidden, "has not signed")
	want("an old size beyond the log", request(t, 4, l, l.signed(seeded(1))), http.StatusBadRequest, "larger")
	want("an old size that the witness does not know", request(t, 2, l, l.signed(seeded(1))), http.StatusConflict,
		"0\n")
	state.fail = true
	want("a full disk", request(t, 0, l, l.signed(seeded(1))), http.StatusInternalServerError, "could not store")
	state.fail = false
	if len(state.last) != 0 || len(reported) != 1 {
		t.Errorf("%+v was stored, and the reported errors are %v", state.last, reported)
	}

	signed := l.signed(seeded(1))
	answer := ask(request(t, 0, l, signed))
	public, err := evidence.ParseWitnessKey(witnessKey.Public())
	if err != nil {
		t.Fatal(err)
	}
	if at := evidence.Cosigned(append(signed, answer.Body.Bytes()...), public); answer.Code != http.StatusOK ||
		at != now.Unix() {
		t.Errorf("the first checkpoint: %d %s, signed at %d", answer.Code, answer.Body, at)
	}
	want("the same again", request(t, 3, l, signed), http.StatusOK, "— auditor.example ")
	want("the first again", request(t, 0, l, signed), http.StatusConflict, "3\n")
	fork := newLender(t).grow(3, 2)
	want("another tree of the same size", request(t, 3, fork, fork.signed(seeded(1))), http.StatusConflict, "3\n")
	fork.grow(4, 2)
	want("a fork", request(t, 3, fork, fork.signed(seeded(1))), http.StatusUnprocessableEntity, "does not show")
	l.grow(300, 1)
	want("a longer log", request(t, 3, l, l.signed(seeded(1))), http.StatusOK, "— auditor.example ")
	want("a longer log without a proof", "old 303\n\n"+string(newLender(t).grow(400, 1).signed(seeded(1))),
		http.StatusUnprocessableEntity, "")
	if got := state.last[origin].Size; got != 303 {
		t.Errorf("the witness has signed %d entries, want 303", got)
	}
	reopened := (&lender{t: t, origin: origin + "#2"}).grow(1, 1)
	want("a reopened log", request(t, 0, reopened, reopened.signed(seeded(1))), http.StatusOK, "— auditor.example ")
}

// TestVisit lets a witness visit a lender whose log grows, shrinks and is rewritten.
func TestVisit(t *testing.T) {
	t.Parallel()
	w, _ := newWitness(t)
	l := newLender(t).grow(5, 1)
	remote := l.serve()
	for _, grow := range []int{0, 0, 1, 600} {
		l.grow(grow, 1)
		if c, err := w.Visit(t.Context(), remote); err != nil || c != l.checkpoint() {
			t.Errorf("%+v, %v", c, err)
		}
	}
	public, err := evidence.ParseWitnessKey(witnessKey.Public())
	if err != nil {
		t.Fatal(err)
	}
	if len(l.cosigned) != 4 || evidence.Cosigned([]byte(l.cosigned[3]), public) != now.Unix() {
		t.Errorf("the lender got %q", l.cosigned)
	}
	shorter := newLender(t).grow(10, 1).serve()
	if _, err := w.Visit(t.Context(), shorter); !errors.Is(err, ErrShorter) {
		t.Errorf("a shorter log: %v", err)
	}
	rewritten := newLender(t).grow(606, 2)
	var conflict *ConflictError
	if _, err := w.Visit(t.Context(), rewritten.serve()); !errors.As(err, &conflict) {
		t.Errorf("another tree of the same size: %v", err)
	}
	rewritten.grow(5, 2)
	if _, err := w.Visit(t.Context(), rewritten.serve()); !errors.Is(err, ErrNoGrowth) {
		t.Errorf("a rewritten log: %v", err)
	}
	if len(rewritten.cosigned) != 0 {
		t.Error("a rewritten log got a signature")
	}
	if _, err := w.Visit(t.Context(), NewRemote(remote.url, "sk_2", nil)); err == nil ||
		!strings.Contains(err.Error(), "no key") {
		t.Errorf("a wrong API key: %v", err)
	}
}

// TestAudit audits a log that grew, was rewritten, was reopened, or sends other entries than
// it has signed.
func TestAudit(t *testing.T) {
	t.Parallel()
	l := newLender(t).grow(200, 1)
	since := l.signed(seeded(1))
	l.grow(400, 1)
	remote := l.serve()
	a, err := Audit(t.Context(), remote, lenderKeys(t), since)
	if err != nil || a.Kinds[evidence.Decision] != 400 || a.Now.Size != 600 || a.Reopening != nil {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err = Audit(t.Context(), remote, lenderKeys(t), l.signed(seeded(1))); err != nil || len(a.Kinds) != 0 {
		t.Errorf("without new entries: %+v, %v", a, err)
	}
	shorter := newLender(t).grow(100, 1).serve()
	if _, err := Audit(t.Context(), shorter, lenderKeys(t), since); !errors.Is(err, ErrShorter) {
		t.Errorf("a shorter log: %v", err)
	}
	rewritten := newLender(t).grow(600, 2).serve()
	if _, err := Audit(t.Context(), rewritten, lenderKeys(t), since); !errors.Is(err, ErrRewritten) {
		t.Errorf("a rewritten log: %v", err)
	}
	l.leaves[450] = bytes.Replace(l.leaves[450], []byte("dec_450"), []byte("dec_451"), 1)
	if _, err := Audit(t.Context(), remote, lenderKeys(t), since); !errors.Is(err, ErrEntries) {
		t.Errorf("an exchanged entry: %v", err)
	}
	l.leaves[450] = nil
	if _, err := Audit(t.Context(), remote, lenderKeys(t), since); err == nil {
		t.Error("an empty entry is accepted")
	}

	reopened := &lender{t: t, origin: origin + "#2"}
	opening := evidence.Reopening{Origin: origin + "#2", Checkpoint: string(since), Kept: 150, Reason: "lost"}
	reopened.add(opening.Append(nil))
	reopened.grow(150, 1)
	a, err = Audit(t.Context(), reopened.serve(), lenderKeys(t), since)
	if err != nil || a.Reopening == nil || a.Reopening.Kept != 150 || a.Kinds[evidence.Decision] != 150 {
		t.Errorf("a reopened log: %+v, %v", a, err)
	}
	for _, text := range []string{"", "x", string(since[:20])} {
		if _, err := Audit(t.Context(), remote, lenderKeys(t), []byte(text)); err == nil {
			t.Errorf("%q is taken for a checkpoint", text)
		}
	}
}

// TestRemoteRefuses checks that an answer is an error if it is too large, is a redirect, or does not belong to the log.
func TestRemoteRefuses(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a redirect was followed")
	}))
	t.Cleanup(other.Close)
	for name, answer := range map[string]http.HandlerFunc{
		"too large": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, strings.Repeat("x", 1<<20))
		},
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusFound)
		},
		"a status": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) },
		"another log": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "x\n1\n\n\n— x\n")
		},
	} {
		server := httptest.NewServer(answer)
		w, _ := newWitness(t)
		if _, err := w.Visit(t.Context(), NewRemote(server.URL, "sk_1", nil)); err == nil {
			t.Errorf("%s is accepted", name)
		}
		server.Close()
	}
}

// TestKey checks the files of keys.
func TestKey(t *testing.T) {
	t.Parallel()
	again, err := ParseKey(witnessKey.Text())
	if err != nil || again.Public() != witnessKey.Public() {
		t.Errorf("%+v, %v", again, err)
	}
	for _, text := range []string{"", "x", strings.Replace(witnessKey.Text(), "auditor", "au+ditor", 1)} {
		if _, err := ParseKey(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
	for _, name := range []string{"", "a b", "a+b", "a\nb", strings.Repeat("x", 101)} {
		if CheckName(name) == nil {
			t.Errorf("%q is accepted", name)
		}
	}
}

// FuzzParseRequest reads arbitrary requests. It must not panic.
func FuzzParseRequest(f *testing.F) {
	f.Add("old 3\n" + base64.StdEncoding.EncodeToString(make([]byte, tlog.HashSize)) + "\n\nverdict/x\n4\n")
	f.Add("old 0\n\n")
	f.Fuzz(func(t *testing.T, body string) {
		if old, proof, _, ok := parseRequest(body); ok && (old < 0 || len(proof) > maxProof) {
			t.Errorf("%q is read as %d with %d hashes", body, old, len(proof))
		}
	})
}
