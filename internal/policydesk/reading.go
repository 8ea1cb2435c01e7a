package policydesk

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// Reading is what there is to say about a document that somebody is writing.
type Reading struct {
	Faults   []fault.Item     // why it could not be stored
	Findings []engine.Finding // what the static analysis says of one that could
	Changes  []engine.Change  // what differs from its base, nil without one
	Checksum string           // of one that could
}

// ReadDraft reads a draft as CreateRuleSet does, and stores nothing. The faults of
// the draft are part of the result and no error.
func (s *Service) ReadDraft(ctx context.Context, p tenant.Principal, draft engine.Draft) (Reading, error) {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return Reading{}, err
	}
	scope := s.core.Scope(p)
	d, err := s.readNew(ctx, scope, draft)
	var refusal *fault.Error
	switch {
	case errors.As(err, &refusal) && refusal.Kind == fault.Invalid:
		return Reading{Faults: refusal.Items}, nil
	case err != nil:
		return Reading{}, err
	}
	base, err := s.basePolicy(ctx, scope, d.base.ID)
	if err != nil {
		return Reading{}, err
	}
	reading := Reading{Checksum: d.policy.Checksum()}
	reading.Findings, reading.Changes, err = analysedAgainst(ctx, d.policy, base)
	return reading, err
}

// RuleStats is how the rules of a rule set fared in the last days, by rule id.
func (s *Service) RuleStats(ctx context.Context, p tenant.Principal, id string, days int) (map[string]RuleCount, error) {
	if err := p.Require(tenant.Read); err != nil {
		return nil, err
	}
	from := tenant.BusinessDay(s.core.Now().Add(-time.Duration(days-1) * 24 * time.Hour))
	rows, err := s.core.Scope(p).RuleSets(ctx).Stats(id, from)
	if err != nil {
		return nil, err
	}
	stats := make(map[string]RuleCount, len(rows))
	for _, r := range rows {
		stats[r.RuleID] = RuleCount{
			TenantID: p.TenantID, Environment: string(p.Environment), RuleID: r.RuleID,
			Evaluated: r.Evaluated, Hit: r.Hit, Unknown: r.Unknown,
		}
	}
	return stats, nil
}

// ConditionTexts are the conditions of a policy document in words, by the
// pointer of each. One that cannot be read has none, and does not keep the
// others from theirs.
func ConditionTexts(document wire.Value) map[string]string {
	texts := map[string]string{}
	semantics, _ := strconv.Atoi(document.Get("semantics").Text()) // left out, it is the first
	scope := rule.Scope{Catalogue: field.Catalogue(), Inputs: declaredInputs(document), Semantics: semantics}
	read := func(v wire.Value, stage2 bool) {
		if text, _, err := readCondition(v, scope, stage2); err == nil && v.Given() {
			texts[v.Pointer()] = text
		}
	}
	for _, k := range document.Get("knockouts").Elements() {
		read(k.Get("condition_ast"), k.Get("stage").Text() == "2")
	}
	for _, section := range []string{"adjustments", "conditions"} {
		for _, v := range document.Get(section).Elements() {
			read(v.Get("condition_ast"), false)
		}
	}
	for _, f := range document.Get("scorecard").Get("factors").Elements() {
		read(f.Get("when"), false)
	}
	return texts
}

// CheckCondition reads a condition by itself, as it would stand in a document
// of these semantics with these inputs: in words, and as it would be stored.
func CheckCondition(condition, inputs wire.Value, semantics int, stage2 bool) (text string, document []byte, err error) {
	scope := rule.Scope{Catalogue: field.Catalogue(), Inputs: map[string]rule.Type{}, Semantics: semantics}
	declare(inputs, scope.Inputs)
	return readCondition(condition, scope, stage2)
}

func readCondition(v wire.Value, scope rule.Scope, stage2 bool) (text string, document []byte, err error) {
	var faults fault.List
	scope.Stage2 = stage2
	c := rule.ReadCondition(v, &scope, &faults)
	if err := faults.Err(); err != nil {
		return "", nil, err
	}
	var w wire.Writer
	c.Write(&w)
	return c.Text(), w.Buf, nil
}

// declaredInputs are the names that a document itself declares, those of its
// scorecard's factors among them. What is wrong with them is said elsewhere.
func declaredInputs(document wire.Value) map[string]rule.Type {
	types := map[string]rule.Type{}
	declare(document.Get("inputs"), types)
	for _, f := range document.Get("scorecard").Get("factors").Elements() {
		if t, ok := rule.ParseType(f.Get("type").Text()); ok && field.Declarable(f.Get("field").Text()) {
			types[f.Get("field").Text()] = t
		}
	}
	return types
}

func declare(inputs wire.Value, types map[string]rule.Type) {
	for _, in := range inputs.Elements() {
		if t, ok := rule.ParseType(in.Get("type").Text()); ok {
			types[in.Get("name").Text()] = t
		}
	}
}

// PolicyFields are the fields that a condition may name, without the features,
// which are too many for a list; FindFeatures finds those.
func PolicyFields() []*rule.Field {
	var list []*rule.Field
	for f := range catalogued() {
		if !field.IsFeature(f.Name) {
			list = append(list, f)
		}
	}
	return list
}

// FindFeatures are at most so many features with all of the words in their
// names, in catalogue order.
func FindFeatures(words string, most int) []*rule.Field {
	var list []*rule.Field
	wanted := strings.Fields(strings.ToLower(words))
	for f := range catalogued() {
		if len(list) == most {
			break
		}
		if field.IsFeature(f.Name) && hasAll(f.Name, wanted) {
			list = append(list, f)
		}
	}
	return list
}

func hasAll(name string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(name, w) {
			return false
		}
	}
	return true
}

// catalogued yields every field of the catalogue.
func catalogued() func(yield func(*rule.Field) bool) {
	return func(yield func(*rule.Field) bool) {
		all := field.Catalogue()
		for id := range all.Len() {
			if !yield(all.Field(rule.FieldID(id))) {
				return
			}
		}
	}
}
