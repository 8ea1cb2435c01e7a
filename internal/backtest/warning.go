package backtest

import (
	"fmt"
	"slices"

	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

const foirField = "foir"

// MostLikelyRatio is one percent. If a column of foir was read as percentages and none of its values is above
// MostLikelyRatio, the column probably contains ratios.
const MostLikelyRatio = rule.One / 100

// Warning states that the rows were possibly misread, or that data is missing.
type Warning struct {
	Code   string
	Detail string
	Fields []string // fields that the warning is about; nil for none
}

// warnings returns the warnings about the rows as a whole.
func (r *Run) warnings(p *Partial) (list []Warning) {
	if r.setup.Encoding != "" {
		list = append(list, Warning{Code: fault.CodeEncoding,
			Detail: "the file is not UTF-8 text and was read as " + r.setup.Encoding +
				"; save it as CSV in UTF-8 if names look wrong"})
	}
	if slices.ContainsFunc(p.codes, func(c CodeCount) bool { return c.Code == fault.CodeBadUTF8 }) {
		list = append(list, Warning{Code: fault.CodeUnreadableText,
			Detail: "rows with the code bad_utf8 contain bytes that are not UTF-8 text, and were not evaluated; " +
				"save the file as CSV in UTF-8"})
	}
	list = append(list, p.readWarnings()...)
	list = append(list, p.listWarnings()...)
	list = append(list, p.ownWarnings()...)
	if names := r.featuresAbsent(); len(names) > 0 {
		list = append(list, Warning{Code: fault.CodeFeaturesAbsent, Fields: names,
			Detail: "the policy names these features, but no column has them, so they are absent in every row; " +
				"add columns of these names, or backtest over stored decisions that were made with features"})
	}
	switch {
	case r.setup.PercentFOIR && p.foirMost > 0 && p.foirMost <= int64(MostLikelyRatio):
		list = append(list, Warning{Code: fault.CodeFOIRLooksLikeRatio, Fields: []string{foirField},
			Detail: "no row has a foir above 1, and it was read as a percentage: 0.35 as 0.35 %; " +
				"leave foir_unit out if the column contains ratios"})
	case !r.setup.PercentFOIR && slices.ContainsFunc(p.errors, func(e RowError) bool {
		return e.Code == fault.CodeOutOfRange && (e.Field == foirField || e.Field == "applicant.foir")
	}):
		list = append(list, Warning{Code: fault.CodeFOIRLooksLikePercent, Fields: []string{foirField},
			Detail: "rows were not evaluated because their foir is not a ratio of at most 5; " +
				"send \"foir_unit\": \"percent\" if the column contains percentages"})
	}
	return list
}

// readWarnings returns one warning about cells that were read as formatted
// numbers and one about cells that were read as missing, if there are any.
func (p *Partial) readWarnings() (list []Warning) {
	for _, kind := range []struct{ code, detail string }{
		{fault.CodeNumberFormat,
			"cells with thousands separators, a currency or a percent sign were read as plain numbers, " +
				"as when a scorecard is fitted: 60,000 as 60000, 12.5% as 12.5, and a foir of 35% as 0.35"},
		{fault.CodeReadAsMissing, "cells in columns of numbers, such as NA, N/A, null or -, were read as missing"},
	} {
		var names []string
		var count int64
		for _, r := range p.read {
			if r.code == kind.code {
				names, count = append(names, r.field), count+r.count
			}
		}
		if count > 0 {
			list = append(list,
				Warning{Code: kind.code, Fields: names, Detail: fmt.Sprintf("%d %s", count, kind.detail)})
		}
	}
	return list
}

// featuresAbsent returns the features that a policy reads and that no column
// provides.
func (r *Run) featuresAbsent() (names []string) {
	if r.columns == nil {
		return nil // the backtest decides facts, which have no columns
	}
	for _, s := range []*side{r.champion, r.challenger} {
		if s == nil {
			continue
		}
		for _, name := range s.plan.Policy().FeatureNames() {
			if !r.columns.Has(name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (r *Report) writeWarnings(w *wire.Writer) {
	if len(r.Warnings) == 0 {
		return
	}
	w.Key("warnings").Array()
	for _, one := range r.Warnings {
		one.Write(w)
	}
	w.EndArray()
}

// Write writes the warning as JSON.
func (x *Warning) Write(w *wire.Writer) {
	w.Object().Key("code").Plain(x.Code).Key("detail").String(x.Detail)
	if x.Fields != nil {
		writeTexts(w, "fields", x.Fields)
	}
	w.EndObject()
}
