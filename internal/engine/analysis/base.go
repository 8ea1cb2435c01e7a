package analysis

import (
	"fmt"
	"slices"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/fault"
)

// Against compares the findings of a version with the findings of its base, and returns the findings of the version
// with their origins. It adds findings about entries of the base that the version no longer has. If base is nil, all
// findings are new. Against does not change the findings passed in.
func Against(found []Finding, p *engine.Policy, inBase []Finding, base *engine.Policy) []Finding {
	out := make([]Finding, 0, len(found)+4)
	if base != nil {
		out = append(out, removed(p, base)...)
	}
	known := make(map[string][]*Finding, len(inBase))
	for i := range inBase {
		f := &inBase[i]
		known[f.Key] = append(known[f.Key], f)
	}
	for _, f := range found {
		f.Origin = OriginNew
		at := slices.IndexFunc(known[f.Key],
			func(b *Finding) bool { return b.Severity >= f.Severity && includes(b, &f) })
		if at >= 0 {
			f.Origin = OriginInherited
			// Each finding of the base matches only one finding of the version.
			known[f.Key] = slices.Delete(slices.Clone(known[f.Key]), at, at+1)
		}
		out = append(out, f)
	}
	slices.SortStableFunc(out, func(x, y Finding) int { return int(y.Severity) - int(x.Severity) })
	return out
}

// includes reports whether a finding of the base covers all ids and fields of a
// finding of the version. So a finding that concerns one more rule than in the
// base is new.
func includes(base, f *Finding) bool {
	within := func(list, whole []string) bool {
		if len(list) == 0 {
			return true
		}
		known := setOf(whole)
		return !slices.ContainsFunc(list, func(s string) bool { return !known[s] })
	}
	return within(f.IDs, base.IDs) && within(f.Fields, base.Fields)
}

func setOf(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, s := range list {
		set[s] = true
	}
	return set
}

// removed returns findings about the entries of the base that a version no
// longer has.
func removed(p, base *engine.Policy) (list []Finding) {
	add := func(code, pointer, one, many string, before, after []string) {
		var gone []string
		kept := setOf(after)
		for _, id := range before {
			if !kept[id] {
				gone = append(gone, id)
			}
		}
		if len(gone) == 0 {
			return
		}
		noun, verb := many, "are"
		if len(gone) == 1 {
			noun, verb = one, "is"
		}
		section := strings.TrimPrefix(pointer, "/scorecard")
		list = append(list, Finding{
			Severity: SeverityWarning,
			Code:     code,
			Pointer:  pointer,
			Key:      code + "@" + pointer,
			Origin:   OriginNew,
			Proved:   true,
			IDs:      gone,
			Detail: fmt.Sprintf(
				"The %s %s of the base %s not in this version. To change single entries and keep the others, "+
					"send \"patch\": {\"%s\": …} instead of the whole section.",
				noun, enumerate(gone), verb, section[1:]),
		})
	}
	add(fault.CodeRulesRemoved, "/knockouts", "knockout", "knockouts",
		ids(base.Knockouts, knockoutID), ids(p.Knockouts, knockoutID))
	add(fault.CodeRulesRemoved, "/adjustments", "adjustment", "adjustments",
		ids(base.Adjustments, adjustmentID), ids(p.Adjustments, adjustmentID))
	add(fault.CodeFactorsRemoved, "/scorecard/factors", "factor", "factors",
		ids(base.Scorecard.Factors, factorName), ids(p.Scorecard.Factors, factorName))
	add(fault.CodeRulesRemoved, "/limit_caps", "limit cap", "limit caps",
		ids(base.LimitCaps, capID), ids(p.LimitCaps, capID))
	add(fault.CodeBandsRemoved, "/pricing_bands", "band", "bands", ids(base.Bands, bandID), ids(p.Bands, bandID))
	list = append(list, GuaranteesRemoved(p, base)...)
	return append(list, sourcesRemoved(p, base)...)
}

// sourcesRemoved returns a finding about the sources of income and obligations
// that the base counts and a version does not. It returns nil if there are
// none.
func sourcesRemoved(p, base *engine.Policy) []Finding {
	now, before := p.CountedSources(), base.CountedSources()
	var gone, words []string
	add := func(kind string, before, now engine.Source) {
		var list []string
		for _, name := range before.Of {
			if !slices.Contains(now.Of, name) {
				list = append(list, name)
			}
		}
		if len(list) > 0 {
			gone, words = append(gone, list...), append(words, kind+" from "+enumerate(list))
		}
	}
	add("income", before.Income, now.Income)
	add("obligations", before.Obligations, now.Obligations)
	if len(gone) == 0 {
		return nil
	}
	return []Finding{{
		Severity: SeverityWarning,
		Code:     fault.CodeSourcesRemoved,
		Pointer:  "/affordability",
		Key:      fault.CodeSourcesRemoved + "@/affordability",
		Origin:   OriginNew,
		Proved:   true,
		IDs:      gone,
		Detail: fmt.Sprintf(
			"This version no longer uses %s, which the base uses. \"affordability\" replaces the whole "+
				"section of the base: name the sources of both income and obligations. If it names no source for one "+
				"of the two, only the declared figure is used.",
			strings.Join(words, " and ")),
	}}
}

// ids returns the ids of the entries of a section, in order.
func ids[T any](entries []T, id func(*T) string) []string {
	list := make([]string, len(entries))
	for i := range entries {
		list[i] = id(&entries[i])
	}
	return list
}

func knockoutID(k *engine.Knockout) string     { return k.ID }
func adjustmentID(a *engine.Adjustment) string { return a.ID }
func factorName(f *engine.Factor) string       { return f.Name }
func bandID(b *engine.Band) string             { return b.ID }
func capID(c *engine.LimitCap) string          { return c.ID }
