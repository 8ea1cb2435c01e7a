package engine

import (
	"slices"

	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Answer has the values of a decision's response. ReadAnswer reads them from a stored response, which may come from an
// older engine version. A value that the older version did not write is zero.
type Answer struct {
	DecisionID    string
	Status        string
	Grade         string
	FinalScore    rule.Number
	Offer         Offer // without Terms and TenureNotAvailable
	Terms         []AnswerTerm
	Alternatives  []Alternative
	Charges       []ChargeLine
	ValidUntil    string // RFC 3339; "" for none
	Rules         []FiredRule
	Contributions []Contribution
	Reasons       []AnswerReason
	PolicyName    string
	Hash          string
	EngineVersion string
	Warnings      []fault.Item
	CreatedAt     string // RFC 3339; "" for a preview
}

// AnswerTerm is a condition of an offer.
type AnswerTerm struct{ Code, Text string }

// AnswerReason is a principal reason: Message for the applicant, RuleID and Text
// for the lender.
type AnswerReason struct {
	Code    string
	Rank    int
	Message string
	RuleID  string
	Text    string
	Field   string // the field that the reason is about; several fields are separated by DetailSeparator
}

// Answer returns the values that Write would write. They share no memory with d.
func (d *Decision) Answer(env *Envelope) Answer {
	a := Answer{
		DecisionID:    env.DecisionID,
		Status:        d.Status.String(),
		Grade:         d.Grade,
		FinalScore:    d.FinalScore,
		Offer:         d.Offer,
		Rules:         slices.Clone(d.Rules()),
		Contributions: slices.Clone(d.Contributions()),
		PolicyName:    d.plan.policy.Name,
		Hash:          d.Hash(),
		EngineVersion: Version,
		Warnings:      slices.Clone(d.warnings(env)),
		CreatedAt:     env.CreatedAt,
	}
	a.Offer.Terms, a.Offer.TenureNotAvailable = nil, false
	if d.Offer.Made {
		a.ValidUntil = env.ValidUntil
		for _, t := range d.Offer.Terms {
			a.Terms = append(a.Terms, AnswerTerm{t.Code, t.Text})
		}
		a.Alternatives = slices.Clone(d.Alternatives())
		a.Charges = d.Charges()
	}
	for _, r := range d.Reasons {
		x := d.Detail(r)
		a.Reasons = append(a.Reasons, AnswerReason{r.Code, r.Rank, d.Message(r), x.RuleID, x.Text, x.Field})
	}
	return a
}

// ReadAnswer reads a response that Write wrote. Members that the response does
// not have are zero.
func ReadAnswer(v wire.Value) Answer {
	explanation := v.Get("explanation")
	a := Answer{
		DecisionID:    v.Get("decision_id").Text(),
		Status:        v.Get("status").Text(),
		Grade:         v.Get("grade").Text(),
		FinalScore:    readNumber(explanation.Get("final_score")),
		ValidUntil:    v.Get("offer").Get(offerTable[offerValidUntil].name).Text(),
		PolicyName:    v.Get("policy").Get("name").Text(),
		Hash:          v.Get("decision_hash").Text(),
		EngineVersion: v.Get("engine_version").Text(),
		CreatedAt:     v.Get("created_at").Text(),
	}
	a.readOffer(v.Get("offer"))
	for _, r := range explanation.Get("fired_rules").Elements() {
		a.Rules = append(a.Rules, FiredRule{
			ID:     r.Get("id").Text(),
			Delta:  readNumber(r.Get("delta")),
			Result: Result(max(0, slices.Index(resultNames[:], r.Get("result").Text()))),
		})
	}
	for _, c := range explanation.Get("score_contributions").Elements() {
		a.Contributions = append(a.Contributions, Contribution{c.Get("factor").Text(), readNumber(c.Get("points"))})
	}
	for _, r := range v.Get("reasons").Elements() {
		detail := r.Get("detail")
		a.Reasons = append(a.Reasons, AnswerReason{
			Code:    r.Get("code").Text(),
			Rank:    int(r.Get("rank").Decimal(0)),
			Message: r.Get("message").Text(),
			RuleID:  detail.Get("rule_id").Text(),
			Text:    detail.Get("text").Text(),
			Field:   detail.Get("field").Text(),
		})
	}
	for _, warning := range v.Get("warnings").Elements() {
		item := fault.Item{
			Pointer: warning.Get("pointer").Text(),
			Code:    warning.Get("code").Text(),
			Detail:  warning.Get("detail").Text(),
			Nearest: warning.Get("nearest").Text(),
		}
		for _, name := range warning.Get("fields").Elements() {
			item.Fields = append(item.Fields, name.Text())
		}
		a.Warnings = append(a.Warnings, item)
	}
	return a
}

func (a *Answer) readOffer(v wire.Value) {
	member := func(m offerMember) wire.Value { return v.Get(offerTable[m].name) }
	amount := func(m offerMember) int64 { return member(m).Decimal(offerTable[m].places) }
	a.Offer.LimitPaise = amount(offerLimit)
	if !member(offerEMI).Given() {
		return
	}
	a.Offer = Offer{
		Made:            true,
		Indicative:      member(offerIndicative).IsTrue(),
		LimitPaise:      amount(offerLimit),
		HasRequested:    member(offerRequested).Given(),
		RequestedPaise:  amount(offerRequested),
		CounterOffer:    member(offerCounter).IsTrue(),
		RateBP:          amount(offerRate),
		TenureMonths:    int(amount(offerTenure)),
		InstalmentPaise: amount(offerEMI),
		LastPaise:       amount(offerLastEMI),
		FeePaise:        amount(offerFee),
		GSTPaise:        amount(offerGST),
		NetPaise:        amount(offerNet),
		InterestPaise:   amount(offerInterest),
		PayablePaise:    amount(offerPayable),
		APR:             amount(offerAPR),
		HasCapacity:     member(offerMaxEMI).Given(),
		CapacityPaise:   amount(offerMaxEMI),
		HasPostFOIR:     member(offerPostFOIR).Given(),
		PostFOIR:        amount(offerPostFOIR),
		Binding:         Constraint(max(0, slices.Index(constraintNames[:], member(offerBinding).Text()))),
		LimitCapID:      member(offerLimitCap).Text(),
		BandID:          member(offerBand).Text(),
	}
	a.readCharges(member(offerCharges))
	for _, t := range member(offerConditions).Elements() {
		a.Terms = append(a.Terms, AnswerTerm{t.Get("code").Text(), t.Get("text").Text()})
	}
	for _, other := range member(offerAlternatives).Elements() {
		a.Alternatives = append(a.Alternatives, Alternative{
			TenureMonths:    int(other.Get("tenure_months").Decimal(0)),
			InstalmentPaise: other.Get("emi").Decimal(offerTable[offerEMI].places),
		})
	}
}

func readNumber(v wire.Value) rule.Number { return rule.Number(v.Decimal(rule.Places)) }
