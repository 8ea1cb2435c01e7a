package operation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"

	"verdict/internal/fault"
	"verdict/internal/store"
)

// Streamed is the body of a request that is processed while it arrives. It computes the hash of the request, which is
// therefore known only at the end.
type Streamed struct {
	r   io.Reader
	sum hash.Hash
}

// NewStreamed returns the body with the rows of r. The hash begins with the options of the request, because the same
// rows with other options are a different request.
func NewStreamed(r io.Reader, options []byte) *Streamed {
	s := &Streamed{r: r, sum: sha256.New()}
	s.sum.Write(options)
	s.sum.Write([]byte{0})
	return s
}

func (s *Streamed) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.sum.Write(p[:n])
	return n, err
}

func (s *Streamed) hash() string { return hex.EncodeToString(s.sum.Sum(nil)) }

// WriteStreamed is like WriteInSteps for a request with a Streamed body. The function work must read the body to
// its end. If the Idempotency-Key already has an answer, WriteStreamed calls drain, which must read the rest of the
// body, and compares the hashes. r must have an Idempotency-Key.
func WriteStreamed[T any](
	ctx context.Context, s *Core, scope *store.Scope, r *Reply[T], body *Streamed, drain func() error,
	work func(Commit[T]) (T, error),
) (T, error) {
	var none T
	once := r.Idempotency
	once.Hash = ""
	begun := false
	hashing := func(commit Commit[T]) (T, error) {
		begun = true
		return work(func(ctx context.Context, do func(*store.Tx) (T, error)) (T, error) {
			once.Hash = body.hash()
			return commit(ctx, do)
		})
	}
	made, err := WriteInSteps(ctx, s, scope, r, hashing)
	if begun || fault.CodeOf(err) != fault.CodeIdempotencyKeyReused {
		return made, err
	}
	if err := drain(); err != nil {
		return none, err
	}
	once.Hash = body.hash()
	return WriteInSteps(ctx, s, scope, r, func(Commit[T]) (T, error) {
		return none, fault.New(fault.Conflict, fault.CodeIdempotencyInProgress,
			"the Idempotency-Key has just become free; send the request again")
	})
}
