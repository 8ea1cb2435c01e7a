package evidencedesk

import (
	"context"
	"strings"
	"time"

	"verdict/internal/evidence"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// NewCosignature is the signature of a witness on a checkpoint of the caller's log.
type NewCosignature struct {
	Checkpoint string // the signed note, with the line of the witness
	WitnessKey string // in the form in which the witness publishes it
}

// Seen says when a witness has signed a checkpoint.
type Seen struct {
	Checkpoint evidence.Checkpoint
	Witness    string
	At         time.Time
}

// The limits of cosignatures.
const (
	maxNote      = 16 << 10 // bytes of a signed note
	maxWitnesses = 16       // witnesses of one checkpoint
)

// Cosign stores the signature of a witness. The service does not judge witnesses: a person who checks a capsule decides
// which witnesses to trust. The service checks that the signature is valid and that the checkpoint is one of this log.
// A signature that is stored already is not stored again.
func (s *Service) Cosign(
	ctx context.Context, p tenant.Principal, n NewCosignature, reply *operation.Reply[Seen],
) (seen Seen, err error) {
	if err := p.Require(tenant.LogRead); err != nil {
		return seen, err
	}
	stored, err := s.signed(ctx, p)
	if err != nil {
		return seen, err
	}
	if err := s.keyring.refresh(ctx); err != nil {
		return seen, err
	}
	origin := originOf(store.ScopeName(operation.ScopeOf(p)), max(1, stored.Generation))
	c, err := readCosignature(n, s.keyring.logKeys(origin), stored.Size)
	if err != nil {
		return seen, err
	}
	switch root, err := treeOf(ctx, s.core.Scope(p), &stored).RootAt(c.seen.Checkpoint.Size); {
	case err != nil:
		return seen, defect(err)
	case root != c.seen.Checkpoint.Root:
		s.core.Logger.ErrorContext(ctx, "refused the signature of a witness: its checkpoint is signed with the log "+
			"key but is not in the log; another log was signed with this key, or an older copy of the database was "+
			"restored",
			"tenant_id", p.TenantID, "environment", string(p.Environment), "size", c.seen.Checkpoint.Size)
		return seen, notACheckpoint("is not a checkpoint of this log, although its key has signed it")
	}
	return operation.Write(ctx, s.core, s.core.Scope(p), reply, func(tx *store.Tx) (Seen, error) {
		return c.seen, s.storeCosignature(tx, max(1, stored.Generation), c)
	})
}

// cosignature is a valid signature of a witness.
type cosignature struct {
	seen    Seen
	witness evidence.WitnessKey
	bare    []byte // the note with the signature of the log only
	line    string // the line of the witness
}

// readCosignature checks the signatures of the log and of the witness. size is the size of the log.
func readCosignature(n NewCosignature, keys *evidence.LogKeys, size int64) (c cosignature, err error) {
	if c.witness, err = evidence.ParseWitnessKey(n.WitnessKey); err != nil {
		return c, invalid("/witness_key", "must be the public key of a witness, like NAME+1a2b3c4d+B…")
	}
	if len(n.Checkpoint) > maxNote {
		return c, notACheckpoint("must have at most %d bytes", maxNote)
	}
	text := []byte(n.Checkpoint)
	checkpoint, _, err := keys.Open(text)
	bare, ok := keys.Bare(text)
	switch {
	case err != nil || !ok || checkpoint.Origin != keys.Name():
		return c, notACheckpoint("must be a checkpoint that this log has signed")
	case checkpoint.Size < 1 || checkpoint.Size > size:
		return c, notACheckpoint("must not have more entries than the log")
	}
	at, line := evidence.Cosignature(text, c.witness)
	if at == 0 {
		return c, notACheckpoint("has no valid signature of the witness")
	}
	c.bare, c.line = bare, line
	c.seen = Seen{Checkpoint: checkpoint, Witness: c.witness.Name, At: time.Unix(at, 0)}
	return c, nil
}

func notACheckpoint(format string, args ...any) error { return invalid("/checkpoint", format, args...) }

func invalid(pointer, format string, args ...any) error {
	var faults fault.List
	faults.Add(pointer, fault.CodeInvalidField, format, args...)
	return faults.Err()
}

// storeCosignature adds the line of the witness to the cosigned checkpoint of that size.
func (s *Service) storeCosignature(tx *store.Tx, generation int64, c cosignature) error {
	cosigned := store.CosignedCheckpoint{
		Generation:   generation,
		Size:         c.seen.Checkpoint.Size,
		Root:         c.seen.Checkpoint.Root[:],
		StoredMicros: s.core.Moment().UnixMicro(),
	}
	before, err := tx.Log().Cosigned(generation, cosigned.Size)
	if err != nil {
		return err
	}
	if cosigned.Note = string(c.bare); before.Size == cosigned.Size {
		cosigned.Note = before.Note
	}
	switch {
	case evidence.Cosigned([]byte(cosigned.Note), c.witness) > 0:
		return nil // the first signature of a witness stays, because it shows the earlier time
	case strings.Count(cosigned.Note, "\n— ") > maxWitnesses:
		return fault.New(fault.Conflict, fault.CodeCapReached, "%d witnesses have signed this checkpoint already",
			maxWitnesses)
	}
	cosigned.Note += c.line
	return tx.Log().PutCosigned(cosigned)
}
