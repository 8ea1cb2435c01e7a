package offer

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"verdict/internal/civil"
	"verdict/internal/engine"
)

// The kinds of letters.
const (
	KindDecline      = "decline"
	KindCounterOffer = "counter_offer"
)

// Letter tells an applicant that no loan is offered, or a smaller one than was asked for. It states only reasons that
// an applicant may read: no codes, values or thresholds.
type Letter struct {
	Language       *Language
	Profile        *Profile
	ProfileVersion int64
	DecisionID     string
	Kind           string
	AppliedOn      civil.Day
	On             civil.Day    // the date of the letter
	Reasons        []string     // none if a person declined without a reason code
	Offer          engine.Offer // only of a counter-offer
	ValidUntil     time.Time    // only of a counter-offer
}

// MakeLetter makes the letter of a decision. ok is false if the decision is neither a decline nor a counter-offer, or
// still waits for a person.
func MakeLetter(d *Decided, p *Profile, version int64, l *Language) (letter *Letter, ok bool) {
	letter = &Letter{Language: l, Profile: p, ProfileVersion: version, DecisionID: d.ID, AppliedOn: d.On, On: d.endedOn()}
	switch {
	case d.Declined:
		letter.Kind = KindDecline
		letter.declined(d)
	case d.HasOffer() && d.Answer.Offer.CounterOffer:
		letter.Kind, letter.Offer = KindCounterOffer, d.Answer.Offer
		letter.ValidUntil = d.validUntil(p)
		letter.countered(d)
	default:
		return nil, false
	}
	return letter, true
}

// declined adds the reasons of a decline: those of the engine, or that of the person who declined. Why the engine
// referred an application is not why a person declined it, so a decline by a person without a reason code has none.
func (x *Letter) declined(d *Decided) {
	if d.declinedByPerson() {
		if d.ReviewCode != "" {
			x.add(d.ReviewCode, d.message(d.ReviewCode))
		}
		return
	}
	for _, r := range d.Answer.Reasons {
		x.add(r.Code, r.Message)
	}
	if len(x.Reasons) == 0 {
		x.add("", "")
	}
}

// message returns the text that the decision has for a code, which may be the policy's own; "" for none.
func (d *Decided) message(code string) string {
	for _, r := range d.Answer.Reasons {
		if r.Code == code {
			return r.Message
		}
	}
	return ""
}

// constraintCodes are the reason codes of the bounds that can make an offer smaller than the amount asked for, as far as
// the bound alone says what is true. Any other bound, such as the default limit, may have several causes.
var constraintCodes = map[engine.Constraint]string{
	engine.IncomeMultiple: engine.ReasonIncomeLow,
	engine.ExposureCap:    engine.ReasonExposureCap,
}

// countered adds the reason of a counter-offer. Those of an approval are about the amount. The reasons of a referral
// that a person approved are about the referral, so the bound that determined the amount is the reason then.
func (x *Letter) countered(d *Decided) {
	if d.Answer.Status == engine.Approved.String() {
		for _, r := range d.Answer.Reasons {
			x.add(r.Code, r.Message)
		}
	}
	if len(x.Reasons) > 0 {
		return
	}
	binding := d.Answer.Offer.Binding
	if binding == engine.FOIRCapacity {
		// The existing obligations need not be high, but together with them the instalment asked for would be.
		x.add(engine.ReasonFOIRHigh, languages[storedLanguage].Text("reason.FOIR_HIGH.instalment"))
		return
	}
	x.add(cmp.Or(constraintCodes[binding], engine.ReasonBandCap), "")
}

// add adds a reason, unless the letter has the same text already: several codes of fraud have one text.
func (x *Letter) add(code, message string) {
	if text := reasonText(x.Language, x.Profile, code, message); !slices.Contains(x.Reasons, text) {
		x.Reasons = append(x.Reasons, text)
	}
}

// storedLanguage is the language of the messages in stored decisions.
const storedLanguage = "en"

// storedKeys has the key of each text of a reason in the language of stored messages. The engine has several texts for
// some codes, and one text for several codes, so the message and not the code says what the applicant is told.
var storedKeys = func() map[string]string {
	keys := map[string]string{}
	for key, text := range languages[storedLanguage].texts {
		if strings.HasPrefix(key, "reason.") {
			keys[text] = key
		}
	}
	return keys
}()

// reasonText returns a reason in a language. message is the text in the stored decision; if it is "", the engine's text
// for the code takes its place. The reason is the lender's text for the code; in the language of stored messages the
// message itself; the catalogue's text for the message or the code; otherwise a general text. It is never a text of
// another language.
func reasonText(l *Language, p *Profile, code, message string) string {
	if text := p.in(l).Reasons[code]; text != "" {
		return text
	}
	if message == "" {
		message = engine.ApplicantMessage(code)
	}
	if l.Tag == storedLanguage {
		return message
	}
	if key, ok := storedKeys[message]; ok && l.Has(key) {
		return l.Text(key)
	}
	if key := "reason." + code; code != "" && l.Has(key) {
		return l.Text(key)
	}
	return l.Text("reason.OTHER")
}

// LenderName returns the name of the lender, in the script of the language if the profile has it.
func (x *Letter) LenderName() string { return x.Profile.name(x.Language) }

// LenderAddress returns the address of the lender, in the script of the language if the profile has it.
func (x *Letter) LenderAddress() string { return x.Profile.address(x.Language) }

// Note returns the lender's own text at the end of the letter.
func (x *Letter) Note() string { return x.Profile.in(x.Language).Note }

// ValidDay returns the Indian day at whose end the counter-offer ends.
func (x *Letter) ValidDay() civil.Day { return civil.DayAt(x.ValidUntil) }

// IsCounterOffer reports whether the letter makes a counter-offer.
func (x *Letter) IsCounterOffer() bool { return x.Kind == KindCounterOffer }

// Title returns the heading of the letter.
func (x *Letter) Title() string { return x.Language.Text("letter." + x.words() + ".title") }

// Text returns the first paragraph of the letter.
func (x *Letter) Text() string {
	l := x.Language
	key := "letter." + x.words() + ".text"
	if len(x.Reasons) == 0 {
		key = "letter.decline.reviewed"
	}
	return l.Text(key, "lender", x.LenderName(), "date", l.Day(x.AppliedOn),
		"requested", Rupees(x.Offer.RequestedPaise), "amount", Rupees(x.Offer.LimitPaise))
}

// Next returns what the applicant can do next.
func (x *Letter) Next() string { return x.Language.Text("letter." + x.words() + ".next") }

// Because returns the sentence before the reasons.
func (x *Letter) Because() string { return x.Language.Text("letter." + x.words() + ".reasons") }

// words returns the part of the catalogue's keys for the kind of the letter.
func (x *Letter) words() string {
	if x.IsCounterOffer() {
		return "counter"
	}
	return "decline"
}
