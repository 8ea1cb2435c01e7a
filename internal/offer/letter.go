package offer

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"verdict/internal/civil"
	"verdict/internal/engine"
	"verdict/internal/fault"
)

// The kinds of letters.
const (
	KindDecline      = "decline"
	KindCounterOffer = "counter_offer"
)

// Letter tells an applicant that no loan is offered, or that the offered loan is smaller or has another term than
// the applicant asked for. It states only reasons that an applicant may read: no codes, values or thresholds.
type Letter struct {
	Language       *Language
	Profile        *Profile
	ProfileVersion int64
	DecisionID     string
	Sandbox        bool // the decision is a test
	Kind           string
	AppliedOn      civil.Day
	On             civil.Day    // the date of the letter
	Reasons        []string     // none if a person declined without a reason code
	Offer          engine.Offer // set only for a counter-offer
	ValidUntil     time.Time    // set only for a counter-offer
	OtherTerm      bool         // the counter-offer has another term than the applicant asked for
}

// MakeLetter makes the letter of a decision. ok is false if the decision is neither a decline nor a counter-offer, or
// still waits for a person.
func MakeLetter(d *Decided, p *Profile, version int64, l *Language) (letter *Letter, ok bool) {
	letter = &Letter{
		Language: l, Profile: p, ProfileVersion: version, DecisionID: d.ID, Sandbox: d.Sandbox,
		AppliedOn: d.On, On: d.endedOn(),
	}
	switch {
	case d.Declined:
		letter.Kind = KindDecline
		letter.declined(d)
	case d.HasLetter():
		letter.Kind, letter.Offer, letter.OtherTerm = KindCounterOffer, d.Answer.Offer, d.otherTerm()
		letter.ValidUntil = d.validUntil(p)
		letter.countered(d)
	default:
		return nil, false
	}
	return letter, true
}

// HasLetter reports whether the decision has a letter: it is a decline, or an offer of another amount or over another
// term than was asked for.
func (d *Decided) HasLetter() bool {
	return d.Declined || d.HasOffer() && (d.Answer.Offer.CounterOffer || d.otherTerm())
}

// otherTerm reports whether the offer has another term than was asked for, because the policy does not offer the
// requested term. The stored decision says so in a warning.
func (d *Decided) otherTerm() bool {
	return slices.ContainsFunc(d.Answer.Warnings, func(w fault.Item) bool {
		return w.Code == fault.CodeTenureNotAvailable
	})
}

// declined adds the reasons of a decline: those of the engine, or that of the person who declined. The reasons for
// which the engine referred an application are not the reasons of a person who then declined it. So a decline by a
// person without a reason code has no reasons.
func (x *Letter) declined(d *Decided) {
	if d.DeclinedByPerson() {
		if d.ReviewCode != "" {
			x.add(d.reviewReason())
		}
		return
	}
	for _, r := range d.Answer.Reasons {
		x.add(r)
	}
	if len(x.Reasons) == 0 {
		x.add(engine.AnswerReason{})
	}
}

// reviewReason returns the reason of the person who declined. It has the text of the decision's reason with the same
// code, or else the text of the policy.
func (d *Decided) reviewReason() engine.AnswerReason {
	for _, r := range d.Answer.Reasons {
		if r.Code == d.ReviewCode {
			return r
		}
	}
	return engine.AnswerReason{Code: d.ReviewCode, Message: d.PolicyMessage}
}

// NeedsPolicy reports whether the text of the letter's reason must be looked up in the policy. This is so if a person
// declined for a reason that the decision does not have.
func (d *Decided) NeedsPolicy() bool {
	return d.DeclinedByPerson() && d.ReviewCode != "" && d.reviewReason().Message == ""
}

// NeedsCap reports whether the reason of the letter must be looked up in the policy. This is so if a person approved
// a referral whose amount a limit cap determined.
func (d *Decided) NeedsCap() bool {
	o := &d.Answer.Offer
	return d.HasOffer() && o.CounterOffer && o.LimitCapID != "" && d.Answer.Status != engine.Approved.String()
}

// constraintCodes has the reason codes of some bounds of the amount. If one of these bounds makes an offer
// smaller than the amount asked for, there is only one possible cause. Any other bound, such as the default
// limit, may have several causes.
var constraintCodes = map[engine.Constraint]string{
	engine.IncomeMultiple: engine.ReasonIncomeLow,
	engine.ExposureCap:    engine.ReasonExposureCap,
}

// countered adds the reasons of a counter-offer: why the amount is lower, and that the term is not available.
func (x *Letter) countered(d *Decided) {
	if x.lowerAmount() {
		x.lowered(d)
	}
	if x.OtherTerm {
		x.Reasons = append(x.Reasons, x.Language.Text("letter.term"))
	}
}

// lowerAmount reports whether a counter-offer is lower than the amount that was asked for.
func (x *Letter) lowerAmount() bool { return x.Offer.CounterOffer }

// lowered adds the reason why the amount is lower. The reasons of an approval are about the amount. The reasons of a
// referral that a person approved are about the referral. In that case the reason is the bound that determined the
// amount.
func (x *Letter) lowered(d *Decided) {
	if d.Answer.Status == engine.Approved.String() {
		for _, r := range d.Answer.Reasons {
			x.add(r)
		}
	}
	if len(x.Reasons) > 0 {
		return
	}
	binding := d.Answer.Offer.Binding
	if binding == engine.FOIRCapacity {
		// The existing obligations may be low. But together with the requested instalment they would be too high.
		text := languages[storedLanguage].Text("reason.FOIR_HIGH.instalment")
		x.add(engine.AnswerReason{Code: engine.ReasonFOIRHigh, Message: text})
		return
	}
	if d.NeedsCap() && (d.Cap.Code != "" || d.Cap.Message != "") {
		x.add(engine.AnswerReason{Code: cmp.Or(d.Cap.Code, engine.ReasonBandCap), Message: d.Cap.Message})
		return
	}
	x.add(engine.AnswerReason{Code: cmp.Or(constraintCodes[binding], engine.ReasonBandCap)})
}

// add adds a reason, unless the letter has the same text already. Several fraud codes have the same text.
func (x *Letter) add(r engine.AnswerReason) {
	usual := r.Message == "" || r.Message == engine.ApplicantMessage(r.Code)
	if usual && x.Kind == KindDecline && neverDeclines[r.Code] {
		r = engine.AnswerReason{Code: engine.ReasonNoBand}
	}
	if text := reasonText(x.Language, x.Profile, r); !slices.Contains(x.Reasons, text) {
		x.Reasons = append(x.Reasons, text)
	}
}

// neverDeclines has the codes whose texts are not true of a decline. A rule or a person can still state such a code
// as the reason of a decline. The letter then says that there is no offer.
var neverDeclines = map[string]bool{engine.ReasonBandCap: true, "PAUSED": true}

// storedLanguage is the language of the messages in stored decisions.
const storedLanguage = "en"

// storedKeys maps each text of a reason, in the language of stored messages, to its key. The engine has several texts
// for some codes, and one text for several codes. So the message and not the code says what the applicant is told.
var storedKeys = func() map[string]string {
	keys := map[string]string{}
	for key, text := range languages[storedLanguage].texts {
		if strings.HasPrefix(key, "reason.") {
			keys[text] = key
		}
	}
	return keys
}()

// reasonText returns a reason in a language. It returns the first of these texts that exists: the lender's text for
// the code; the message, if l is the language of stored messages; the catalogue's text for the message; the
// catalogue's text for the code; a general text. If the reason has no message, the engine's text for the code takes
// its place. reasonText never returns a text of another language. There is one exception: a detail that the policy
// declares has only the policy's name, unless the profile has a name for it.
func reasonText(l *Language, p *Profile, r engine.AnswerReason) string {
	if text := p.in(l).Reasons[r.Code]; text != "" {
		return text
	}
	if strings.HasPrefix(r.Message, engine.MissingDetails) && r.Field != "" {
		return missingText(l, p, r.Field)
	}
	message := r.Message
	if message == "" {
		message = engine.ApplicantMessage(r.Code)
	}
	if l.Tag == storedLanguage {
		return message
	}
	if key, ok := storedKeys[message]; ok && l.Has(key) {
		return l.Text(key)
	}
	if key := "reason." + r.Code; r.Code != "" && l.Has(key) {
		return l.Text(key)
	}
	if engine.IsFactorCode(r.Code) {
		return l.Text("reason.FACTOR")
	}
	return l.Text("reason.OTHER")
}

// missingText returns the reason of a limit cap that could not be computed. fields are those that the application
// lacks.
func missingText(l *Language, p *Profile, fields string) string {
	var names []string
	for name := range strings.SplitSeq(fields, engine.DetailSeparator) {
		detail, ok := engine.NameOfDetail(name)
		if !ok {
			continue
		}
		text := p.in(l).Details[name]
		switch {
		case text != "":
		case detail.Key != "":
			text = l.Text("detail." + detail.Key)
		default:
			text = detail.Text
		}
		if !slices.Contains(names, text) {
			names = append(names, text)
		}
	}
	return l.Text("missing_details", "details", strings.Join(names, engine.DetailSeparator))
}

// LenderName returns the name of the lender, in the script of the language if the profile has it.
func (x *Letter) LenderName() string { return x.Profile.name(x.Language) }

// LenderAddress returns the address of the lender, in the script of the language if the profile has it.
func (x *Letter) LenderAddress() string { return x.Profile.address(x.Language) }

// Officer returns the officer for complaints, in the script of the language if the profile has it.
func (x *Letter) Officer() Contact { return x.Profile.officer(x.Language) }

// Note returns the lender's own text at the end of the letter.
func (x *Letter) Note() string { return x.Profile.in(x.Language).Note }

// ValidDay returns the Indian day at whose end the counter-offer ends.
func (x *Letter) ValidDay() civil.Day { return civil.DayAt(x.ValidUntil) }

// IsCounterOffer reports whether the letter makes a counter-offer.
func (x *Letter) IsCounterOffer() bool { return x.Kind == KindCounterOffer }

// InstalmentPaise returns what the borrower pays each month. A loan over one month has only the last instalment.
func (x *Letter) InstalmentPaise() int64 {
	if x.Offer.TenureMonths == 1 {
		return x.Offer.LastPaise
	}
	return x.Offer.InstalmentPaise
}

// Title returns the heading of the letter.
func (x *Letter) Title() string { return x.Language.Text("letter." + x.words() + ".title") }

// Text returns the first paragraph of the letter.
func (x *Letter) Text() string {
	l := x.Language
	key := "letter." + x.words() + ".text"
	switch {
	case x.IsCounterOffer() && !x.lowerAmount():
		key = "letter.counter.term.text"
	case len(x.Reasons) == 0:
		key = "letter.decline.reviewed"
	}
	return l.Text(key, "lender", x.LenderName(), "date", l.Day(x.AppliedOn), "requested",
		Rupees(x.Offer.RequestedPaise), "amount", Rupees(x.Offer.LimitPaise), "term", l.Months(x.Offer.TenureMonths))
}

// Next returns what the applicant can do next.
func (x *Letter) Next() string { return x.Language.Text("letter." + x.words() + ".next") }

// Because returns the sentence before the reasons.
func (x *Letter) Because() string {
	if x.OtherTerm {
		return x.Language.Text("letter.counter.term.reasons")
	}
	return x.Language.Text("letter." + x.words() + ".reasons")
}

// words returns the kind of the letter as the keys of the catalogue name it.
func (x *Letter) words() string {
	if x.IsCounterOffer() {
		return "counter"
	}
	return "decline"
}
