package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"

	"verdict/internal/engine"
	"verdict/internal/engine/analysis"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// analysedRuleSet is a version with its findings, as the service answers a new draft and a single version.
type analysedRuleSet struct {
	ruleSet
	Findings []storedFinding
}

// storedFinding is a finding as the service answers it.
type storedFinding struct {
	Severity, Code, Pointer, Key, Detail string
	Proved                               bool
	IDs, Fields                          []string
	Witness                              json.RawMessage
}

// findings returns the findings of a version, without their origins.
func (r *analysedRuleSet) findings() ([]analysis.Finding, error) {
	list := make([]analysis.Finding, 0, len(r.Findings))
	for _, s := range r.Findings {
		f := analysis.Finding{
			Code:    s.Code,
			Pointer: s.Pointer,
			Key:     s.Key,
			Detail:  s.Detail,
			Proved:  s.Proved,
			IDs:     s.IDs,
			Fields:  s.Fields,
		}
		for _, h := range headings {
			if h.severity.String() == s.Severity {
				f.Severity = h.severity
			}
		}
		if len(s.Witness) > 0 {
			v, err := wire.Parse(s.Witness)
			if err != nil {
				return nil, err
			}
			facts, err := rule.ReadFacts(v, field.Catalogue())
			if err != nil {
				return nil, err
			}
			f.Witness = facts.Sorted()
		}
		list = append(list, f)
	}
	return list, nil
}

// newFindings returns the findings of a draft that the active version does not have. If no version is active, all are
// new. The origins in the answer of the service do not tell this, because a draft of "push" has no base.
func (f policyFolder) newFindings(
	ctx context.Context, created analysedRuleSet, file policyFile, active ruleSet, src engine.Sources,
) (*checkReport, error) {
	found, err := created.findings()
	if err != nil {
		return nil, err
	}
	if active.ID == "" {
		return newCheckReport(analysis.Against(found, file.policy, nil, nil)), nil
	}
	base, err := policyOf(active.document, src)
	if err != nil {
		return nil, fmt.Errorf("the active version: %w", err)
	}
	var stored analysedRuleSet
	if err := f.service.get(ctx, "/v1/rule-sets/"+url.PathEscape(active.ID), &stored); err != nil {
		return nil, err
	}
	inBase, err := stored.findings()
	if err != nil {
		return nil, err
	}
	return newCheckReport(notInherited(analysis.Against(found, file.policy, inBase, base))), nil
}

// notInherited returns the findings that the base does not have.
func notInherited(found []analysis.Finding) (list []analysis.Finding) {
	for _, f := range found {
		if f.Origin != analysis.OriginInherited {
			list = append(list, f)
		}
	}
	return list
}
