package evidence

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Checkpoint states the size and the root of a log at some time.
type Checkpoint struct {
	Origin string // the name of the log
	Size   int64
	Root   tlog.Hash
}

// Text returns the checkpoint in the form that is signed (C2SP tlog-checkpoint).
func (c Checkpoint) Text() string {
	return fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, base64.StdEncoding.EncodeToString(c.Root[:]))
}

// ErrNotACheckpoint is the error for a text that is not a checkpoint.
var ErrNotACheckpoint = errors.New("not a checkpoint")

// ParseCheckpoint reads the text of a checkpoint, without its signatures. It accepts
// only the exact form that Text returns.
func ParseCheckpoint(text string) (Checkpoint, error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 4 || lines[0] == "" {
		return Checkpoint{}, ErrNotACheckpoint
	}
	c := Checkpoint{Origin: lines[0]}
	var err error
	if c.Size, err = strconv.ParseInt(lines[1], 10, 64); err != nil || c.Size < 0 {
		return Checkpoint{}, ErrNotACheckpoint
	}
	root, err := base64.StdEncoding.DecodeString(lines[2])
	if err != nil || len(root) != tlog.HashSize {
		return Checkpoint{}, ErrNotACheckpoint
	}
	if c.Root = tlog.Hash(root); c.Text() != text {
		return Checkpoint{}, ErrNotACheckpoint
	}
	return c, nil
}

// Sign returns the checkpoint as a signed note.
func (c Checkpoint) Sign(signer note.Signer) ([]byte, error) {
	return note.Sign(&note.Note{Text: c.Text()}, signer)
}

// OpenCheckpoint returns the checkpoint of a signed note. It returns an error if the
// log's own key has not signed the note.
func OpenCheckpoint(signed []byte, log note.Verifier) (Checkpoint, error) {
	if origin, _, _ := bytes.Cut(signed, []byte("\n")); string(origin) != log.Name() {
		return Checkpoint{}, fmt.Errorf("the checkpoint belongs to the log %.200q, but the key to the log %s: %w",
			origin, log.Name(), ErrNotACheckpoint)
	}
	n, err := note.Open(signed, note.VerifierList(log))
	if err != nil {
		return Checkpoint{}, fmt.Errorf("the key has not signed the checkpoint: %w", err)
	}
	c, err := ParseCheckpoint(n.Text)
	if err == nil && c.Origin != log.Name() {
		return Checkpoint{}, fmt.Errorf("the key belongs to another log than the checkpoint: %w", ErrNotACheckpoint)
	}
	return c, err
}

// NewSigner returns the signer of a log. The name of its key is the origin of the log.
func NewSigner(origin string, key ed25519.PrivateKey) (note.Signer, error) {
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok || len(key) != ed25519.PrivateKeySize {
		return nil, errors.New("not an Ed25519 key")
	}
	known, err := VerifierOf(origin, public)
	if err != nil {
		return nil, fmt.Errorf("the origin of the log cannot be the name of a key: %w", err)
	}
	return signer{known, key}, nil
}

// PublicKey returns the public key of a log in the form of signed notes.
func PublicKey(origin string, public []byte) (string, error) {
	if len(public) != ed25519.PublicKeySize {
		return "", errors.New("not an Ed25519 key")
	}
	return note.NewEd25519VerifierKey(origin, public)
}

// VerifierOf returns the verifier of a log from its Ed25519 public key.
func VerifierOf(origin string, public []byte) (note.Verifier, error) {
	text, err := PublicKey(origin, public)
	if err != nil {
		return nil, err
	}
	return note.NewVerifier(text)
}

// signer is a note.Signer. One key signs the checkpoints of many logs, each under the
// name of its log.
type signer struct {
	note.Verifier
	key ed25519.PrivateKey
}

func (s signer) Sign(text []byte) ([]byte, error) { return ed25519.Sign(s.key, text), nil }

// cosignatureV1 is the type of the keys with which witnesses sign (C2SP
// tlog-cosignature).
const cosignatureV1 = 4

// Cosigned returns the time at which a witness signed the checkpoint, in seconds since
// 1970. It returns 0 if the checkpoint has no valid signature of the witness.
func Cosigned(signed []byte, witness WitnessKey) int64 {
	at, _ := Cosignature(signed, witness)
	return at
}

// Cosignature returns the time at which a witness signed the checkpoint, and the line with
// its signature. The time is 0 if the checkpoint has no valid signature of the witness.
func Cosignature(signed []byte, witness WitnessKey) (seconds int64, line string) {
	text, signatures, found := bytes.Cut(signed, []byte("\n\n"))
	if !found {
		return 0, ""
	}
	text = append(bytes.Clone(text), '\n')
	for line := range strings.Lines(string(signatures)) {
		name, encoded, found := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(line, "— "), "\n"), " ")
		raw, err := base64.StdEncoding.DecodeString(encoded)
		if !found || err != nil || name != witness.Name || len(raw) != 4+8+ed25519.SignatureSize ||
			binary.BigEndian.Uint32(raw) != witness.id {
			continue
		}
		at := binary.BigEndian.Uint64(raw[4:])
		if at > 0 && at < 1<<62 && ed25519.Verify(witness.key, cosignedText(at, text), raw[12:]) {
			return int64(at), "— " + name + " " + base64.StdEncoding.EncodeToString(raw) + "\n"
		}
	}
	return 0, ""
}

// Cosign returns the line with which a witness signs a checkpoint. name is the name of the witness,
// and seconds is the time of the signature in seconds since 1970.
func Cosign(c Checkpoint, name string, key ed25519.PrivateKey, seconds int64) string {
	at := uint64(max(0, seconds))
	id := keyID(name, append([]byte{cosignatureV1}, PublicOf(key)...))
	raw := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(nil, id), at)
	raw = append(raw, ed25519.Sign(key, cosignedText(at, []byte(c.Text())))...)
	return "— " + name + " " + base64.StdEncoding.EncodeToString(raw) + "\n"
}

// WitnessKeyText returns the public key of a witness in the form in which it is published.
func WitnessKeyText(name string, key ed25519.PrivateKey) string {
	raw := append([]byte{cosignatureV1}, PublicOf(key)...)
	return fmt.Sprintf("%s+%08x+%s", name, keyID(name, raw), base64.StdEncoding.EncodeToString(raw))
}

// cosignedText returns the text that a witness signs.
func cosignedText(at uint64, checkpoint []byte) []byte {
	return fmt.Appendf(nil, "cosignature/v1\ntime %d\n%s", at, checkpoint)
}

// WitnessKey is the public key of a witness.
type WitnessKey struct {
	Name string
	id   uint32
	key  ed25519.PublicKey
}

// ParseWitnessKey reads a key in the form "name+id+base64", in which witnesses publish
// their keys.
func ParseWitnessKey(text string) (WitnessKey, error) {
	name, rest, _ := strings.Cut(text, "+")
	id, encoded, _ := strings.Cut(rest, "+")
	number, err := strconv.ParseUint(id, 16, 32)
	raw, errKey := base64.StdEncoding.DecodeString(encoded)
	if err != nil || errKey != nil || name == "" || len(raw) != 1+ed25519.PublicKeySize || raw[0] != cosignatureV1 {
		return WitnessKey{}, errors.New("not the public key of a witness")
	}
	key := WitnessKey{Name: name, id: uint32(number), key: raw[1:]}
	if key.id != keyID(name, raw) {
		return WitnessKey{}, errors.New("the id of the witness's key does not match the key")
	}
	return key, nil
}
