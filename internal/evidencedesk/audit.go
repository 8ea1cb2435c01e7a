package evidencedesk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"verdict/internal/evidence"
	"verdict/internal/journal"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// WrongLog is a log that does not match the journal.
type WrongLog struct {
	TenantID, Environment string
	Why                   string
}

// Audit compares the last checkpoint of each log with the journal: the journal must begin
// with exactly the leaves that were signed. It returns the number of leaves that were
// compared. If the service has a record of what was signed (Options.Signed), the journal must
// contain that too. Audit reads one tenant, or all tenants if tenantID is "".
func (s *Service) Audit(ctx context.Context, tenantID string) (leaves int64, found []WrongLog, err error) {
	public := s.publicKey()
	if public == nil {
		// The operator's machine may not have the key. Then only an exchanged key goes unnoticed.
		if public, err = s.core.DB.System().LogKey(ctx); err != nil {
			return 0, nil, err
		}
	}
	ids := []string{tenantID}
	if tenantID == "" {
		if ids, err = s.tenants(ctx); err != nil {
			return 0, nil, err
		}
	}
	for _, id := range ids {
		for _, environment := range tenant.Environments() {
			name := store.ScopeName{Tenant: id, Environment: string(environment)}
			n, why, err := s.auditScope(ctx, name, public)
			if err != nil {
				return leaves, found, err
			}
			leaves += n
			if why != "" {
				found = append(found, WrongLog{TenantID: id, Environment: name.Environment, Why: why})
			}
		}
	}
	return leaves, found, nil
}

func (s *Service) tenants(ctx context.Context) (ids []string, err error) {
	for after := ""; ; after = ids[len(ids)-1] {
		rows, err := s.core.DB.System().ListTenants(ctx, after)
		if err != nil || len(rows) == 0 {
			return ids, err
		}
		for _, t := range rows {
			ids = append(ids, t.ID)
		}
	}
}

// auditScope returns why the log of a scope is wrong, "" if it is right.
func (s *Service) auditScope(
	ctx context.Context, name store.ScopeName, public []byte,
) (leaves int64, why string, err error) {
	scope := s.core.DB.Scope(name.Tenant, name.Environment)
	stored, err := scope.Log(ctx).Checkpoint()
	if err != nil {
		return 0, "", err
	}
	origin := originOf(name, max(1, stored.Generation))
	var signed []evidence.Checkpoint // what the journal must contain
	if stored.Size > 0 {
		verifier, err := evidence.VerifierOf(origin, public)
		if err != nil {
			return 0, "the public key of the log cannot be read", nil //nolint:nilerr // why says it
		}
		c, why := openStored(&stored, verifier)
		if why != "" {
			return 0, why, nil
		}
		signed = append(signed, c)
	}
	if s.options.Signed != nil {
		if last, ok := s.options.Signed.Last(origin); ok {
			signed = append(signed, last)
		}
	}
	slices.SortFunc(signed, func(a, b evidence.Checkpoint) int { return cmp.Compare(a.Size, b.Size) })
	return compareJournal(ctx, scope, signed)
}

// compareJournal computes the roots of the journal and compares them with checkpoints, which
// are in the order of their sizes.
func compareJournal(
	ctx context.Context, scope *store.Scope, signed []evidence.Checkpoint,
) (leaves int64, why string, err error) {
	if len(signed) == 0 {
		return 0, "", nil
	}
	var roots evidence.Roots
	err = journal.NewReader(scope).Each(ctx, 0, func(number int64, e store.Entry) error {
		leaf, err := evidence.UnpackLeaf(e.Leaf)
		if err != nil || number != roots.Size() {
			return io.EOF // Verify names what is missing or cannot be read
		}
		roots.Add(evidence.LeafHash(&leaf))
		for len(signed) > 0 && roots.Size() == signed[0].Size {
			if roots.Root() != signed[0].Root {
				return io.EOF
			}
			signed = signed[1:]
		}
		if len(signed) == 0 {
			return io.EOF
		}
		return nil
	})
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return roots.Size(), "", err
	case len(signed) == 0:
		return roots.Size(), "", nil
	case roots.Size() < signed[0].Size:
		return roots.Size(), fmt.Sprintf("the log was signed with %d entries, but the journal has only the first %d",
			signed[0].Size, roots.Size()), nil
	default:
		return roots.Size(), fmt.Sprintf("the first %d entries of the journal are not those that were signed",
			signed[0].Size), nil
	}
}

// openStored returns the signed checkpoint, or why it cannot be used.
func openStored(stored *store.LogCheckpoint, log note.Verifier) (c evidence.Checkpoint, why string) {
	c, err := evidence.OpenCheckpoint([]byte(stored.Note), log)
	switch {
	case err != nil:
		return c, "the stored checkpoint was not signed with the key of this database"
	case c.Size != stored.Size || c.Root != rootOf(stored):
		return c, "the stored size and root are not those of the signed checkpoint"
	}
	return c, ""
}

func rootOf(stored *store.LogCheckpoint) (root tlog.Hash) {
	copy(root[:], stored.Root)
	return root
}
