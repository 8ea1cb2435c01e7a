package evidencedesk

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"golang.org/x/mod/sumdb/tlog"

	"verdict/internal/capsule"
	"verdict/internal/engine"
	"verdict/internal/evidence"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Key returns the public key of the caller's log, in the form of signed notes, and former
// keys with the signatures of their replacement (evidence.LogKeysText).
func (s *Service) Key(ctx context.Context, p tenant.Principal) (string, error) {
	if err := p.Require(tenant.LogRead); err != nil {
		return "", err
	}
	if s.keyring.present() == nil {
		return "", errNoKey()
	}
	if err := s.keyring.refresh(ctx); err != nil {
		return "", err
	}
	stored, err := s.core.Scope(p).Log(ctx).Checkpoint()
	if err != nil {
		return "", err
	}
	origin := originOf(store.ScopeName(operation.ScopeOf(p)), max(1, stored.Generation))
	return s.keyring.text(origin)
}

func errNoTile() error {
	return fault.New(fault.NotFound, fault.CodeNotFound,
		"the last checkpoint covers no such tile; a path ends with three digits, or with .p/ and the number of hashes "+
			"if the tile is not full")
}

func errNoKey() error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "this service does not sign logs: it has no log key")
}

// Checkpoint returns the last signed checkpoint of the caller's log.
func (s *Service) Checkpoint(ctx context.Context, p tenant.Principal) ([]byte, error) {
	if err := p.Require(tenant.LogRead); err != nil {
		return nil, err
	}
	stored, err := s.signed(ctx, p)
	return []byte(stored.Note), err
}

// signed returns the last signed checkpoint, or NotFound if there is none.
func (s *Service) signed(ctx context.Context, p tenant.Principal) (store.LogCheckpoint, error) {
	stored, err := s.core.Scope(p).Log(ctx).Checkpoint()
	if err == nil && stored.Size == 0 && s.options.Key == nil {
		return stored, errNoKey()
	}
	if err == nil && stored.Size == 0 {
		return stored, fault.New(fault.NotFound, fault.CodeNotFound,
			"the log has no checkpoint yet: it is signed within seconds of the first decision")
	}
	return stored, err
}

// Tile returns a tile of the caller's log (C2SP tlog-tiles): the hashes of a level, or the
// leaves if path begins with "entries/".
func (s *Service) Tile(ctx context.Context, p tenant.Principal, path string) ([]byte, error) {
	if err := p.Require(tenant.LogRead); err != nil {
		return nil, err
	}
	t, ok := evidence.ParseTilePath(path)
	if !ok {
		return nil, errNoTile()
	}
	stored, err := s.signed(ctx, p)
	if err != nil {
		return nil, err
	}
	if !evidence.HasTile(stored.Size, t) {
		return nil, errNoTile()
	}
	if t.L == evidence.EntriesLevel {
		return entries(ctx, s.core.Scope(p), stored.Opening, t.N*evidence.TileWidth, int64(t.W))
	}
	found, err := s.core.Scope(p).Log(ctx).Tiles(stored.Generation, []store.LogTile{{Level: int64(t.L), Number: t.N}})
	if err != nil {
		return nil, err
	}
	if len(found[0]) < t.W*tlog.HashSize {
		return nil, operation.AsDefect(evidence.ErrTilesMissing)
	}
	return found[0][:t.W*tlog.HashSize], nil
}

// errDamaged is the error if the journal lacks entries that were signed; "verdict verify" says
// which.
var errDamaged = errors.New("the journal was damaged after it was signed")

// entries returns leaves, each preceded by its length. opening is the first leaf of a reopened log,
// or "" if the log was not reopened.
func entries(ctx context.Context, scope *store.Scope, opening string, first, count int64) (bundle []byte, err error) {
	add := func(text []byte) {
		// A leaf is shorter than 64 KiB, so its length fits.
		bundle = binary.BigEndian.AppendUint16(bundle, uint16(len(text)))
		bundle = append(bundle, text...)
	}
	next, end := first, first+count
	err = eachLeaf(ctx, scope, opening, first, func(l *logLeaf) error {
		add(l.text())
		if next++; next == end {
			return io.EOF
		}
		return nil
	})
	if errors.As(err, new(*leafError)) || err == nil && next != end {
		err = operation.AsDefect(errDamaged)
	}
	return bundle, err
}

// Proof returns the proof that a decision is in the caller's log (C2SP tlog-proof).
func (s *Service) Proof(ctx context.Context, p tenant.Principal, id string) ([]byte, error) {
	if err := p.Require(tenant.LogRead); err != nil {
		return nil, err
	}
	d, err := s.decision(ctx, p, id)
	if err != nil {
		return nil, err
	}
	_, text, err := s.prove(ctx, p, &d)
	return text, err
}

func (s *Service) decision(ctx context.Context, p tenant.Principal, id string) (store.Decision, error) {
	if !tenant.Valid(tenant.KindDecision, id) {
		return store.Decision{}, fault.Missing("decision")
	}
	var d store.Decision
	err := s.core.Scope(p).ReadOf(ctx, id, func(tx *store.Tx) (err error) {
		d, err = tx.Decisions().Get(id)
		return err
	})
	return d, err
}

func (s *Service) prove(ctx context.Context, p tenant.Principal, d *store.Decision) (
	leaf evidence.Leaf, proof []byte, err error,
) {
	scope := s.core.Scope(p)
	stored, err := scope.Log(ctx).Checkpoint()
	if err != nil {
		return leaf, nil, err
	}
	index := d.Leaf + openings(stored.Opening)
	if d.Leaf < 0 || index >= stored.Size {
		return leaf, nil, s.notSigned(&stored)
	}
	// A checkpoint that a witness has signed shows that the decision existed at that time. Use the
	// first such checkpoint, because it shows the earliest time.
	size, root, text := stored.Size, rootOf(&stored), stored.Note
	cosigned, err := scope.Log(ctx).Cosigned(max(1, stored.Generation), index+1)
	if err != nil {
		return leaf, nil, err
	}
	if cosigned.Size > 0 && cosigned.Size <= stored.Size {
		size, text = cosigned.Size, cosigned.Note
		copy(root[:], cosigned.Root)
	}
	path, err := treeOf(ctx, scope, &stored).Prove(size, index)
	if err != nil {
		return leaf, nil, defect(err)
	}
	if leaf, err = leafAt(ctx, scope, d.Leaf); err != nil {
		return leaf, nil, err
	}
	// The journal may have been altered after it was signed.
	if err := tlog.CheckRecord(path, size, root, index, evidence.LeafHash(&leaf)); err != nil {
		return leaf, nil, operation.AsDefect(fmt.Errorf("entry %d of the journal is not the one that was signed: %w",
			d.Leaf, err))
	}
	shown := evidence.Proof{Index: index, Path: path, Checkpoint: []byte(text)}
	return leaf, shown.Text(), nil
}

// defect turns an error of the tree into a defect of the stored data, unless the database
// could not be read.
func defect(err error) error {
	var storage *storageError
	if errors.As(err, &storage) {
		return storage.error
	}
	return operation.AsDefect(err)
}

// leafAt returns the leaf with the given number.
func leafAt(ctx context.Context, scope *store.Scope, number int64) (evidence.Leaf, error) {
	runs, err := scope.Journal(ctx).ReadRows(number, 2)
	if err != nil {
		return evidence.Leaf{}, err
	}
	if len(runs) == 0 || number < runs[0].First || number >= runs[0].First+int64(len(runs[0].List)) {
		return evidence.Leaf{}, operation.AsDefect(journal.ErrNoEntry)
	}
	leaf, err := evidence.UnpackLeaf(runs[0].List[number-runs[0].First].Leaf)
	if err != nil {
		return evidence.Leaf{}, operation.AsDefect(err)
	}
	return leaf, nil
}

// notSigned returns the refusal for a decision that no checkpoint covers.
func (s *Service) notSigned(stored *store.LogCheckpoint) error {
	if s.options.Key == nil || stored.Stopped != "" {
		return fault.New(fault.Conflict, fault.CodeLogNotSigned,
			"the log of this environment is not signed at present, so this decision has no proof; ask the operator")
	}
	return fault.New(fault.Conflict, fault.CodeNotSignedYet,
		"no signed checkpoint covers the decision yet; try again in a few seconds")
}

// Capsule returns a decision with all that is needed to check it without the service. The
// capsule contains the applicant's facts and the whole policy, so it requires a scope of
// its own, and the audit trail says who asked for it. It returns Gone if the applicant was erased.
func (s *Service) Capsule(ctx context.Context, p tenant.Principal, id string) (*capsule.Capsule, error) {
	if err := p.Require(tenant.EvidenceRead); err != nil {
		return nil, err
	}
	d, err := s.decision(ctx, p, id)
	if err != nil {
		return nil, err
	}
	if len(d.Response) == 0 || len(d.Facts) == 0 {
		return nil, operation.Erased("decision")
	}
	c := &capsule.Capsule{Row: journal.RowOf(journal.Scope(operation.ScopeOf(p)), &d)}
	if c.Leaf, c.Proof, err = s.prove(ctx, p, &d); err != nil {
		return nil, err
	}
	scope := s.core.Scope(p)
	var features *store.Features
	switch f, err := scope.Decisions(ctx).Features(id); {
	case err == nil:
		features = &f
	case fault.KindOf(err) != fault.NotFound:
		return nil, err
	}
	if c.Policy, err = policyDocument(ctx, scope, d.PolicyID); err != nil {
		return nil, err
	}
	if len(journal.Emptied(&d, features)) > 0 {
		return nil, operation.Erased("decision")
	}
	tree, err := s.options.Keys.OpenDecision(ctx, scope, &d, features)
	if errors.Is(err, journal.ErrErased) {
		return nil, operation.Erased("decision")
	}
	if err != nil {
		return nil, operation.AsDefect(err)
	}
	c.Answer, c.Facts = d.Response, d.Facts
	if f := features; f != nil {
		c.Features = &capsule.Features{AsOf: f.AsOf, Hash: f.Hash, Vector: f.Vector, Source: f.Source}
	}
	for i := range d.People {
		c.People = append(c.People, capsule.NewPerson(d.People[i].Role, d.People[i].Facts))
	}
	for zone, salt := range journal.Salts(tree, string(p.Environment), &d, features) {
		c.Salts = append(c.Salts, capsule.Salt{Zone: zone, Salt: salt})
	}
	audit := s.core.Audit(p, s.core.Moment(), operation.ActionCapsule, id, "")
	err = scope.Write(ctx, func(tx *store.Tx) error { return tx.Audit().Add(audit) })
	return c, err
}

// policyDocument returns the part of a stored policy that its checksum covers.
func policyDocument(ctx context.Context, scope *store.Scope, id string) ([]byte, error) {
	set, err := scope.RuleSets(ctx).Get(id)
	if err != nil {
		return nil, operation.MissingIsDefect(err)
	}
	policy, err := engine.ParsePolicy(set.Document,
		engine.Sources{Catalogue: field.Catalogue(), Check: operation.Checking(ctx)})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, operation.AsDefect(err)
	}
	return policy.Unnamed(), nil
}
