package analysis

import (
	"fmt"
	"strconv"

	"verdict/internal/engine"
	"verdict/internal/fault"
)

// Guarantee returns the finding about a guarantee that is refuted, or that is neither proved nor refuted. index is the
// position of the guarantee in the policy. The caller proves guarantees; the analysis does not.
func Guarantee(index int, id string, refuted bool, detail string) Finding {
	code := fault.CodeGuaranteeUndecided
	if refuted {
		code = fault.CodeGuaranteeViolated
	}
	return Finding{
		Severity: SeverityError,
		Code:     code,
		Pointer:  "/guarantees/" + strconv.Itoa(index),
		Key:      code + "@/guarantees/" + id,
		IDs:      []string{id},
		Detail:   detail,
		Proved:   refuted,
	}
}

// GuaranteesRemoved compares the version p with the earlier version "before". It returns a finding about the
// guarantees that p weakens: p no longer has them, or has a guarantee with the same id that excludes less. It
// returns nil if p weakens no guarantee.
func GuaranteesRemoved(p, before *engine.Policy) []Finding {
	var gone []string
	for i := range before.Guarantees {
		old := &before.Guarantees[i]
		kept := false
		for k := range p.Guarantees {
			kept = kept || p.Guarantees[k].ID == old.ID && p.Guarantees[k].Keeps(old)
		}
		if !kept {
			gone = append(gone, old.ID)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	noun, verb := "guarantees", "are"
	if len(gone) == 1 {
		noun, verb = "guarantee", "is"
	}
	return []Finding{{
		Severity: SeverityError,
		Code:     fault.CodeGuaranteesRemoved,
		Pointer:  "/guarantees",
		Key:      fault.CodeGuaranteesRemoved + "@/guarantees",
		Origin:   OriginNew,
		Proved:   true,
		IDs:      gone,
		Detail: fmt.Sprintf("The %s %s of the earlier version %s missing from this version or changed. A changed "+
			"guarantee counts as removed unless it only leaves out \"when\" or names more figures.",
			noun, enumerate(gone), verb),
	}}
}
