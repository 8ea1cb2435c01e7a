package field

import (
	"verdict/internal/feature"
	"verdict/internal/rule"
)

const featureGroup = "features"

// featureReasons maps each metric of a feature to its default reason code.
var featureReasons = map[string]string{
	"enquiry":          "BUR_ENQ",
	"account_opened":   "BUR_TRADELINES",
	"outstanding":      "FOIR_HIGH",
	"dpd_1plus":        "BUR_DPD",
	"dpd_30plus":       "BUR_DPD",
	"dpd_90plus":       "BUR_DPD",
	"account_closed":   "BUR_THIN_FILE",
	"overdue":          "BUR_OVERDUE",
	"adverse":          "BUR_WRITEOFF",
	"emi":              "FOIR_HIGH",
	"credit":           "INC_LOW",
	"debit":            "BANK_ABB",
	"income":           "INC_LOW",
	"salary":           "INC_LOW",
	"emi_debit":        "FOIR_HIGH",
	"card_bill":        "FOIR_HIGH",
	"bill_payment":     "BANK_ABB",
	"investment":       "BANK_ABB",
	"issued_bounce":    "BANK_BOUNCE",
	"deposited_return": "BANK_BOUNCE",
	"loan_credit":      "FOIR_HIGH",
	"self_transfer":    "BANK_MISMATCH",
	"charge":           "BANK_BOUNCE",
	"eod_balance":      "BANK_ABB",
	"low_balance_day":  "BANK_ABB",
	"income_gap":       "BANK_MISMATCH",
	"emi_gap":          "BANK_MISMATCH",
}

// IsFeature reports whether a field is a feature. Features become facts only if
// a policy names them.
func IsFeature(name string) bool {
	_, ok := feature.Parse(name)
	return ok
}

// featureSection returns one field for every feature.
func featureSection() section {
	fields := make([]entry, 0, feature.Count)
	for n := range feature.All() {
		fields = append(fields, featureEntry(n))
	}
	return section{
		group: featureGroup, title: "Features", supply: rule.FromEvaluate, late: true,
		intro: "Features are computed if the request has `\"features\": true` or the policy has " +
			"`\"features\": \"auto\"`; otherwise they are absent. A feature is also absent if the report or the " +
			"statement lacks its data.",
		fields: fields,
	}
}

func featureEntry(n feature.Name) entry {
	m, _ := feature.LookupMetric(n.Metric)
	e := number(n.String(), n.Unit(), n.Meaning()).reason(featureReasons[n.Metric])
	switch {
	case n.Aggregation == feature.Trend:
		return e.within(-1, 1)
	case n.Aggregation == feature.CountOf:
		e.Integer = true
		return e.atLeast(0)
	case m.Signed:
		return e
	default:
		return e.atLeast(0)
	}
}
