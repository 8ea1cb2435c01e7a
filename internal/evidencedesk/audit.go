package evidencedesk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"golang.org/x/mod/sumdb/tlog"

	"verdict/internal/evidence"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// AuditResult is the result of comparing the signed logs with the journals.
type AuditResult struct {
	Leaves   int64       // the number of leaves that were compared
	Unsigned int64       // entries of the journals that are in no signed log yet
	Wrong    []LogRemark // logs that do not match the journal
	Reopened []LogRemark // logs that were reopened, and what is gone from them

	NoKey    bool // without the log key, Audit does not notice that it was exchanged in the database
	NoRecord bool // without a record of what was signed, Audit does not notice an older copy of the database
}

// LogRemark is a sentence about the log of a scope.
type LogRemark struct {
	TenantID, Environment string
	Text                  string
}

// Audit compares the last checkpoint of each log with the journal: the journal must begin
// with exactly the leaves that were signed, and the stored tiles must have their hashes. If
// the service has a record of what was signed (Options.Signed), the journal must contain
// that too. For each log that was reopened, the result says which of its entries are gone.
// Audit reads one tenant, or all tenants if tenantID is "".
func (s *Service) Audit(ctx context.Context, tenantID string) (r AuditResult, err error) {
	// The operator's machine may not have the key. Audit then notices everything except an exchanged key.
	r.NoKey, r.NoRecord = s.options.Key == nil && s.options.Public == nil, s.options.Signed == nil
	if err := s.keyring.refresh(ctx); err != nil {
		return r, err
	}
	ids, err := s.core.TenantIDs(ctx, tenantID)
	if err != nil {
		return r, err
	}
	for _, id := range ids {
		for _, environment := range tenant.Environments() {
			name := store.ScopeName{Tenant: id, Environment: string(environment)}
			if err := s.auditScope(ctx, name, &r); err != nil {
				return r, err
			}
		}
	}
	return r, nil
}

// auditScope adds to r what it finds about the logs of a scope.
func (s *Service) auditScope(ctx context.Context, name store.ScopeName, r *AuditResult) error {
	scope := s.core.DB.Scope(name.Tenant, name.Environment)
	logs, err := scope.Log(ctx).Checkpoints()
	if err != nil {
		return err
	}
	var stored store.LogCheckpoint // the newest
	for _, stored = range logs {
		if text, wrong := s.auditOpening(name, &stored); wrong {
			r.Wrong = append(r.Wrong, LogRemark{name.Tenant, name.Environment, text})
		} else if text != "" {
			r.Reopened = append(r.Reopened, LogRemark{name.Tenant, name.Environment, text})
		}
	}
	leaves, why, err := s.auditLog(ctx, scope, name, &stored)
	if why == "" && stored.Stopped != "" {
		why = "the log is no longer signed: " + stored.Stopped
	}
	if why != "" {
		r.Wrong = append(r.Wrong, LogRemark{name.Tenant, name.Environment, why})
	}
	r.Leaves += leaves
	if err != nil {
		return err
	}
	size, err := scope.Journal(ctx).Size()
	r.Unsigned += max(0, size-max(0, leaves-openings(stored.Opening)))
	return err
}

// auditLog compares the newest log of a scope with the journal. It returns why the log is wrong, or "" if it is right.
func (s *Service) auditLog(
	ctx context.Context, scope *store.Scope, name store.ScopeName, stored *store.LogCheckpoint,
) (leaves int64, why string, err error) {
	generation := max(1, stored.Generation)
	if newest := s.newestOf(name, generation); newest > generation {
		return 0, fmt.Sprintf("the log was reopened as %s, but the database does not contain that",
			originOf(name, newest)), nil
	}
	origin := originOf(name, generation)
	var signed []evidence.Checkpoint // what the journal must contain
	if stored.Size > 0 {
		c, why := openStored(stored, s.keyring.logKeys(origin))
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
	tiles := &tileAudit{log: scope.Log(ctx), generation: generation, left: stored.Size}
	leaves, why, err = compareJournal(ctx, scope, stored.Opening, signed, tiles.add)
	if err == nil && why == "" {
		why, err = tiles.finish()
	}
	return leaves, why, err
}

// auditOpening returns a text about the opening of a reopened log: which entries of the former log are gone. It
// returns "" for the first log of a scope. wrong means that the opening cannot be relied on. The check of the log's
// checkpoint proves that the opening itself is in the log.
func (s *Service) auditOpening(name store.ScopeName, stored *store.LogCheckpoint) (text string, wrong bool) {
	if stored.Generation <= 1 {
		return "", false
	}
	origin := originOf(name, stored.Generation-1)
	opening, err := evidence.ParseReopening([]byte(stored.Opening))
	if err != nil || opening.Origin != originOf(name, stored.Generation) {
		return fmt.Sprintf("the first entry of the log %s cannot be read", originOf(name, stored.Generation)), true
	}
	before, _, err := s.keyring.logKeys(origin).Open([]byte(opening.Checkpoint))
	if err != nil || before.Origin != origin {
		return fmt.Sprintf("the first entry of the log %s names a checkpoint that the log before it has not signed",
			opening.Origin), true
	}
	if s.options.Signed != nil {
		if last, ok := s.options.Signed.Last(origin); ok && last.Size > before.Size {
			return fmt.Sprintf("the log %s was signed with %d entries, but when it was reopened only %d were known",
				origin, last.Size, before.Size), true
		}
	}
	text = fmt.Sprintf("the log %s, signed with %d entries, was reopened at %s (%s): ", origin, before.Size, opening.At,
		opening.Reason)
	switch gone := before.Size - opening.Kept; {
	case gone <= 0:
		text += "no entry is gone"
	case gone == 1:
		text += fmt.Sprintf("its entry %d is gone", opening.Kept)
	default:
		text += fmt.Sprintf("its entries %d to %d are gone", opening.Kept, before.Size-1)
	}
	return text, false
}

// compareJournal computes the roots of a log from its opening and the journal, and compares them with signed
// checkpoints. The checkpoints must be sorted by size. visit is called with the hash of each leaf that is needed.
func compareJournal(
	ctx context.Context, scope *store.Scope, opening string, signed []evidence.Checkpoint, visit func(tlog.Hash) error,
) (leaves int64, why string, err error) {
	if len(signed) == 0 {
		return 0, "", nil
	}
	var roots evidence.Roots
	// add adds a leaf. It returns io.EOF if no further leaves are needed.
	add := func(hash tlog.Hash) error {
		roots.Add(hash)
		if err := visit(hash); err != nil {
			return err
		}
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
	}
	err = eachLeaf(ctx, scope, opening, 0, func(l *logLeaf) error { return add(l.hash()) })
	switch {
	case err != nil && !errors.As(err, new(*leafError)): // a leafError counts as the journal's end; Verify names it
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
func openStored(stored *store.LogCheckpoint, log *evidence.LogKeys) (c evidence.Checkpoint, why string) {
	c, _, err := log.Open([]byte(stored.Note))
	switch {
	case err != nil || c.Origin != log.Name():
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
