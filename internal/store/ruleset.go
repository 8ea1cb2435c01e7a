package store

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
	Version         int64 // assigned by Insert
	Name            string
	Status          string
	Document        []byte
	Checksum        string
	Base            string // the id of the rule set from which it was made
	Notes           string
	CreatedMicros   int64
	CreatedBy       string
	ActivatedMicros int64
	ActivatedBy     string
	RetiredMicros   int64
	ArchivedMicros  int64 // when a draft was archived; 0 if it was not
}

const ruleSetColumns = `id, policy_key, version, name, status, document, checksum, base, notes,
	created_micros, created_by, activated_micros, activated_by, retired_micros, archived_micros`

func (r *RuleSet) fields() []any {
	return []any{&r.ID, &r.PolicyKey, &r.Version, &r.Name, &r.Status, &r.Document, &r.Checksum, &r.Base, &r.Notes,
		&r.CreatedMicros, &r.CreatedBy, &r.ActivatedMicros, &r.ActivatedBy, &r.RetiredMicros, &r.ArchivedMicros}
}

// Insert stores a draft with its entry in the journal, and returns it with its version, which is one more than
// the last of its policy_key. Gaps in the versions come only from deleted
// drafts.
func (rs RuleSets) Insert(r RuleSet) (RuleSet, error) {
	version, err := nextVersion(rs.tx, "policy", r.PolicyKey)
	if err != nil {
		return RuleSet{}, err
	}
	r.Version, r.Status = version, StatusDraft
	r.ActivatedMicros, r.ActivatedBy, r.RetiredMicros = 0, "", 0
	logged := LoggedRuleSet{RuleSet: r, Salt: newSalt()}
	leaf, err := rs.tx.record(logged.Record())
	if err != nil {
		return RuleSet{}, err
	}
	_, err = rs.tx.exec(`INSERT INTO rule_sets (tenant_id, environment, id, policy_key, version, name, status, document,
		checksum, base, notes, created_micros, created_by, activated_micros, activated_by, retired_micros, leaf, salt)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 0, '', 0, $14, $15)`,
		r.ID, r.PolicyKey, r.Version, r.Name, r.Status, notNil(r.Document),
		r.Checksum, r.Base, r.Notes, r.CreatedMicros, r.CreatedBy, leaf, logged.Salt)
	if err != nil {
		return RuleSet{}, err
	}
	return r, rs.tx.StoredBytes().add(len(r.Document))
}

// nextVersion returns the next version number of a series: of the rule sets of one policy_key, or of the scorecards of
// one name. It locks the series until the transaction ends, so that no other transaction gets the same number.
func nextVersion(tx *Tx, kind, name string) (int64, error) {
	var version int64
	err := tx.one([]any{&version},
		`INSERT INTO series (tenant_id, environment, kind, name, last_version, active_id, changes, changed_micros)
		VALUES ($1, $2, $3, $4, 1, '', 0, 0)
		ON CONFLICT (tenant_id, environment, kind, name) DO UPDATE SET last_version = series.last_version + 1
		RETURNING last_version`, kind, name)
	return version, err
}

// Get returns a rule set, NotFound if there is none.
func (rs RuleSetReader) Get(id string) (RuleSet, error) {
	return read(rs.access, func(tx *Tx) (RuleSet, error) {
		var r RuleSet
		err := tx.one(r.fields(),
			"SELECT "+ruleSetColumns+" FROM rule_sets WHERE tenant_id = $1 AND environment = $2 AND id = $3", id)
		return r, orNotFound("rule set", err)
	})
}

// Active returns the active rule set of a policy_key, NotFound before the first
// activation.
func (rs RuleSetReader) Active(policyKey string) (RuleSet, error) {
	return read(rs.access, func(tx *Tx) (RuleSet, error) {
		var r RuleSet
		err := tx.one(r.fields(), "SELECT "+ruleSetColumns+` FROM rule_sets
		WHERE tenant_id = $1 AND environment = $2 AND policy_key = $3 AND status = 'active'`, policyKey)
		return r, orNotFound("active rule set", err)
	})
}

// ActiveID returns the id of the active rule set of a policy_key, "" if no rule
// set is active or the key is unknown. It reads one small row, so it is cheap
// enough to call often.
func (rs RuleSetReader) ActiveID(policyKey string) (string, error) {
	return read(rs.access, func(tx *Tx) (id string, err error) {
		err = tx.one([]any{&id}, `SELECT active_id FROM series
		WHERE tenant_id = $1 AND environment = $2 AND kind = 'policy' AND name = $3`, policyKey)
		return id, ignoreAbsent(err)
	})
}

// RuleSetFilter filters a list; empty fields match everything.
type RuleSetFilter struct {
	Status, PolicyKey string
	Configured        bool // list only active rule sets and drafts
}

// List returns a page of the scope's rule sets, without archived drafts, and
// whether there are more.
func (rs RuleSetReader) List(f RuleSetFilter, p Page) ([]RuleSet, bool, error) {
	return readTwo(rs.access, func(tx *Tx) ([]RuleSet, bool, error) {
		q := listOf("SELECT " + ruleSetColumns + " FROM rule_sets WHERE tenant_id = $1 AND environment = $2")
		q.where("archived_micros = ?", int64(0))
		q.equals("status", f.Status)
		q.equals("policy_key", f.PolicyKey)
		if f.Configured {
			q.where("status <> ?", StatusRetired)
		}
		q.page(p)
		var room pageBytes
		return list(tx, q, p, func(scan func(...any) error) (r RuleSet, err error) {
			if err = scan(r.fields()...); err == nil {
				err = room.take(r.Document)
			}
			return r, err
		})
	})
}
