package agent

import (
	"verdict/internal/wire"
)

// Record is the content of a stored run of either agent and of any edition. A field
// that the edition did not have yet is empty. Numbers and times are texts, exactly
// as they are in the stored run.
type Record struct {
	NeedsHuman     bool
	Confidence     string
	DecisionStatus string
	PolicyID       string
	PolicyVersion  string
	Memo           string
	Narrated       bool // a language model reworded the first paragraph of the memo

	// The fields up to Plan are set only for a run of the collections agent. For a run
	// of the underwriting agent, Next is nil.
	Next          *RecordedAction
	Bucket        string
	AssetClass    string
	Priority      string
	PriorityScore string
	RollRisk      string
	Reasons       []string
	Message       string
	Plan          []RecordedAction

	Improvements  []RecordedOutcome
	CounterOffers []RecordedOutcome
	WhatIfs       []RecordedOutcome
	Documents     []string // documents to collect from the applicant
	Steps         []RecordedStep
}

// RecordedAction is an action on an overdue loan.
type RecordedAction struct {
	Day       string // set only in a plan
	Action    string
	Channel   string
	NotBefore string
	NotAfter  string
	Until     string
	Requires  string
}

// RecordedOutcome is the decision that the engine would make after some changes.
type RecordedOutcome struct {
	Changes      []RecordedChange
	Status       string
	Grade        string
	Limit        string // "" if there is no offer
	TenureMonths string
	InterestRate string
	Instalment   string
}

// RecordedChange is the change of a field. From is "" if the run does not state the old
// value.
type RecordedChange struct {
	Field, From, To string
	Waiting         bool // the value changes with the passage of time alone
}

// RecordedStep is a step of a run.
type RecordedStep struct{ Number, Tool, Result, InputHash string }

// ReadRecord reads a stored run.
func ReadRecord(document []byte) (r Record, err error) {
	v, err := wire.Parse(document)
	if err != nil {
		return Record{}, err
	}
	r = Record{
		NeedsHuman:     v.Get("needs_human").IsTrue(),
		Confidence:     v.Get("confidence").Text(),
		DecisionStatus: v.Get("decision").Get("status").Text(),
		PolicyID:       v.Get("policy").Get("id").Text(),
		PolicyVersion:  v.Get("policy").Get("version").Text(),
		Memo:           v.Get("memo").Text(),
		Narrated:       v.Get("narration").Get("used").IsTrue(),

		Bucket:        v.Get("bucket").Text(),
		AssetClass:    v.Get("asset_class").Text(),
		Priority:      v.Get("priority").Text(),
		PriorityScore: v.Get("priority_score").Text(),
		RollRisk:      v.Get("roll_risk").Text(),
		Reasons:       recordedTexts(v.Get("reasons"), wire.Value.Text),
		Message:       v.Get("message").Get("text").Text(),
		Plan:          recordedList(v.Get("plan"), recordedAction),

		Improvements:  recordedList(v.Get("improvements"), recordedOutcome),
		CounterOffers: recordedList(v.Get("counter_offers"), recordedOutcome),
		WhatIfs:       recordedList(v.Get("what_ifs"), recordedOutcome),
		Documents:     recordedTexts(v.Get("documents"), func(d wire.Value) string { return d.Get("text").Text() }),
		Steps:         recordedList(v.Get("steps"), recordedStep),
	}
	if next := v.Get("next_best_action"); next.Given() {
		action := recordedAction(next)
		r.Next = &action
	}
	return r, nil
}

func recordedList[T any](list wire.Value, read func(wire.Value) T) (all []T) {
	for _, v := range list.Elements() {
		all = append(all, read(v))
	}
	return all
}

func recordedTexts(list wire.Value, text func(wire.Value) string) []string {
	return recordedList(list, text)
}

func recordedAction(v wire.Value) RecordedAction {
	return RecordedAction{
		Day:       v.Get("day").Text(),
		Action:    v.Get("action").Text(),
		Channel:   v.Get("channel").Text(),
		NotBefore: v.Get("not_before").Text(),
		NotAfter:  v.Get("not_after").Text(),
		Until:     v.Get("until").Text(),
		Requires:  v.Get("requires").Text(),
	}
}

func recordedStep(v wire.Value) RecordedStep {
	return RecordedStep{
		Number:    v.Get("n").Text(),
		Tool:      v.Get("tool").Text(),
		Result:    v.Get("result").Text(),
		InputHash: v.Get("input_hash").Text(),
	}
}

func recordedOutcome(v wire.Value) RecordedOutcome {
	o := RecordedOutcome{
		Status:       v.Get("effect").Text(),
		Grade:        v.Get("grade").Text(),
		Limit:        v.Get("limit").Text(),
		TenureMonths: v.Get("tenure_months").Text(),
		InterestRate: v.Get("interest_rate").Text(),
		Instalment:   v.Get("emi").Text(),
	}
	if o.Status == "" { // a what-if has "status" instead of "effect"
		o.Status = v.Get("status").Text()
	}
	changes := v.Get("changes")
	for _, c := range changes.Elements() {
		o.Changes = append(o.Changes, RecordedChange{
			Field:   c.Get("field").Text(),
			From:    plainText(c.Get("from")),
			To:      plainText(c.Get("to")),
			Waiting: c.Get("by").Given(),
		})
	}
	for name, to := range changes.Members() {
		o.Changes = append(o.Changes, RecordedChange{Field: name, To: plainText(to)})
	}
	return o
}

// plainText returns a value in the form that people write.
func plainText(v wire.Value) string {
	switch {
	case v.IsTrue():
		return "yes"
	case v.Kind() == wire.Bool:
		return "no"
	}
	return v.Text()
}
