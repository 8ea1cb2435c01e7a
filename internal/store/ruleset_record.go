package store

import (
	"time"

	"verdict/internal/evidence"
	"verdict/internal/wire"
)

// LoggedRuleSet is a rule set with the numbers of its entries in the journal.
type LoggedRuleSet struct {
	RuleSet
	Leaf           int64  // -1 if the rule set is older than the journal and has no entry yet
	Salt           []byte // the salt of the hash over the document, the name and the notes
	ActivationLeaf int64  // the entry of the last activation; -1 if there is none
}

const loggedRuleSetColumns = ruleSetColumns + ", leaf, salt, activation_leaf"

func (r *LoggedRuleSet) fields() []any {
	return append(r.RuleSet.fields(), &r.Leaf, &r.Salt, &r.ActivationLeaf)
}

func (r *LoggedRuleSet) rowID() string { return r.ID }

// The types of the journal events about rule sets.
const (
	EventRuleSetCreated   = "rule_set.created"
	EventRuleSetArchived  = "rule_set.archived"
	EventRuleSetDeleted   = "rule_set.deleted"
	EventRuleSetActivated = "rule_set.activated"
)

// Record returns the rule set's entry in the journal. The scope of the entry is not set. The entry covers the columns
// that never change; activations and removals have entries of their own.
func (r *LoggedRuleSet) Record() evidence.Record {
	return evidence.Record{
		Kind:   evidence.RuleSet,
		ID:     r.ID,
		Micros: r.CreatedMicros,
		Type:   EventRuleSetCreated,
		Data: eventData(func(w *wire.Writer) {
			w.Optional("actor", r.CreatedBy)
			w.Optional("base", r.Base)
			w.Optional("checksum", r.Checksum)
			w.Optional("policy_key", r.PolicyKey)
			w.Optional("rule_set_id", r.ID)
			w.Key("version").Int(r.Version)
		}),
		Commitment: evidence.Commit(r.Salt, string(r.Document), r.Name, r.Notes),
	}
}

// removal returns the entry of a draft that is deleted or archived.
func (r *RuleSet) removal(event string, nowMicros int64) evidence.Record {
	return evidence.Record{
		Kind:   evidence.RuleSet,
		ID:     r.ID,
		Micros: wholeMillis(nowMicros),
		Type:   event,
		Data: eventData(func(w *wire.Writer) {
			w.Optional("policy_key", r.PolicyKey)
			w.Optional("rule_set_id", r.ID)
			w.Key("version").Int(r.Version)
		}),
	}
}

// activation returns the entry of the rule set's last activation. previousID is the rule set that it replaced.
func (r *RuleSet) activation(previousID string) evidence.Record {
	retired := ""
	if r.RetiredMicros != 0 {
		retired = ExactTime(r.RetiredMicros) // set only if the entry is backfilled
	}
	return evidence.Record{
		Kind:   evidence.Activation,
		ID:     r.ID,
		Micros: wholeMillis(r.ActivatedMicros),
		Type:   EventRuleSetActivated,
		Data: eventData(func(w *wire.Writer) {
			w.Optional("activated_at", ExactTime(r.ActivatedMicros))
			w.Optional("actor", r.ActivatedBy)
			w.Optional("checksum", r.Checksum)
			w.Optional("policy_key", r.PolicyKey)
			w.Optional("previous_rule_set_id", previousID)
			w.Optional("retired_at", retired)
			w.Optional("rule_set_id", r.ID)
			w.Key("version").Int(r.Version)
		}),
	}
}

// wholeMillis rounds a time down to milliseconds, because the time of a leaf has no microseconds. So the hash of an
// entry without a row can be computed from the entry alone.
func wholeMillis(micros int64) int64 { return micros - micros%1000 }

// ExactTime returns a time in microseconds as a text: RFC 3339 in UTC with microseconds.
func ExactTime(micros int64) string {
	return time.UnixMicro(micros).UTC().Format("2006-01-02T15:04:05.000000Z07:00")
}

// WalkLogged calls fn for every rule set of the scope, including archived ones, in the order of their ids. It holds
// only a few rule sets in memory at a time. If fn returns an error, WalkLogged stops and returns the error.
func (rs RuleSetReader) WalkLogged(fn func(*LoggedRuleSet) error) error {
	const together = 20 // documents can be large
	return walkLogged(rs.access, loggedRuleSetColumns, "rule_sets", together, fn)
}

// ActiveIDs returns the id of the active rule set of each policy_key, "" if none is active.
func (rs RuleSetReader) ActiveIDs() (map[string]string, error) {
	return read(rs.access, func(tx *Tx) (map[string]string, error) {
		active := map[string]string{}
		err := tx.each(func(scan func(...any) error) error {
			var key, id string
			err := scan(&key, &id)
			active[key] = id
			return err
		}, "SELECT name, active_id FROM series WHERE tenant_id = $1 AND environment = $2 AND kind = 'policy'")
		return active, err
	})
}

// fillRuleSets adds journal entries for the oldest rule sets and activations that have none, and returns the number of
// rule sets.
func fillRuleSets(tx *Tx, b Backfill) (int, error) {
	rows, err := eachRow(tx, (*LoggedRuleSet).fields, "SELECT "+loggedRuleSetColumns+` FROM rule_sets
		WHERE tenant_id = $1 AND environment = $2 AND created_micros < $3
			AND (leaf < 0 OR (activated_micros > 0 AND activation_leaf < 0))
		ORDER BY created_micros, id LIMIT $4`, b.BeforeMicros, int64(b.Limit))
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	var records []evidence.Record
	var numbers []*int64 // where to store the number of each record
	for i := range rows {
		r := &rows[i]
		if r.Leaf < 0 {
			r.Salt = newSalt()
			records, numbers = append(records, r.Record()), append(numbers, &r.Leaf)
		}
		if r.ActivatedMicros > 0 && r.ActivationLeaf < 0 {
			records, numbers = append(records, r.activation("")), append(numbers, &r.ActivationLeaf)
		}
	}
	first, err := b.record(tx, records...)
	if err != nil {
		return 0, err
	}
	for i, number := range numbers {
		*number = first + int64(i)
	}
	for i := range rows {
		r := &rows[i]
		if _, err := tx.exec(`UPDATE rule_sets SET leaf = $4, salt = $5, activation_leaf = $6
			WHERE tenant_id = $1 AND environment = $2 AND id = $3`,
			r.ID, r.Leaf, r.Salt, r.ActivationLeaf); err != nil {
			return 0, err
		}
	}
	return len(rows), nil
}
