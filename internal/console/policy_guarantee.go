package console

import (
	"strings"

	"verdict/internal/policydesk"
	"verdict/internal/wire"
)

// sectionGuarantees is the section of a document with its guarantees.
const sectionGuarantees = "guarantees"

// guaranteeLine is a guarantee of a policy.
type guaranteeLine struct {
	ID, Text  string
	JSON      string
	Result    string // "proved", "refuted" or "undecided"; "" before the draft is saved
	Sentence  string // what is known, with an applicant if the guarantee is refuted
	Uncovered string // the guarantee does not cover applications without these fields; "" for none
	Anchor    string
	Remarks   []remark
}

func guaranteeOf(v wire.Value, said remarks) guaranteeLine {
	id := v.Get("id").Text()
	return guaranteeLine{
		ID:      id,
		Text:    v.Get("text").Text(),
		JSON:    indented(v),
		Anchor:  anchorOf(v.Pointer()),
		Remarks: said.claim(v.Pointer(), id),
	}
}

// addProofs adds the proofs of a stored version to its guarantees, which are in the same order.
func (t *policyText) addProofs(set *policydesk.RuleSet) {
	for i := range set.Proofs {
		if i < len(t.Guarantees) && t.Guarantees[i].ID == set.Proofs[i].ID {
			p, line := &set.Proofs[i], &t.Guarantees[i]
			line.Result, line.Sentence = string(p.Standing), p.Sentence()
			line.Uncovered = strings.Join(p.NotCovered, ", ")
		}
	}
}

// guaranteeParts returns the guarantees for the comparison of two versions.
func guaranteeParts(lines []guaranteeLine) (list []part) {
	for _, l := range lines {
		list = append(list, part{l.ID, facts("guarantee", l.Text, "as JSON", l.JSON)})
	}
	return list
}
