package logkey

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"verdict/internal/evidence"
)

// TestKey checks that a key is read as it was created, is readable only by its owner, and is
// never replaced.
func TestKey(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log-key")
	if _, err := Read(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v for a missing file", err)
	}
	created, err := Create(path, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if read, err := Read(path); err != nil || !bytes.Equal(read.Newest(), created) {
		t.Errorf("read %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	if _, err := Create(path, rand.Reader); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v for an existing file", err)
	}
	for _, text := range []string{"", "verdict-log-key-1 ", "verdict-log-key-1 AAAA", "x", strings.Repeat("A", 5000)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); !errors.Is(err, ErrNotAKey) {
			t.Errorf("%.20q: got %v", text, err)
		}
	}
}

func checkpoint(origin string, size int64) evidence.Checkpoint {
	c := evidence.Checkpoint{Origin: origin, Size: size}
	c.Root[0] = byte(size)
	return c
}

func open(t *testing.T, key string) *Signed {
	t.Helper()
	s, err := OpenSigned(key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *Signed) want(t *testing.T, origin string, size int64) {
	t.Helper()
	if c, ok := s.Last(origin); ok != (size > 0) || ok && c != checkpoint(origin, size) {
		t.Errorf("the last checkpoint of %s is %+v, %t; want size %d", origin, c, ok, size)
	}
}

// TestSigned checks that the signed checkpoints are known after a restart, even if the last line is incomplete, and
// that another process with the same key knows them, too.
func TestSigned(t *testing.T) {
	t.Parallel()
	key := filepath.Join(t.TempDir(), "log-key")
	s := open(t, key)
	s.want(t, "a", 0)
	for size := int64(1); size <= 5; size++ {
		if err := s.Add([]evidence.Checkpoint{checkpoint("a", size), checkpoint("b", 10*size)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Add([]evidence.Checkpoint{checkpoint("a", 3)}); err != nil { // a smaller one changes nothing
		t.Fatal(err)
	}
	s.want(t, "a", 5)

	other := open(t, key) // another process
	other.want(t, "a", 5)
	other.want(t, "b", 50)
	if err := other.Add([]evidence.Checkpoint{checkpoint("a", 9)}); err != nil {
		t.Fatal(err)
	}
	if s.path == other.path {
		t.Errorf("two processes write to %s", s.path)
	}
	for _, closed := range []*Signed{s, other} {
		if err := closed.Close(); err != nil {
			t.Fatal(err)
		}
	}

	f, err := os.OpenFile(s.path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString("a 99 AAAA")
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	again := open(t, key)
	again.want(t, "a", 9)
	again.want(t, "b", 50)
}

// TestSignedRefuses checks that a damaged file is an error: a log must not be signed if it
// is unknown what was signed before.
func TestSignedRefuses(t *testing.T) {
	t.Parallel()
	key := filepath.Join(t.TempDir(), "log-key")
	for text, want := range map[string]string{
		"a 1\n" + line(checkpoint("b", 1)):     "line 1 cannot be read",
		line(checkpoint("b", 1)) + "garbage\n": "line 2 cannot be read",
	} {
		if err := os.WriteFile(key+".signed-7", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, open := range []func(string) (*Signed, error){OpenSigned, ReadSigned} {
			if s, err := open(key); err == nil {
				t.Errorf("a damaged file is accepted: %+v", s)
			} else if !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	}
}

// TestSignedStaysSmall checks that the file does not grow with every checkpoint.
func TestSignedStaysSmall(t *testing.T) {
	t.Parallel()
	key := filepath.Join(t.TempDir(), "log-key")
	s := open(t, key)
	for size := int64(1); size <= 30; size++ {
		many := make([]evidence.Checkpoint, 1_000)
		for i := range many {
			many[i] = checkpoint("a", 1_000*size+int64(i))
		}
		if err := s.Add(many); err != nil {
			t.Fatal(err)
		}
	}
	s.want(t, "a", 30_999)
	info, err := os.Stat(s.path)
	if err != nil || info.Size() > 1<<20 {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
}

// TestRing replaces the key in a key file.
func TestRing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "key")
	first, err := Create(path, bytes.NewReader(bytes.Repeat([]byte{1}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	second, err := NewKey(bytes.NewReader(bytes.Repeat([]byte{2}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	// A file that a crash has left behind is replaced.
	if err := os.WriteFile(path+".new", []byte("half a"), 0o600); err != nil {
		t.Fatal(err)
	}
	change := evidence.NewKeyChange(first, second, "2026-11-17T02:00:00.000Z")
	both := Ring{Keys: []ed25519.PrivateKey{first, second}, Changes: []evidence.KeyChange{change}}
	if err := both.Replace(path); err != nil {
		t.Fatal(err)
	}
	ring, err := Read(path)
	if err != nil || !bytes.Equal(ring.Newest(), second) || ring.Find(evidence.PublicOf(first)) == nil ||
		len(ring.Changes) != 1 {
		t.Errorf("%+v, %v", ring, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others can read the key: %v, %v", info, err)
	}
	if err := (Ring{Keys: ring.Keys[1:], Changes: ring.Changes}).Replace(path); err != nil {
		t.Fatal(err)
	}
	if ring, err = Read(path); err != nil || ring.Find(evidence.PublicOf(first)) != nil ||
		ring.Find(evidence.PublicOf(second)) == nil {
		t.Errorf("%+v, %v", ring, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, altered := range []string{
		strings.Replace(string(text), "T02", "T03", 1), string(text) + "more\n", changePrefix + change.String(),
	} {
		if err := os.WriteFile(path, []byte(altered), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil {
			t.Errorf("%q is accepted", altered)
		}
	}
}
