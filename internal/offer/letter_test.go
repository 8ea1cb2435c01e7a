package offer

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/loan"
	"verdict/internal/wire"
)

// everyReason returns reasons with every text that the engine has, with texts of a policy, and without a text.
func everyReason() (list []engine.AnswerReason) {
	for _, r := range engine.ReasonTexts() {
		for _, message := range append(r.Variants, r.Message, r.Neutral, "") {
			list = append(list, engine.AnswerReason{Code: r.Code, Message: message})
		}
	}
	return append(list,
		engine.AnswerReason{Code: "MISSING_REQUIRED_INPUT", Message: engine.MissingDetails + "the monthly income",
			Field: "monthly_income"},
		engine.AnswerReason{Code: "FACTOR_X", Message: "One of the lender's scoring criteria: x"},
		engine.AnswerReason{Code: "MY_OWN", Message: "A text of the policy"},
		engine.AnswerReason{Code: "MY_OWN"},
		engine.AnswerReason{},
	)
}

// TestEveryDeclineHasALetter makes the letter of a decline for each reason in each language: of a decline by the
// engine, and of a decline by a person who names the code.
func TestEveryDeclineHasALetter(t *testing.T) {
	t.Parallel()
	p := mustProfile(t)
	for _, r := range everyReason() {
		for _, tag := range Languages() {
			byEngine := &Decided{
				ID: "dec_01KA2W4Q8N5T7XJ3RZB6MCDVHE", On: decidedOn, Declined: true,
				Answer: &engine.Answer{Status: "DECLINED", Reasons: []engine.AnswerReason{r}},
			}
			byPerson := &Decided{
				ID: byEngine.ID, On: decidedOn, ReviewedOn: decidedOn + 1, Declined: true, ReviewCode: r.Code,
				PolicyMessage: r.Message, Answer: &engine.Answer{Status: "REFERRED"},
			}
			for _, d := range []*Decided{byEngine, byPerson} {
				letter, ok := MakeLetter(d, p, 1, languages[tag])
				if !ok || letter.Kind != KindDecline || len(letter.Reasons) != 1 && r.Code != "" {
					t.Fatalf("%+v in %s: %v, %+v", r, tag, ok, letter)
				}
				checkSentences(t, letter, r)
			}
		}
	}
}

// untrueOfDeclines are texts that are true only of an offer or of a referral.
var untrueOfDeclines = []string{"The amount offered is", "waiting for a person", "दी जा रही राशि", "देखा जाना बाक़ी"}

// checkSentences checks that a letter contains nothing that only the lender may read, and nothing in another
// language.
func checkSentences(t *testing.T, letter *Letter, r engine.AnswerReason) {
	t.Helper()
	page, err := letter.HTML()
	if err != nil {
		t.Fatal(err)
	}
	var w wire.Writer
	letter.Write(&w)
	for _, whole := range []string{string(page), string(w.Buf)} {
		if r.Code != "" && strings.Contains(whole, r.Code) || strings.Contains(whole, "{") && whole == string(page) &&
			strings.Contains(strings.ReplaceAll(whole, style, ""), "{") {
			t.Errorf("%+v in %s: the letter has a code or a placeholder: %s", r, letter.Language.Tag, whole)
		}
		for _, untrue := range untrueOfDeclines {
			if letter.Kind == KindDecline && strings.Contains(whole, untrue) {
				t.Errorf("%+v in %s: the letter of a decline says %q", r, letter.Language.Tag, untrue)
			}
		}
	}
	for _, text := range letter.Reasons {
		latin := strings.ContainsFunc(text, func(c rune) bool { return unicode.Is(unicode.Latin, c) })
		own := r.Code == "MY_OWN" && letter.Language.Tag == "en"
		if strings.TrimSpace(text) == "" || latin != (letter.Language.Tag == "en") && !own {
			t.Errorf("%+v in %s: %q", r, letter.Language.Tag, text)
		}
	}
}

// TestEveryCounterOfferHasALetter makes the letter of a counter-offer for each bound of the limit, in each language:
// of an approval by the engine with its reason, and of a referral that a person approved.
func TestEveryCounterOfferHasALetter(t *testing.T) {
	t.Parallel()
	p := mustProfile(t)
	for _, binding := range []engine.Constraint{
		engine.FOIRCapacity, engine.BandMaxLimit, engine.IncomeMultiple, engine.DefaultLimit, engine.ExposureCap,
		engine.LimitCapped,
	} {
		for _, tag := range Languages() {
			for _, r := range append(everyReason(), engine.AnswerReason{}) {
				if neverCounters[r.Code] {
					continue
				}
				d := approved(t, 100_000_00, 16_00, 12, 0, 0)
				o := &d.Answer.Offer
				o.CounterOffer, o.HasRequested, o.RequestedPaise, o.Binding = true, true, 200_000_00, binding
				if r.Code == "" {
					d.Answer.Status = "REFERRED"
				} else {
					d.Answer.Reasons = []engine.AnswerReason{r}
				}
				letter, ok := MakeLetter(d, p, 1, languages[tag])
				if !ok || letter.Kind != KindCounterOffer || len(letter.Reasons) != 1 {
					t.Fatalf("%s, %+v in %s: %v, %+v", binding, r, tag, ok, letter)
				}
				checkSentences(t, letter, r)
			}
		}
	}
}

// neverCounters has the codes that only declines and referrals have.
var neverCounters = map[string]bool{"PAUSED": true, "NO_PRICING_BAND": true, "LIMIT_BELOW_MINIMUM": true}

// TestCapOfApprovedReferral checks that the letter of a referral that a person approved states the limit cap that
// bounded the amount.
func TestCapOfApprovedReferral(t *testing.T) {
	t.Parallel()
	d := approved(t, 100_000_00, 16_00, 12, 0, 0)
	o := &d.Answer.Offer
	o.CounterOffer, o.HasRequested, o.RequestedPaise = true, true, 200_000_00
	o.Binding, o.LimitCapID = engine.LimitCapped, "CAP_LTV"
	d.Answer.Status, d.Answer.Reasons = "REFERRED", []engine.AnswerReason{{Code: "DPD_RECENT", Message: "late"}}
	d.Cap = engine.AnswerReason{Code: "LTV", Message: "We lend at most 80% of the price"}
	letter, ok := MakeLetter(d, mustProfile(t), 1, languages["en"])
	if !ok || !d.NeedsCap() || !slices.Equal(letter.Reasons, []string{"We lend at most 80% of the price"}) {
		t.Errorf("%v, %+v", ok, letter)
	}
}

// TestOtherTermHasALetter checks the letter of an offer over another term than was asked for.
func TestOtherTermHasALetter(t *testing.T) {
	t.Parallel()
	p := mustProfile(t)
	d := approved(t, 100_000_00, 16_00, 24, 0, 0)
	d.Answer.Warnings = []fault.Item{{Code: "tenure_not_available"}}
	letter, ok := MakeLetter(d, p, 1, languages["en"])
	if !ok || !letter.IsCounterOffer() ||
		!slices.Equal(letter.Reasons, []string{"The term asked for is not available for this loan"}) ||
		letter.Because() != "This is why the offer differs from what you asked for:" ||
		!strings.HasSuffix(letter.Text(), "We can offer you ₹1,00,000.00 over 24 months.") {
		t.Errorf("%v, %+v: %s", ok, letter, letter.Text())
	}
	var w wire.Writer
	letter.Write(&w)
	if strings.Contains(string(w.Buf), "requested_amount") {
		t.Errorf("the letter states an amount that nobody asked for: %s", w.Buf)
	}
	hindi, _ := MakeLetter(d, p, 1, languages["hi"])
	checkSentences(t, hindi, engine.AnswerReason{})

	// The amount is lower too.
	o := &d.Answer.Offer
	o.CounterOffer, o.HasRequested, o.RequestedPaise = true, true, 200_000_00
	d.Answer.Reasons = []engine.AnswerReason{{Code: "INC_LOW", Message: "The income is low for this loan"}}
	letter, _ = MakeLetter(d, p, 1, languages["en"])
	if !slices.Equal(letter.Reasons, []string{
		"The income is low for this loan", "The term asked for is not available for this loan",
	}) || !strings.Contains(letter.Text(), "You asked for ₹2,00,000.00. We can offer you ₹1,00,000.00.") {
		t.Errorf("%+v: %s", letter, letter.Text())
	}
}

// TestHighestRate checks that a rate above the highest that the engine computes is not stated as a figure.
func TestHighestRate(t *testing.T) {
	t.Parallel()
	d := approved(t, 10_000_00, 16_00, 1, 0, 0, engine.ChargeLine{ID: "insurance", ThirdParty: true, Paise: 9_999_00})
	if d.Answer.Offer.APR != loan.MaxAPR {
		t.Fatalf("the APR is %d", d.Answer.Offer.APR)
	}
	for tag, want := range map[string]string{"en": "more than 120000.00 %", "hi": "120000.00 % से अधिक"} {
		k := statement(t, d, tag)
		page, err := k.HTML()
		if err != nil || strings.Count(string(page), want) != 2 {
			t.Errorf("%s, %v: %s", tag, err, page)
		}
		var w wire.Writer
		k.Write(&w)
		if strings.Count(string(w.Buf), `"apr":120000,"apr_is_higher":true`) != 2 {
			t.Errorf("%s: %s", tag, w.Buf)
		}
	}
}

// TestSingleInstalment checks that the statement of a loan over one month has only one amount.
func TestSingleInstalment(t *testing.T) {
	t.Parallel()
	k := statement(t, approved(t, 10_000_00, 0, 1, 0, 0), "en")
	page, err := k.HTML()
	if err != nil || k.InstalmentsText() != "one, of ₹10,000.00" || strings.Contains(string(page), "last instalment") ||
		k.Offer.APR != 0 {
		t.Errorf("%v, %q, %s", err, k.InstalmentsText(), page)
	}
}

// TestOfficerInTheLanguage checks that documents state the officer for complaints in the language of the reader if
// the profile has such a text, and otherwise as in the profile itself.
func TestOfficerInTheLanguage(t *testing.T) {
	t.Parallel()
	d := approved(t, 100_000_00, 16_00, 12, 0, 0)
	d.Answer.Offer.CounterOffer = true
	for tag, want := range map[string][2]string{
		"en": {"Nodal grievance redressal officer", "Pune"},
		"hi": {"नोडल शिकायत निवारण अधिकारी", "पुणे"},
	} {
		letter, ok := MakeLetter(d, mustProfile(t), 1, languages[tag])
		if !ok {
			t.Fatal("no letter")
		}
		for _, officer := range []Contact{statement(t, d, tag).Officer(), letter.Officer()} {
			if officer.Name != want[0] || officer.Address != want[1] || officer.Phone != "020 5550 1234" {
				t.Errorf("%s: %+v", tag, officer)
			}
		}
	}
}

// TestLetterOverOneMonth checks that the letter of a loan that is paid back in a single payment states what is really
// paid.
func TestLetterOverOneMonth(t *testing.T) {
	t.Parallel()
	d := approved(t, 10_000_00, 16_55, 1, 0, 0)
	d.Answer.Offer.CounterOffer = true
	letter, ok := MakeLetter(d, mustProfile(t), 1, languages["en"])
	if !ok {
		t.Fatal("no letter")
	}
	var w wire.Writer
	letter.Write(&w)
	if !strings.Contains(string(w.Buf), `"instalment":10137.92`) || d.Answer.Offer.LastPaise != 10_137_92 {
		t.Errorf("the loan is paid back with %d paise, the letter is %s", d.Answer.Offer.LastPaise, w.Buf)
	}
}
