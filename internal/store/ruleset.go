package store

import "context"

// The states of a rule set.
const (
	StatusDraft   = "draft"
	StatusActive  = "active"
	StatusRetired = "retired"
)

// RuleSet is one version of a policy. Its document never changes.
type RuleSet struct {
	ID              string
	PolicyKey       string
	Version         int64 // given by InsertRuleSet
	Name            string
	Status          string
	Document        []byte
	Checksum        string
	Base            string // the rule set it was made from
	Notes           string
	CreatedMicros   int64
	CreatedBy       string
	ActivatedMicros int64
	ActivatedBy     string
	RetiredMicros   int64
	ArchivedMicros  int64 // when a draft was put away; 0: it was not
}

const ruleSetColumns = `id, policy_key, version, name, status, document, checksum, base, notes,
	created_micros, created_by, activated_micros, activated_by, retired_micros, archived_micros`

func (r *RuleSet) fields() []any {
	return []any{&r.ID, &r.PolicyKey, &r.Version, &r.Name, &r.Status, &r.Document, &r.Checksum, &r.Base, &r.Notes,
		&r.CreatedMicros, &r.CreatedBy, &r.ActivatedMicros, &r.ActivatedBy, &r.RetiredMicros, &r.ArchivedMicros}
}

// InsertRuleSet stores a draft and returns it with its version: one more than
// the last of its policy_key, without gaps but those of deleted drafts.
func (tx *Tx) InsertRuleSet(r RuleSet) (RuleSet, error) {
	version, err := tx.nextVersion("policy", r.PolicyKey)
	if err != nil {
		return RuleSet{}, err
	}
	r.Version, r.Status = version, StatusDraft
	r.ActivatedMicros, r.ActivatedBy, r.RetiredMicros = 0, "", 0
	_, err = tx.exec(`INSERT INTO rule_sets (tenant_id, environment, id, policy_key, version, name, status, document,
		checksum, base, notes, created_micros, created_by, activated_micros, activated_by, retired_micros)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 0, '', 0)`,
		r.ID, r.PolicyKey, r.Version, r.Name, r.Status, present(r.Document),
		r.Checksum, r.Base, r.Notes, r.CreatedMicros, r.CreatedBy)
	return r, err
}

// nextVersion counts a series up by one and holds its row until the end of the
// transaction, so that no one else can be given the same number.
func (tx *Tx) nextVersion(kind, name string) (int64, error) {
	var version int64
	err := tx.one([]any{&version}, `INSERT INTO series (tenant_id, environment, kind, name, last_version, active_id, changes, changed_micros)
		VALUES ($1, $2, $3, $4, 1, '', 0, 0)
		ON CONFLICT (tenant_id, environment, kind, name) DO UPDATE SET last_version = series.last_version + 1
		RETURNING last_version`, kind, name)
	return version, err
}

// RuleSet finds a rule set by id.
func (tx *Tx) RuleSet(id string) (RuleSet, error) {
	var r RuleSet
	err := tx.one(r.fields(), "SELECT "+ruleSetColumns+" FROM rule_sets WHERE tenant_id = $1 AND environment = $2 AND id = $3", id)
	return r, oneOf("rule set", err)
}

// ActiveRuleSet finds the active rule set of a policy_key, NotFound before the
// first activation.
func (tx *Tx) ActiveRuleSet(policyKey string) (RuleSet, error) {
	var r RuleSet
	err := tx.one(r.fields(), "SELECT "+ruleSetColumns+` FROM rule_sets
		WHERE tenant_id = $1 AND environment = $2 AND policy_key = $3 AND status = 'active'`, policyKey)
	return r, oneOf("active rule set", err)
}

// ActivePolicy is the id of the active rule set of a policy_key, "" when none
// is active or the key is unknown. It reads one small row, so that it can be
// asked often.
func (tx *Tx) ActivePolicy(policyKey string) (id string, err error) {
	err = tx.one([]any{&id}, `SELECT active_id FROM series
		WHERE tenant_id = $1 AND environment = $2 AND kind = 'policy' AND name = $3`, policyKey)
	return id, ignoreAbsent(err)
}

// RuleSetFilter narrows a list; empty fields do not.
type RuleSetFilter struct {
	Status, PolicyKey string
	Configured        bool // active ones and drafts, not the retired
}

// ListRuleSets is a page of the scope's rule sets, and whether there are more.
func (tx *Tx) ListRuleSets(f RuleSetFilter, p Page) ([]RuleSet, bool, error) {
	q := listOf("SELECT " + ruleSetColumns + " FROM rule_sets WHERE tenant_id = $1 AND environment = $2")
	q.where("archived_micros = ?", int64(0))
	q.is("status", f.Status)
	q.is("policy_key", f.PolicyKey)
	if f.Configured {
		q.where("status <> ?", StatusRetired)
	}
	q.page(p)
	var room pageRoom
	return list(tx, q, p, func(scan func(...any) error) (r RuleSet, err error) {
		if err = scan(r.fields()...); err == nil {
			err = room.take(r.Document)
		}
		return r, err
	})
}

// InsertRuleSet is Tx.InsertRuleSet and an audit entry in a transaction of
// their own.
func (s *Scope) InsertRuleSet(ctx context.Context, r RuleSet, audit AuditEntry) (RuleSet, error) {
	return inWrite(ctx, s, func(tx *Tx) (RuleSet, error) {
		stored, err := tx.InsertRuleSet(r)
		if err != nil {
			return RuleSet{}, err
		}
		return stored, tx.insertAudit(audit)
	})
}

// RuleSet is Tx.RuleSet in a transaction of its own.
func (s *Scope) RuleSet(ctx context.Context, id string) (RuleSet, error) {
	return inRead(ctx, s, func(tx *Tx) (RuleSet, error) { return tx.RuleSet(id) })
}

// ActiveRuleSet is Tx.ActiveRuleSet in a transaction of its own.
func (s *Scope) ActiveRuleSet(ctx context.Context, policyKey string) (RuleSet, error) {
	return inRead(ctx, s, func(tx *Tx) (RuleSet, error) { return tx.ActiveRuleSet(policyKey) })
}

// ActivePolicy is Tx.ActivePolicy in a transaction of its own.
func (s *Scope) ActivePolicy(ctx context.Context, policyKey string) (id string, err error) {
	return inRead(ctx, s, func(tx *Tx) (string, error) { return tx.ActivePolicy(policyKey) })
}

// ListRuleSets is Tx.ListRuleSets in a transaction of its own.
func (s *Scope) ListRuleSets(ctx context.Context, f RuleSetFilter, p Page) ([]RuleSet, bool, error) {
	return inList(s.reading(ctx), func(tx *Tx) ([]RuleSet, bool, error) { return tx.ListRuleSets(f, p) })
}
