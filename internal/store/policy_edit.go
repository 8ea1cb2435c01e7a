package store

import (
	"context"
	"math"

	"verdict/internal/fault"
)

// PolicyEdit is the working copy of a person who edits a version of a policy. The contents of the copy are in its
// steps.
type PolicyEdit struct {
	UserID        string
	RuleSetID     string // the version that is edited
	PolicyKey     string
	Current       int64 // the step that the person sees
	Last          int64 // the step with the highest number; 0 if there is no edit
	BeganMicros   int64
	ChangedMicros int64
}

const policyEditColumns = "user_id, rule_set_id, policy_key, current_step, last_step, began_micros, changed_micros"

func (e *PolicyEdit) fields() []any {
	return []any{&e.UserID, &e.RuleSetID, &e.PolicyKey, &e.Current, &e.Last, &e.BeganMicros, &e.ChangedMicros}
}

// PolicyEditStep is one step of an edit.
type PolicyEditStep struct {
	Number  int64  // assigned by Add; 0 if there is no such step
	Parent  int64  // the step that it was made from; 0 for the stored version
	Left    int64  // the step that was current when this step was made; 0 if that was Parent
	Changes int64  // 1 if the document differs from that of Parent, else 0
	Act     string // what the person did
	State   []byte // encoded by the caller; empty in a list of steps
}

const policyEditStepColumns = "step, parent, left_step, changes, act"

func (s *PolicyEditStep) fields() []any {
	return []any{&s.Number, &s.Parent, &s.Left, &s.Changes, &s.Act}
}

// PolicyEditReader reads the edits of the scope. Each method takes the id of the person whose edit it reads.
type PolicyEditReader struct{ access }

// PolicyEdits reads like PolicyEditReader, and changes edits.
type PolicyEdits struct{ PolicyEditReader }

// PolicyEdits returns the PolicyEditReader of the scope.
func (s *Scope) PolicyEdits(ctx context.Context) PolicyEditReader {
	return PolicyEditReader{s.access(ctx)}
}

// PolicyEdits returns the PolicyEdits of the transaction.
func (tx *Tx) PolicyEdits() PolicyEdits { return PolicyEdits{PolicyEditReader{tx.access()}} }

// Get returns a person's edit of a version. If there is none, its Last is 0.
func (pe PolicyEditReader) Get(userID, ruleSetID string) (PolicyEdit, error) {
	return read(pe.access, func(tx *Tx) (e PolicyEdit, err error) {
		err = tx.one(e.fields(), "SELECT "+policyEditColumns+` FROM policy_edits
			WHERE tenant_id = $1 AND environment = $2 AND user_id = $3 AND rule_set_id = $4`, userID, ruleSetID)
		return e, ignoreAbsent(err)
	})
}

// Step returns a step of an edit with its state. If there is none, its Number is 0.
func (pe PolicyEditReader) Step(userID, ruleSetID string, number int64) (PolicyEditStep, error) {
	return read(pe.access, func(tx *Tx) (s PolicyEditStep, err error) {
		err = tx.one(append(s.fields(), &s.State), "SELECT "+policyEditStepColumns+`, state FROM policy_edit_steps
			WHERE tenant_id = $1 AND environment = $2 AND user_id = $3 AND rule_set_id = $4 AND step = $5`,
			userID, ruleSetID, number)
		return s, ignoreAbsent(err)
	})
}

// Steps returns the steps of an edit without their states, oldest first.
func (pe PolicyEditReader) Steps(userID, ruleSetID string) ([]PolicyEditStep, error) {
	return read(pe.access, func(tx *Tx) ([]PolicyEditStep, error) {
		return eachRow(tx, (*PolicyEditStep).fields, "SELECT "+policyEditStepColumns+` FROM policy_edit_steps
			WHERE tenant_id = $1 AND environment = $2 AND user_id = $3 AND rule_set_id = $4 ORDER BY step`,
			userID, ruleSetID)
	})
}

// Others returns the edits that other people make to versions of a policy, if the edits were changed after
// afterMicros. The latest edit comes first.
func (pe PolicyEditReader) Others(userID, policyKey string, afterMicros int64, limit int) ([]PolicyEdit, error) {
	return read(pe.access, func(tx *Tx) ([]PolicyEdit, error) {
		return eachRow(tx, (*PolicyEdit).fields, "SELECT "+policyEditColumns+` FROM policy_edits
			WHERE tenant_id = $1 AND environment = $2 AND policy_key = $3 AND changed_micros > $4 AND user_id <> $5
			ORDER BY changed_micros DESC, user_id, rule_set_id LIMIT $6`, policyKey, afterMicros, userID, int64(limit))
	})
}

// Of returns the edits of a person, the latest first.
func (pe PolicyEditReader) Of(userID string, limit int) ([]PolicyEdit, error) {
	return read(pe.access, func(tx *Tx) ([]PolicyEdit, error) {
		return eachRow(tx, (*PolicyEdit).fields, "SELECT "+policyEditColumns+` FROM policy_edits
			WHERE tenant_id = $1 AND environment = $2 AND user_id = $3
			ORDER BY changed_micros DESC, rule_set_id LIMIT $4`, userID, int64(limit))
	})
}

// Add stores a step as the last and current one, and returns its number. It begins the edit if there is none. The
// caller sets every field of e except Current and Last.
func (pe PolicyEdits) Add(e PolicyEdit, s PolicyEditStep) (int64, error) {
	// The statement locks the edit, so that no other node gives a step the same number.
	err := pe.tx.one([]any{&s.Number},
		`INSERT INTO policy_edits (tenant_id, environment, user_id, rule_set_id, policy_key,
			current_step, last_step, began_micros, changed_micros)
		VALUES ($1, $2, $3, $4, $5, 1, 1, $6, $7)
		ON CONFLICT (tenant_id, environment, user_id, rule_set_id) DO UPDATE SET
			current_step = policy_edits.last_step + 1, last_step = policy_edits.last_step + 1,
			changed_micros = excluded.changed_micros
		RETURNING last_step`, e.UserID, e.RuleSetID, e.PolicyKey, e.BeganMicros, e.ChangedMicros)
	if err != nil {
		return 0, err
	}
	_, err = pe.tx.exec(`INSERT INTO policy_edit_steps (tenant_id, environment, user_id, rule_set_id,
			step, parent, left_step, changes, act, state)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		e.UserID, e.RuleSetID, s.Number, s.Parent, s.Left, s.Changes, s.Act, notNil(s.State))
	if err != nil {
		return 0, err
	}
	return s.Number, pe.tx.StoredBytes().add(len(s.State))
}

// Amend replaces the state of a step, and makes the step the current one.
func (pe PolicyEdits) Amend(userID, ruleSetID string, s PolicyEditStep, nowMicros int64) error {
	if err := pe.Move(userID, ruleSetID, s.Number, nowMicros); err != nil {
		return err
	}
	old, err := pe.Step(userID, ruleSetID, s.Number)
	if err == nil && old.Number == 0 {
		err = fault.Missing("step of the edit")
	}
	if err != nil {
		return err
	}
	_, err = pe.tx.exec(`UPDATE policy_edit_steps SET state = $6, changes = $7
		WHERE tenant_id = $1 AND environment = $2 AND user_id = $3 AND rule_set_id = $4 AND step = $5`,
		userID, ruleSetID, s.Number, notNil(s.State), s.Changes)
	if err != nil {
		return err
	}
	if more := len(s.State) - len(old.State); more > 0 {
		return pe.tx.StoredBytes().add(more)
	} else if more < 0 {
		return pe.tx.StoredBytes().release(int64(-more))
	}
	return nil
}

// Move makes a step the current one.
func (pe PolicyEdits) Move(userID, ruleSetID string, number, nowMicros int64) error {
	_, err := pe.tx.exec(`UPDATE policy_edits SET current_step = $5, changed_micros = $6
		WHERE tenant_id = $1 AND environment = $2 AND user_id = $3 AND rule_set_id = $4`,
		userID, ruleSetID, number, nowMicros)
	return err
}

// Trim deletes the oldest steps of an edit. At most maxSteps steps stay, and their states have at most maxBytes bytes
// together. Trim never deletes the last step.
func (pe PolicyEdits) Trim(userID, ruleSetID string, maxSteps int, maxBytes int64) error {
	type size struct{ step, bytes int64 }
	sizes, err := eachRow(pe.tx, func(s *size) []any { return []any{&s.step, &s.bytes} }, `SELECT step, length(state)
		FROM policy_edit_steps WHERE tenant_id = $1 AND environment = $2 AND user_id = $3 AND rule_set_id = $4
		ORDER BY step DESC`, userID, ruleSetID)
	if err != nil {
		return err
	}
	sum := int64(0)
	for i, s := range sizes {
		if sum += s.bytes; i == 0 || i < maxSteps && sum <= maxBytes {
			continue
		}
		_, err := pe.tx.StoredBytes().deleteCounted(
			`DELETE FROM policy_edit_steps WHERE tenant_id = $1 AND environment = $2
			AND user_id = $3 AND rule_set_id = $4 AND step <= $5 RETURNING length(state)`, userID, ruleSetID, s.step)
		return err
	}
	return nil
}

// Delete deletes an edit with its steps. It does nothing if there is none.
func (pe PolicyEdits) Delete(userID, ruleSetID string) error {
	return pe.deleteUnchanged(userID, ruleSetID, math.MaxInt64)
}

// deleteUnchanged deletes an edit with its steps, unless it was changed at beforeMicros or later. The first statement
// locks the edit, like the first statement of Add, so nobody adds a step between the two statements.
func (pe PolicyEdits) deleteUnchanged(userID, ruleSetID string, beforeMicros int64) error {
	deleted, err := pe.tx.exec(`DELETE FROM policy_edits WHERE tenant_id = $1 AND environment = $2
		AND user_id = $3 AND rule_set_id = $4 AND changed_micros < $5`, userID, ruleSetID, beforeMicros)
	if err != nil || deleted == 0 {
		return err
	}
	_, err = pe.tx.StoredBytes().deleteCounted(`DELETE FROM policy_edit_steps WHERE tenant_id = $1 AND environment = $2
		AND user_id = $3 AND rule_set_id = $4 RETURNING length(state)`, userID, ruleSetID)
	return err
}

// PurgePolicyEdits deletes at most limit edits of all tenants that were last changed before a time, and returns their
// number. The number includes edits that somebody changes during the purge, which are kept.
func (sys *System) PurgePolicyEdits(ctx context.Context, beforeMicros int64, limit int) (int64, error) {
	var old []scopedEdit
	err := sys.read(ctx, func(s *transaction) error {
		old = nil // reset, because the read may be repeated
		return s.each(func(scan func(...any) error) error {
			var e scopedEdit
			err := scan(&e.tenant, &e.environment, &e.user, &e.ruleSet)
			old = append(old, e)
			return err
		}, `SELECT tenant_id, environment, user_id, rule_set_id FROM policy_edits WHERE changed_micros < $1
			ORDER BY changed_micros LIMIT $2`, beforeMicros, int64(limit))
	})
	for i := range old {
		if err != nil {
			return int64(i), err
		}
		e := &old[i]
		err = sys.writeIn(ctx, e.tenant, e.environment, func(s *transaction) error {
			return s.within(e.tenant, e.environment).PolicyEdits().deleteUnchanged(e.user, e.ruleSet, beforeMicros)
		})
	}
	return int64(len(old)), err
}

// scopedEdit names an edit of any tenant.
type scopedEdit struct{ tenant, environment, user, ruleSet string }
