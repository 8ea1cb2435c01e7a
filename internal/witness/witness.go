package witness

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"verdict/internal/evidence"
)

// State stores, durably, the last checkpoint of each log that the witness has signed.
type State interface {
	// Last returns the last checkpoint of a log. ok is false if there is none.
	Last(origin string) (c evidence.Checkpoint, ok bool)
	// Add stores checkpoints. When it returns nil, they survive a crash.
	Add(checkpoints []evidence.Checkpoint) error
}

// Witness signs checkpoints. It is safe for concurrent use.
type Witness struct {
	name  string
	key   ed25519.PrivateKey
	logs  []*evidence.LogKeys
	state State
	now   func() time.Time
	mu    sync.Mutex // checkpoints are signed one after the other
}

// New returns a witness of some logs.
func New(key Key, logs []*evidence.LogKeys, state State, now func() time.Time) *Witness {
	return &Witness{name: key.Name, key: key.Secret, logs: logs, state: state, now: now}
}

// The errors of Add, besides ConflictError and those of the state.
var (
	ErrUnknownLog = errors.New("the witness does not watch this log")
	ErrNotSigned  = errors.New("the key of the log has not signed the checkpoint")
	ErrOldSize    = errors.New("the old size is larger than that of the checkpoint")
	ErrNoGrowth   = errors.New("the proof does not show that the log begins with the checkpoint that was signed before")
)

// ConflictError says that the checkpoint does not continue the last checkpoint that the witness
// signed. Size is the size of that last checkpoint. If Size equals the old size in the request, the
// log has shown two different trees of that size.
type ConflictError struct{ Size int64 }

func (e *ConflictError) Error() string {
	return fmt.Sprintf("the witness last signed the log with %d entries, and the checkpoint does not continue that log",
		e.Size)
}

// Add signs a checkpoint if it continues the last checkpoint that the witness has signed. The parameter old must
// be the size of that last checkpoint, or 0 if there is none. Add returns the line with the signature.
func (w *Witness) Add(old int64, proof tlog.TreeProof, signed []byte) (line string, err error) {
	c, err := w.open(signed)
	if err != nil {
		return "", err
	}
	if old > c.Size {
		return "", ErrOldSize
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	last, _ := w.state.Last(c.Origin)
	switch {
	case last.Size != old || old == c.Size && old > 0 && last.Root != c.Root:
		return "", &ConflictError{last.Size}
	case old == 0 || old == c.Size:
		if len(proof) > 0 {
			return "", ErrNoGrowth
		}
	default:
		if err := tlog.CheckTree(proof, c.Size, c.Root, old, last.Root); err != nil {
			return "", ErrNoGrowth
		}
	}
	if err := w.state.Add([]evidence.Checkpoint{c}); err != nil {
		return "", fmt.Errorf("store the checkpoint: %w", err)
	}
	return evidence.Cosign(c, w.name, w.key, w.now().Unix()), nil
}

// open returns the checkpoint of a note that one of the watched logs has signed.
func (w *Witness) open(signed []byte) (evidence.Checkpoint, error) {
	failed := ErrUnknownLog
	for _, log := range w.logs {
		c, _, err := log.Open(signed)
		if err == nil {
			return c, nil
		}
		if log.Names(signed) {
			failed = ErrNotSigned
		}
	}
	return evidence.Checkpoint{}, failed
}
