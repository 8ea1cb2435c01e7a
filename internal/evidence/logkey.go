package evidence

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// KeyChange says that the key of a service's logs was replaced by another. Both keys have signed the change, so
// anybody who trusts one of the keys can trust the other.
type KeyChange struct {
	From, To     []byte // public keys
	At           string // RFC 3339 in UTC
	ByFrom, ByTo []byte // the signatures
}

// NewKeyChange returns the signed change from one key to another.
func NewKeyChange(from, to ed25519.PrivateKey, at string) KeyChange {
	c := KeyChange{From: PublicOf(from), To: PublicOf(to), At: at}
	c.ByFrom, c.ByTo = ed25519.Sign(from, c.text()), ed25519.Sign(to, c.text())
	return c
}

// PublicOf returns the public key of a secret key.
func PublicOf(key ed25519.PrivateKey) []byte {
	public, _ := key.Public().(ed25519.PublicKey) // never fails for this key type
	return public
}

// text returns the text that both keys sign.
func (c *KeyChange) text() []byte {
	return fmt.Appendf(nil, "verdict log key change\nfrom %s\nto %s\nat %s\n", encode(c.From), encode(c.To), c.At)
}

func encode(raw []byte) string { return base64.StdEncoding.EncodeToString(raw) }

// valid reports whether both keys have signed the change.
func (c *KeyChange) valid() bool {
	_, err := time.Parse(time.RFC3339, c.At)
	return err == nil && len(c.From) == ed25519.PublicKeySize && len(c.To) == ed25519.PublicKeySize &&
		!bytes.Equal(c.From, c.To) && ed25519.Verify(c.From, c.text(), c.ByFrom) &&
		ed25519.Verify(c.To, c.text(), c.ByTo)
}

// String returns the change as one line, without a line feed at the end.
func (c *KeyChange) String() string {
	return strings.Join([]string{encode(c.From), encode(c.To), c.At, encode(c.ByFrom), encode(c.ByTo)}, " ")
}

// ErrNotAKeyChange is the error for a text that is not a change of keys with valid signatures of both keys.
var ErrNotAKeyChange = errors.New("not a change of the log key that both keys have signed")

// ParseKeyChange reads a line that String wrote, and verifies its signatures.
func ParseKeyChange(line string) (KeyChange, error) {
	fields := strings.Split(line, " ")
	if len(fields) != 5 {
		return KeyChange{}, ErrNotAKeyChange
	}
	c := KeyChange{At: fields[2]}
	for i, to := range map[int]*[]byte{0: &c.From, 1: &c.To, 3: &c.ByFrom, 4: &c.ByTo} {
		var err error
		if *to, err = base64.StdEncoding.DecodeString(fields[i]); err != nil {
			return KeyChange{}, ErrNotAKeyChange
		}
	}
	if !c.valid() || c.String() != line {
		return KeyChange{}, ErrNotAKeyChange
	}
	return c, nil
}

// ParseKeyChanges reads changes, one on each line, oldest first. The old key of each change must be the new key
// of the change before it.
func ParseKeyChanges(text string) ([]KeyChange, error) {
	var changes []KeyChange
	for line := range strings.Lines(text) {
		c, err := ParseKeyChange(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, err
		}
		if n := len(changes); n > 0 && !bytes.Equal(changes[n-1].To, c.From) {
			return nil, ErrNotAKeyChange
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// LogKeys are the public keys that have signed the checkpoints of a log: the present key and the former keys.
type LogKeys struct {
	scope string   // the name without the number that a reopened log has; see scopeName
	name  string   // the name of the log
	keys  []logKey // the present one first
}

type logKey struct {
	public     []byte
	replacedAt string // "" for the present key
}

// NewLogKeys returns the keys of a log. changes are the changes of the key up to the present key, oldest first.
func NewLogKeys(origin string, present []byte, changes []KeyChange) *LogKeys {
	k := &LogKeys{name: origin, scope: scopeName(origin), keys: []logKey{{public: present}}}
	for _, c := range slices.Backward(changes) {
		if bytes.Equal(c.To, k.keys[len(k.keys)-1].public) {
			k.keys = append(k.keys, logKey{c.From, c.At})
		}
	}
	return k
}

// scopeName returns the name of a log without the number that a reopened log has. A reopened log has the same
// keys as the log before it.
func scopeName(origin string) string {
	scope, _, _ := strings.Cut(origin, "#")
	return scope
}

// LogKeysText returns the keys of a log as text. The first line has the present key in the form of signed
// notes. Each further line has a former key, the time at which it was replaced, and two signatures of that
// change: by the former key and by the key on the line above.
func LogKeysText(origin string, present []byte, changes []KeyChange) (string, error) {
	text, err := PublicKey(origin, present)
	if err != nil {
		return "", err
	}
	text += "\n"
	for _, c := range slices.Backward(changes) {
		if !bytes.Equal(c.To, present) {
			continue
		}
		former, err := PublicKey(origin, c.From)
		if err != nil {
			return "", err
		}
		text += fmt.Sprintf("%s %s %s %s\n", former, c.At, encode(c.ByFrom), encode(c.ByTo))
		present = c.From
	}
	return text, nil
}

// ErrNotLogKeys is the error for a text that does not contain the keys of a log.
var ErrNotLogKeys = errors.New("not the public key of a log; it looks like verdict/TENANT/live+1a2b3c4d+A…")

// maxLogKeys is the maximum number of keys of a log.
const maxLogKeys = 1_000

// ParseLogKeys reads what LogKeysText wrote, and verifies that each former key was replaced
// by the key above it.
func ParseLogKeys(text string) (*LogKeys, error) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) > maxLogKeys {
		return nil, ErrNotLogKeys
	}
	var k *LogKeys
	for i, line := range lines {
		fields := strings.Split(strings.TrimSpace(line), " ")
		name, public, err := parsePublicKey(fields[0])
		if err != nil {
			return nil, ErrNotLogKeys
		}
		if i == 0 {
			if len(fields) != 1 {
				return nil, ErrNotLogKeys
			}
			k = NewLogKeys(name, public, nil)
			continue
		}
		if len(fields) != 4 || name != k.name {
			return nil, ErrNotLogKeys
		}
		c := KeyChange{From: public, To: k.keys[i-1].public, At: fields[1]}
		byFrom, errFrom := base64.StdEncoding.DecodeString(fields[2])
		byTo, errTo := base64.StdEncoding.DecodeString(fields[3])
		if c.ByFrom, c.ByTo = byFrom, byTo; errFrom != nil || errTo != nil || !c.valid() {
			return nil, ErrNotLogKeys
		}
		k.keys = append(k.keys, logKey{public, c.At})
	}
	return k, nil
}

// parsePublicKey reads an Ed25519 key in the form of signed notes.
func parsePublicKey(text string) (name string, public []byte, err error) {
	verifier, err := note.NewVerifier(text) // checks the id, too
	if err != nil {
		return "", nil, err
	}
	_, rest, _ := strings.Cut(text, "+")
	_, encoded, _ := strings.Cut(rest, "+")
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(raw) != 1+ed25519.PublicKeySize {
		return "", nil, ErrNotLogKeys
	}
	return verifier.Name(), raw[1:], nil
}

// Name returns the name of the log.
func (k *LogKeys) Name() string { return k.name }

// Open returns the checkpoint of a signed note. One of the keys must have signed the note, and the note must belong
// to this log or to another log of the same scope. replacedAt is the time at which the signing key was replaced. It
// is "" for the present key.
func (k *LogKeys) Open(signed []byte) (c Checkpoint, replacedAt string, err error) {
	origin, _, _ := strings.Cut(string(signed), "\n")
	if scopeName(origin) != k.scope {
		origin = k.name // OpenCheckpoint then returns an error that names both logs
	}
	var first error
	for _, key := range k.keys {
		verifier, err := VerifierOf(origin, key.public)
		if err == nil {
			if c, err = OpenCheckpoint(signed, verifier); err == nil {
				return c, key.replacedAt, nil
			}
		}
		if first == nil {
			first = err
		}
	}
	return Checkpoint{}, "", first
}

// Names reports whether a signed note names this log, or another log of the same scope.
func (k *LogKeys) Names(signed []byte) bool {
	origin, _, _ := strings.Cut(string(signed), "\n")
	return scopeName(origin) == k.scope
}

// Bare returns a signed note with only the signature of the log. ok is false if none of the keys has signed it.
func (k *LogKeys) Bare(signed []byte) (bare []byte, ok bool) {
	text, signatures, _ := bytes.Cut(signed, []byte("\n\n"))
	for line := range bytes.Lines(signatures) {
		bare = fmt.Appendf(nil, "%s\n\n%s", text, line)
		if _, _, err := k.Open(bare); err == nil {
			return bare, true
		}
	}
	return nil, false
}
