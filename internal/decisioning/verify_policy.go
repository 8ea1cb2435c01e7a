package decisioning

import (
	"verdict/internal/evidence"
	"verdict/internal/store"
)

// policyEntries holds the entries of rule sets and of their activations.
type policyEntries struct {
	created    map[string]*entry // by the id of the rule set
	removed    map[string]*entry // deleted and archived drafts
	activated  map[string]*entry // the last activation of each rule set
	replacedBy map[string]*entry // the last activation that retired each rule set
}

func newPolicyEntries() policyEntries {
	return policyEntries{
		created: map[string]*entry{}, removed: map[string]*entry{},
		activated: map[string]*entry{}, replacedBy: map[string]*entry{},
	}
}

func (v *recordVerifier) collectPolicy(e *entry) {
	kind, _, _ := evidence.ParseEvent(e.event)
	switch {
	case kind == store.EventRuleSetCreated:
		if before := v.created[e.leaf.ID]; before == nil || before.number > e.number {
			v.created[e.leaf.ID] = e
		}
		return
	case e.leaf.Kind == evidence.RuleSet:
		v.removed[e.leaf.ID] = e
	default:
		later(v.activated, e.leaf.ID, e)
		if replaced := e.value("previous_rule_set_id"); replaced != "" {
			later(v.replacedBy, replaced, e)
		}
	}
	v.compareEvent(e)
}

// later sets the activation of id in last to e, unless last has an activation of id with a later time. It compares
// the times, because backfilled entries are not in the order of their times.
func later(last map[string]*entry, id string, e *entry) {
	if before := last[id]; before == nil || before.value("activated_at") < e.value("activated_at") {
		last[id] = e
	}
}

// checkPolicies compares the stored rule sets with their entries.
func (v *recordVerifier) checkPolicies(tx *store.Tx) error {
	stored, active := map[string]bool{}, map[string]string{}
	err := tx.RuleSets().WalkLogged(func(r *store.LoggedRuleSet) error {
		stored[r.ID] = true
		if v.checkRuleSet(r) && v.checkActivation(r) {
			active[r.PolicyKey] = r.ID
		}
		return nil
	})
	if err != nil {
		return err
	}
	for id, e := range v.created {
		removed := v.removed[id]
		if !stored[id] && (removed == nil || !removed.is(store.EventRuleSetDeleted)) {
			v.wrong(id, "the rule set of entry %d of the journal is missing", e.number)
		}
	}
	listed, err := tx.RuleSets().ActiveIDs()
	if err != nil {
		return err
	}
	for key, id := range listed {
		if id != active[key] && !v.told[id] && !v.told[active[key]] {
			v.wrong(id, "it is stored as the active rule set of %q, but the journal names %q as active", key,
				active[key])
		}
	}
	for key, id := range active {
		if _, found := listed[key]; !found && !v.told[id] {
			v.wrong(id, "the journal names it as active, but no active rule set of %q is stored", key)
		}
	}
	return nil
}

func (e *entry) is(kind string) bool {
	found, _, _ := evidence.ParseEvent(e.event)
	return found == kind
}

// checkRuleSet compares the fields of a rule set that never change, and checks whether it
// was removed. It returns false if there is nothing more to compare.
func (v *recordVerifier) checkRuleSet(r *store.LoggedRuleSet) bool {
	e, removed := v.created[r.ID], v.removed[r.ID]
	switch {
	case r.Leaf < 0 && e == nil && v.older(r.CreatedMicros):
		v.noEntry++
	case e == nil:
		v.wrong(r.ID, "it has no entry in the journal")
		return false
	case !v.linked(e, r.Leaf):
		return false
	default:
		v.compare(e, r.Record(), "the stored document, name or notes")
	}
	switch {
	case removed != nil && removed.is(store.EventRuleSetDeleted):
		v.wrong(r.ID, "it was deleted by entry %d of the journal, but is still stored", removed.number)
	case removed != nil && removed.leaf.At != evidence.At(r.ArchivedMicros),
		removed == nil && r.ArchivedMicros != 0 && !v.older(r.ArchivedMicros):
		v.wrong(r.ID, "the stored time of its archiving was altered")
	}
	return true
}

// checkActivation compares the status of a rule set with the last activation, and reports
// whether the rule set is active.
func (v *recordVerifier) checkActivation(r *store.LoggedRuleSet) bool {
	e := v.activated[r.ID]
	if e == nil {
		if r.ActivationLeaf < 0 && r.ActivatedMicros > 0 && v.older(r.ActivatedMicros) {
			return r.Status == store.StatusActive // from before the journal, and not backfilled yet
		}
		if r.Status != store.StatusDraft || r.ActivatedMicros != 0 || r.ActivatedBy != "" || r.RetiredMicros != 0 ||
			r.ActivationLeaf >= 0 {
			v.wrong(r.ID, "the journal has no activation of it")
		}
		return false
	}
	status, retired := store.StatusActive, e.value("retired_at")
	if by := v.replacedBy[r.ID]; by != nil && by.value("activated_at") > e.value("activated_at") {
		retired = by.value("activated_at")
	}
	if retired != "" {
		status = store.StatusRetired
	}
	stored := ""
	if r.RetiredMicros != 0 {
		stored = store.ExactTime(r.RetiredMicros)
	}
	if r.Status != status || stored != retired || r.ActivatedBy != e.value("actor") || r.ActivationLeaf != e.number ||
		store.ExactTime(r.ActivatedMicros) != e.value("activated_at") {
		v.wrong(r.ID, "its status, activator or time of activation or retirement differs from entry %d of the journal",
			e.number)
	}
	return status == store.StatusActive
}
