package agent

import (
	"strings"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// The recommendations.
const (
	approve            = "APPROVE"
	approveWithChanges = "APPROVE_WITH_CHANGES"
	refer              = "REFER"
	decline            = "DECLINE"
)

// The levels of confidence in a recommendation.
const (
	high   = "high"
	medium = "medium"
	low    = "low"
)

// recommend derives the recommendation from the decision of the engine. A decline without a counter-offer stays a
// decline. In any other case, a finding that a person must review leads to a referral. Without such a finding, if the
// engine would approve another amount or tenure, the recommendation is to approve with that change. Otherwise the
// recommendation equals the decision.
func (st *study) recommend() {
	held := st.held()
	switch {
	case st.status == engine.Declined && len(st.offers) == 0:
		st.recommendation = decline
	case len(held) > 0:
		st.recommendation = refer
	case len(st.offers) > 0:
		st.recommendation = approveWithChanges
	case st.status == engine.Referred:
		st.recommendation = refer
	default:
		st.recommendation = approve
	}
	st.needsHuman = st.recommendation == refer || len(held) > 0
	st.rateConfidence()
}

// rateConfidence sets the confidence by the number of doubts. Each missing input that could change the outcome counts
// as one doubt, but all of them together as at most two. Each concern that no rule covers counts as one doubt. A
// missing income counts as two doubts, unless the application was declined.
func (st *study) rateConfidence() {
	doubts := min(len(st.complete.AskNext()), 2)
	for _, list := range [][]finding{st.signals, st.bank} {
		for i := range list {
			if list[i].concern && len(list[i].rules) == 0 {
				doubts++
			}
		}
	}
	if _, ok := st.number(field.MonthlyIncome); !ok && st.status != engine.Declined {
		doubts += 2
	}
	switch doubts {
	case 0:
		st.confidence = high
	case 1:
		st.confidence = medium
	default:
		st.confidence = low
	}
}

// document is a document to collect, and the field that makes it necessary.
type document struct {
	code, text string
	field      string
}

// collect lists the documents to collect before disbursement. If the
// recommendation is to decline, it lists none.
func (st *study) collect() {
	if st.recommendation == decline {
		return
	}
	add := func(code, text, because string) {
		st.documents = append(st.documents, document{code: code, text: text, field: because})
	}
	given := func(name string) bool { return st.facts.Get(name).Type() != rule.Absent }
	if !given("bank_income") && !given("bank_detected_income") {
		add("INCOME_PROOF", "Salary slips, last 3 months", field.MonthlyIncome)
		add("BANK_STATEMENT", "Bank statement, last 6 months", "bank_detected_income")
	}
	if !given("age") || !given("employment_type") {
		name := "age"
		if given(name) {
			name = "employment_type"
		}
		add("ECONOMIC_PROFILE", "Proof of age and occupation", name)
	}
	if !given(field.FOIR) {
		add("OBLIGATIONS", "Statement of existing loans and their instalments", field.FOIR)
	}
	for i := range st.bank {
		if f := &st.bank[i]; f.concern {
			add("BANK_"+strings.ToUpper(strings.TrimPrefix(f.field, "bank_")),
				"Explanation in writing, with records: "+strings.ToLower(f.text[:1])+f.text[1:], f.field)
		}
	}
	for i := range st.signals {
		if f := &st.signals[i]; strings.HasPrefix(f.field, "location_") {
			add("ADDRESS_PROOF", "Proof of the present address", f.field)
			break
		}
	}
}

func (st *study) writeConditions(w *wire.Writer) {
	w.Key("conditions").Array()
	for _, text := range st.terms {
		w.String(text)
	}
	for _, d := range st.documents {
		w.String(d.text)
	}
	w.EndArray().Key("documents").Array()
	for _, d := range st.documents {
		w.Object().Key("code").String(d.code).Key("text").String(d.text).Key("field").String(d.field).EndObject()
	}
	w.EndArray()
}
