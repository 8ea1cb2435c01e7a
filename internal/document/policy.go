package document

import (
	"strings"

	"verdict/internal/engine"
	"verdict/internal/engine/prover"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/wire"
)

// ReadDraft returns the draft of a new version in a body. It does not check the draft,
// because the faults of a draft depend on its base version, which only the use case
// can load.
func ReadDraft(body wire.Value) (engine.Draft, error) { return engine.NewDraft(body), nil }

// EncodeCreatedRuleSet answers 201 with a new rule set and its address.
func EncodeCreatedRuleSet(r policydesk.RuleSet) operation.Answer {
	return operation.Answer{
		Status:   operation.StatusCreated,
		Location: "/v1/rule-sets/" + r.ID,
		Body:     ruleSetBody(r),
	}
}

// EncodeRuleSet answers 200 with a rule set.
func EncodeRuleSet(r policydesk.RuleSet) operation.Answer {
	return operation.Answer{Status: operation.StatusOK, Body: ruleSetBody(r)}
}

func ruleSetBody(r policydesk.RuleSet) []byte {
	w := wire.Writer{Buf: make([]byte, 0, len(r.Document)+2<<10)}
	WriteRuleSet(&w, r)
	return w.Buf
}

// WriteRuleSet writes a rule set: its document, which contains the name and the
// policy_key, and the stored data about it.
func WriteRuleSet(w *wire.Writer, r policydesk.RuleSet) {
	w.Object().Key("id").String(r.ID).Key("version").Int(r.Version).Key("status").String(r.Status)
	w.Key("checksum").String(r.Checksum)
	optional(w, "base", r.Base)
	if r.Inherited != nil {
		w.Key("inherited")
		writeStrings(w, r.Inherited)
	}
	if r.Changes != nil {
		w.Key("changes").Array()
		for _, c := range r.Changes {
			c.Write(w)
		}
		w.EndArray()
	}
	w.Members(r.Document).Key("feature_names")
	writeStrings(w, r.FeatureNames)
	if r.Findings != nil {
		w.Key("findings").Array()
		for _, f := range r.Findings {
			f.Write(w)
		}
		w.EndArray()
	}
	if len(r.Proofs) > 0 {
		w.Key("guarantee_proofs")
		prover.WriteProofs(w, r.Proofs)
	}
	optional(w, "notes", r.Notes)
	w.Key("created_at").String(operation.Clock(r.CreatedMicros)).Key("created_by").String(r.CreatedBy)
	optionalTime(w, "activated_at", r.ActivatedMicros)
	optional(w, "activated_by", r.ActivatedBy)
	optionalTime(w, "retired_at", r.RetiredMicros)
	optionalTime(w, "archived_at", r.ArchivedMicros)
	w.EndObject()
}

// ReadActivation reads the options of an activation. The body may be missing.
func ReadActivation(body wire.Value) (policydesk.Activation, error) {
	var a policydesk.Activation
	if !body.Given() {
		return a, nil
	}
	var faults fault.List
	f := wire.NewForm(body, &faults)
	a.Note = text(&f, "note")
	a.ExpectedActiveID = text(&f, "expected_active_id")
	a.ExpectedChecksum = text(&f, "expected_checksum")
	for _, v := range f.Array("acknowledge", policydesk.MaxAcknowledged).Elements() {
		if v.Kind() != wire.String {
			faults.Add(v.Pointer(), fault.CodeWrongType, policydesk.NotAFindingKey)
		}
		a.Acknowledge = append(a.Acknowledge, strings.Clone(v.Text()))
	}
	a.Check(&faults)
	f.Done()
	return a, faults.Err()
}

// PolicyWriter returns the function that writes a policy for people. The function
// writes the rules with their conditions in words, the fields that the policy names
// and, if they were requested, the statistics of the rules. It calls checkpoint after
// every rule, because a policy may have a thousand rules.
func PolicyWriter(checkpoint func(*wire.Writer)) func(*wire.Writer, policydesk.PolicyView) {
	return func(w *wire.Writer, v policydesk.PolicyView) {
		w.Object().Key("id").String(v.ID).Key("policy_key").String(v.PolicyKey).Key("name").String(v.Name)
		w.Key("version").Int(v.Version).Key("status").String(v.Status).Key("checksum").String(v.Checksum)
		v.Policy.WriteSummary(w, func(w *wire.Writer, ruleID string) {
			if v.Stats != nil {
				stat := v.Stats[ruleID]
				w.Key("stats").Object().Key("evaluated").Int(stat.Evaluated).Key("hit").Int(stat.Hit)
				w.Key("not_evaluated").Int(stat.Unknown).EndObject()
			}
			checkpoint(w)
		})
		w.EndObject()
	}
}
