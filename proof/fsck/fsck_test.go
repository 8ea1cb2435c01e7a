package fsck

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/tessera/api"
	"github.com/transparency-dev/tessera/api/layout"
	"github.com/transparency-dev/tessera/client"
	"github.com/transparency-dev/tessera/fsck"
	"golang.org/x/mod/sumdb/note"
)

// decisions is the number of decisions in the log. They fill more than two tiles, so that the log has full and
// partial tiles, and two levels of tiles.
const decisions = 600

// workers is the number of fsck's workers. It is larger than the number of tiles, because a worker ends at the
// first wrong tile, and the remaining workers must check the other tiles.
const workers = 16

// copied is a copy of a log: what was read from each path.
type copied map[string][]byte

func (c copied) read(path string) ([]byte, error) {
	if text, found := c[path]; found {
		return text, nil
	}
	return nil, fmt.Errorf("%s: %w", path, os.ErrNotExist)
}

func (c copied) ReadCheckpoint(context.Context) ([]byte, error) { return c.read(layout.CheckpointPath) }

func (c copied) ReadTile(_ context.Context, level, index uint64, width uint8) ([]byte, error) {
	return c.read(layout.TilePath(level, index, width))
}

func (c copied) ReadEntryBundle(_ context.Context, index uint64, width uint8) ([]byte, error) {
	return c.read(layout.EntriesPath(index, width))
}

// copying is a fetcher that reads a log and keeps what it has read.
type copying struct {
	from *client.HTTPFetcher
	log  chan part
}

// part is what was read from a path.
type part struct {
	path string
	text []byte
}

func (c *copying) keep(path string, text []byte, err error) ([]byte, error) {
	if err == nil {
		c.log <- part{path, text}
	}
	return text, err
}

func (c *copying) ReadCheckpoint(ctx context.Context) ([]byte, error) {
	text, err := c.from.ReadCheckpoint(ctx)
	return c.keep(layout.CheckpointPath, text, err)
}

func (c *copying) ReadTile(ctx context.Context, level, index uint64, width uint8) ([]byte, error) {
	text, err := c.from.ReadTile(ctx, level, index, width)
	return c.keep(layout.TilePath(level, index, width), text, err)
}

func (c *copying) ReadEntryBundle(ctx context.Context, index uint64, width uint8) ([]byte, error) {
	text, err := c.from.ReadEntryBundle(ctx, index, width)
	return c.keep(layout.EntriesPath(index, width), text, err)
}

// leafHashes returns the hashes of the leaves in a bundle, as the command fsck does.
func leafHashes(text []byte) (hashes [][]byte, err error) {
	var bundle api.EntryBundle
	if err := bundle.UnmarshalText(text); err != nil {
		return nil, err
	}
	for _, entry := range bundle.Entries {
		hashes = append(hashes, rfc6962.DefaultHasher.HashLeaf(entry))
	}
	return hashes, nil
}

// check runs fsck.
func check(ctx context.Context, key note.Verifier, log fsck.Fetcher) (err error) {
	defer func() {
		if problem := recover(); problem != nil { // fsck panics if a bundle has too few leaves
			err = fmt.Errorf("fsck: %v", problem)
		}
	}()
	return fsck.New(key.Name(), key, log, leafHashes, fsck.Opts{N: workers}).Check(ctx)
}

// logKey returns the present key of the log, which is the first line of the service's answer.
func (s *service) logKey(t *testing.T) note.Verifier {
	t.Helper()
	line, _, _ := strings.Cut(s.call(t, http.MethodGet, "/v1/log/key", "", nil), "\n")
	key, err := note.NewVerifier(line)
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return key
}

// TestFsck lets Tessera's fsck check the log of a service over HTTP, and then altered copies of it.
func TestFsck(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.decide(t, decisions)
	key := s.logKey(t)
	root, err := url.Parse(s.url + "/v1/log/")
	if err != nil {
		t.Fatal(err)
	}
	from, err := client.NewHTTPFetcher(root, nil)
	if err != nil {
		t.Fatal(err)
	}
	from.SetAuthorizationHeader("Bearer " + s.key)
	reader := &copying{from, make(chan part, 1_000)}
	if err := check(t.Context(), key, reader); err != nil {
		t.Fatalf("fsck refuses the log: %v", err)
	}
	close(reader.log)
	log := copied{}
	for p := range reader.log {
		log[p.path] = p.text
	}
	if err := check(t.Context(), key, log); err != nil {
		t.Fatalf("fsck refuses the copy of the log: %v", err)
	}
	for name, altered := range alterations(t, log) {
		if err := check(t.Context(), key, altered); err == nil {
			t.Errorf("fsck accepts the log with %s", name)
		}
	}
	// The log of another tenant has a valid signature, but another name.
	other := &service{url: s.url}
	var signed struct {
		Key string `json:"api_key"`
	}
	other.call(t, http.MethodPost, "/api/signup",
		`{"email":"ravi@example.in","org_name":"Ravi","password":"a long password"}`, &signed)
	other.key = signed.Key
	other.decide(t, 1)
	foreign := maps.Clone(log)
	foreign[layout.CheckpointPath] = []byte(other.call(t, http.MethodGet, "/v1/log/checkpoint", "", nil))
	if err := check(t.Context(), key, foreign); err == nil {
		t.Error("fsck accepts the checkpoint of another tenant's log")
	}
}

// alterations returns altered copies of a log.
func alterations(t *testing.T, log copied) map[string]copied {
	t.Helper()
	all := map[string]copied{}
	alter := func(name, path string, text []byte) {
		altered := maps.Clone(log)
		altered[path] = text
		all[name] = altered
	}
	kinds := map[string]int{}
	for path, text := range log {
		step := len(text)/50 + 1 // alter every byte of a checkpoint, and about fifty bytes of every other file
		if path == layout.CheckpointPath {
			step = 1
		}
		for at := 0; at < len(text); at += step {
			flipped := bytes.Clone(text)
			flipped[at] ^= 1
			if path == layout.CheckpointPath && sameSignature(text, flipped) {
				continue
			}
			alter(fmt.Sprintf("byte %d of %s flipped", at, path), path, flipped)
		}
		missing := maps.Clone(log)
		delete(missing, path)
		all[path+" missing"] = missing
		kind, _, _ := strings.Cut(strings.TrimPrefix(path, "tile/"), "/")
		if kinds[kind]++; kind != "entries" {
			continue
		}
		leaves, err := split(text)
		if err != nil {
			t.Fatal(err)
		}
		last := len(leaves) - 1
		exchanged := slices.Clone(leaves)
		exchanged[0], exchanged[last] = exchanged[last], exchanged[0]
		alter("two leaves exchanged in "+path, path, join(exchanged))
		deleted := append(slices.Delete(slices.Clone(leaves), 1, 2), leaves[last])
		alter("a leaf deleted in "+path, path, join(deleted))
		replaced := slices.Clone(leaves)
		replaced[1] = bytes.Replace(replaced[1], []byte(`"hash":"`), []byte(`"hash":"0`), 1)
		alter("a leaf replaced in "+path, path, join(replaced))
		alter("a leaf too few in "+path, path, join(leaves[:last]))
	}
	if kinds["entries"] != 3 || kinds["0"] != 3 || kinds["1"] != 1 || kinds["checkpoint"] != 1 {
		t.Errorf("fsck has read %v", kinds)
	}
	return all
}

// sameSignature reports whether two checkpoints are equal, except that the last signature may have another Base64
// text with the same decoded bytes. Such texts exist, because no decoder reads the unused bits of the last
// character.
func sameSignature(a, b []byte) bool {
	at := bytes.LastIndexByte(a, ' ') + 1
	if at != bytes.LastIndexByte(b, ' ')+1 || !bytes.Equal(a[:at], b[:at]) {
		return false
	}
	one, err1 := base64.StdEncoding.DecodeString(strings.TrimSuffix(string(a[at:]), "\n"))
	two, err2 := base64.StdEncoding.DecodeString(strings.TrimSuffix(string(b[at:]), "\n"))
	return err1 == nil && err2 == nil && bytes.Equal(one, two)
}

// split returns the leaves of a bundle. In the bundle, the length of each leaf comes before the leaf.
func split(bundle []byte) (leaves [][]byte, err error) {
	for len(bundle) > 0 {
		if len(bundle) < 2 || len(bundle) < 2+int(binary.BigEndian.Uint16(bundle)) {
			return nil, errors.New("the bundle ends in a leaf")
		}
		end := 2 + int(binary.BigEndian.Uint16(bundle))
		leaves, bundle = append(leaves, bundle[2:end]), bundle[end:]
	}
	return leaves, nil
}

// join returns the bundle with leaves.
func join(leaves [][]byte) (bundle []byte) {
	for _, leaf := range leaves {
		bundle = append(binary.BigEndian.AppendUint16(bundle, uint16(len(leaf))), leaf...)
	}
	return bundle
}
