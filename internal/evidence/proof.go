package evidence

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Proof shows that a leaf is at an index of a log.
type Proof struct {
	Index      int64
	Path       tlog.RecordProof
	Checkpoint []byte // the signed note, including any cosignatures
}

const proofHeader = "c2sp.org/tlog-proof@v1\n"

// Text returns the proof as text (C2SP tlog-proof).
func (p *Proof) Text() []byte {
	text := fmt.Appendf(nil, "%sindex %d\n", proofHeader, p.Index)
	for _, h := range p.Path {
		text = base64.StdEncoding.AppendEncode(text, h[:])
		text = append(text, '\n')
	}
	text = append(text, '\n')
	return append(text, p.Checkpoint...)
}

// ErrNotAProof is the error for a text that is not a proof.
var ErrNotAProof = errors.New("not a proof")

// maxPath is the maximum number of hashes in a proof, because a tree has fewer than 2^63 leaves.
const maxPath = 63

// ParseProof reads the text of a proof. It verifies nothing. It refuses the extra line
// that the format allows, because nothing would check the content of that line.
func ParseProof(text []byte) (Proof, error) {
	rest, found := bytes.CutPrefix(text, []byte(proofHeader+"index "))
	head, checkpoint, separated := bytes.Cut(rest, []byte("\n\n"))
	if !found || !separated {
		return Proof{}, ErrNotAProof
	}
	lines := strings.Split(string(head), "\n")
	p := Proof{Checkpoint: checkpoint}
	var err error
	if p.Index, err = strconv.ParseInt(lines[0], 10, 64); err != nil || p.Index < 0 || len(lines)-1 > maxPath {
		return Proof{}, ErrNotAProof
	}
	for _, line := range lines[1:] {
		raw, err := base64.StdEncoding.DecodeString(line)
		if err != nil || len(raw) != tlog.HashSize {
			return Proof{}, ErrNotAProof
		}
		p.Path = append(p.Path, tlog.Hash(raw))
	}
	if !bytes.Equal(p.Text(), text) { // a number with leading zeros, or base64 with stray bits
		return Proof{}, ErrNotAProof
	}
	return p, nil
}

// Verify checks that the leaf is at the proof's index in the log, and that the
// log's key has signed the checkpoint. It returns the checkpoint.
func (p *Proof) Verify(leaf []byte, log note.Verifier) (Checkpoint, error) {
	c, err := OpenCheckpoint(p.Checkpoint, log)
	if err == nil {
		err = p.Includes(leaf, c)
	}
	if err != nil {
		return Checkpoint{}, err
	}
	return c, nil
}

// Includes checks that the leaf is at the proof's index in the log of c. c must be the checkpoint
// of the proof.
func (p *Proof) Includes(leaf []byte, c Checkpoint) error {
	if p.Index >= c.Size {
		return errors.New("the index is beyond the end of the log")
	}
	if err := tlog.CheckRecord(p.Path, c.Size, c.Root, p.Index, tlog.RecordHash(leaf)); err != nil {
		return errors.New("the proof does not show that the leaf is at this index of the log")
	}
	return nil
}

// keyID returns the id that signed notes use for a public key with the given name.
func keyID(name string, key []byte) uint32 {
	h := sha256.New()
	h.Write([]byte(name + "\n"))
	h.Write(key)
	return binary.BigEndian.Uint32(h.Sum(nil))
}
