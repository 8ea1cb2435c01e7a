package offer

import (
	"math"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"verdict/internal/civil"
	"verdict/internal/engine"
	"verdict/internal/golden"
	"verdict/internal/loan"
	"verdict/internal/wire"
)

func sorted(days []civil.Day) []civil.Day {
	slices.Sort(days)
	return days
}

var decidedOn = civil.Date(2026, 11, 17)

// approved returns an approved decision with an offer at the given terms.
func approved(tb testing.TB, limit, rateBP int64, months int, fee, gst int64, charges ...engine.ChargeLine) *Decided {
	tb.Helper()
	terms, err := loan.NewTerms(rateBP, months)
	if err != nil {
		tb.Fatal(err)
	}
	s := terms.Schedule(limit)
	o := engine.Offer{
		Made: true, LimitPaise: limit, RateBP: rateBP, TenureMonths: months,
		InstalmentPaise: s.InstalmentPaise, LastPaise: s.LastPaise,
		InterestPaise: s.InterestPaise, PayablePaise: s.PayablePaise,
		FeePaise: fee, GSTPaise: gst, Charged: len(charges) > 0,
	}
	for _, c := range charges {
		o.ChargesPaise += c.Paise + c.TaxPaise
	}
	o.NetPaise = limit - fee - gst - o.ChargesPaise
	o.APR = loan.APR(o.NetPaise, s.InstalmentPaise, s.LastPaise, months)
	return &Decided{
		ID: "dec_01KA2W4Q8N5T7XJ3RZB6MCDVHE", On: decidedOn, ValidUntil: decidedOn.AddWorkdays(3).LastSecond(),
		Approved: true, Answer: &engine.Answer{Status: "APPROVED", Offer: o, Charges: charges},
	}
}

func statement(tb testing.TB, d *Decided, tag string) *KFS {
	tb.Helper()
	k, err := MakeKFS(d, mustProfile(tb), 2, decidedOn, languages[tag])
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

// TestIllustration checks the loan that the regulator's circular illustrates: 20,000 rupees at 15 % over 24 months with
// charges of 400 rupees. The circular prints an instalment of 970 rupees and an APR of 17.07 %. irr computes the APR
// independently, from the rows of the schedule.
func TestIllustration(t *testing.T) {
	t.Parallel()
	charges := []engine.ChargeLine{{ID: "insurance", ThirdParty: true, Paise: 160_00}}
	k := statement(t, approved(t, 20_000_00, 15_00, 24, 240_00, 0, charges...), "en")
	if k.Offer.InstalmentPaise != 970_00 || k.Offer.NetPaise != 19_600_00 || k.FeesPaise() != 400_00 {
		t.Errorf("instalment %d, net %d, fees %d", k.Offer.InstalmentPaise, k.Offer.NetPaise, k.FeesPaise())
	}
	if k.LenderFees.Paise != 240_00 || k.OtherFees.Paise != 160_00 {
		t.Errorf("lender %d, third parties %d", k.LenderFees.Paise, k.OtherFees.Paise)
	}
	if apr := irr(k); k.Offer.APR != 17_07 || math.Abs(apr-17.07) > 0.005 {
		t.Errorf("APR %d, recomputed %.4f", k.Offer.APR, apr)
	}
}

// irr returns the APR of a statement in percent by bisection with exact numbers. It is written without package loan.
func irr(k *KFS) float64 {
	value := func(yearly float64) *big.Rat {
		month := new(big.Rat).SetFloat64(1 + yearly/1200)
		sum, factor := new(big.Rat), big.NewRat(1, 1)
		for i := range k.Rows {
			factor.Quo(factor, month)
			// Keep the numbers short: 200 bits are far more than the comparison needs.
			f, _ := new(big.Float).SetPrec(200).SetRat(factor).Rat(nil)
			factor.Set(f)
			sum.Add(sum, new(big.Rat).Mul(big.NewRat(k.Rows[i].PaidPaise, 1), factor))
		}
		return sum
	}
	low, high := 0.0, 2000.0
	net := big.NewRat(k.Offer.NetPaise, 1)
	for range 60 {
		if middle := (low + high) / 2; value(middle).Cmp(net) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// TestStatementAddsUp checks over random loans and charges that the schedule and the fees add up to the paisa, and that
// the APR is the rate at which the flows balance.
func TestStatementAddsUp(t *testing.T) {
	t.Parallel()
	p := mustProfile(t)
	rapid.Check(t, func(r *rapid.T) {
		months := rapid.IntRange(2, 60).Draw(r, "months")
		limit := rapid.Int64Range(10_000_00, 2_000_000_00).Draw(r, "limit")
		var charges []engine.ChargeLine
		for i := range rapid.IntRange(0, 4).Draw(r, "charges") {
			charges = append(charges, engine.ChargeLine{
				ID: string(rune('a' + i)), ThirdParty: rapid.Bool().Draw(r, "third party"),
				Paise:    rapid.Int64Range(1, limit/20).Draw(r, "charge"),
				TaxPaise: rapid.Int64Range(0, limit/100).Draw(r, "tax"),
			})
		}
		fee := rapid.Int64Range(0, limit/20).Draw(r, "fee")
		rate := rapid.Int64Range(5_00, 36_00).Draw(r, "rate")
		d := approved(t, limit, rate, months, fee, loan.Tax(fee, 18_000_000), charges...)
		disbursed := decidedOn + civil.Day(rapid.IntRange(0, 300).Draw(r, "after"))
		k, err := MakeKFS(d, p, 1, disbursed, languages["en"])
		if err != nil {
			r.Fatal(err)
		}
		var principal, interest, paid int64
		due := disbursed
		for i, row := range k.Rows {
			if row.Number != i+1 || row.DueOn <= due || row.OutstandingPaise != limit-principal ||
				row.PrincipalPaise < 0 {
				r.Fatalf("row %d: %+v", i, row)
			}
			due = row.DueOn
			principal += row.PrincipalPaise
			interest += row.InterestPaise
			paid += row.PaidPaise
		}
		o := &k.Offer
		if principal != limit || interest != o.InterestPaise || paid != o.PayablePaise {
			r.Fatalf("principal %d, interest %d, paid %d of %+v", principal, interest, paid, o)
		}
		if k.FeesPaise() != limit-o.NetPaise || o.PayablePaise != limit+o.InterestPaise {
			r.Fatalf("fees %d, net %d", k.FeesPaise(), o.NetPaise)
		}
		if apr := irr(k); math.Abs(apr-float64(o.APR)/100) > 0.0051 {
			r.Fatalf("APR %d, recomputed %.4f", o.APR, apr)
		}
	})
}

// TestMonthEnds checks due dates after the last day of a month.
func TestMonthEnds(t *testing.T) {
	t.Parallel()
	start := civil.Date(2027, 1, 31)
	for n, want := range map[int]string{1: "2027-02-28", 2: "2027-03-31", 3: "2027-04-30", 13: "2028-02-29"} {
		if got := addMonths(start, n); got.String() != want {
			t.Errorf("%d months after %s is %s, want %s", n, start, got, want)
		}
	}
}

// TestValidity checks that a statement is valid for three working days, not counting the lender's holidays, or as
// long as the offer if that is longer.
func TestValidity(t *testing.T) {
	t.Parallel()
	p := mustProfile(t) // 18 November is a holiday, and the 22nd a Sunday
	d := approved(t, 100_000_00, 16_00, 12, 0, 0)
	d.ValidUntil = decidedOn.AddWorkdays(1).LastSecond()
	if got := d.validUntil(p); got != civil.Date(2026, 11, 21).LastSecond() {
		t.Errorf("valid until %s", got)
	}
	end := d.validUntil(p)
	if d.Expired(p, end) || d.Expired(p, end.Add(time.Second-1)) || !d.Expired(p, end.Add(time.Second)) {
		t.Error("the last second belongs to the validity, and the next one does not")
	}
	d.ReviewedOn = civil.Date(2026, 11, 30)
	if got := d.validUntil(p); got != civil.Date(2026, 12, 3).LastSecond() {
		t.Errorf("after a review on 30 November it is valid until %s", got)
	}
	if k := statement(t, d, "en"); k.IssuedOn != d.ReviewedOn {
		t.Errorf("the statement after a review is issued on %s", k.IssuedOn)
	}
	d.ValidUntil = decidedOn.AddWorkdays(30).LastSecond()
	if got := d.validUntil(p); got != d.ValidUntil {
		t.Errorf("valid until %s, want %s", got, d.ValidUntil)
	}
}

// TestNoTermIsInvented checks that a statement never says that there are no charges. If the lender has no text
// about a kind of charges in the language, the statement refers to the loan agreement.
func TestNoTermIsInvented(t *testing.T) {
	t.Parallel()
	english := &Profile{Texts: map[string]Texts{"en": {Terms: map[string]string{"other_charges": "500 rupees"}}}}
	for _, tag := range Languages() {
		l := languages[tag]
		for _, name := range []string{"other_penal_charges", "other_charges"} {
			if got := (&Profile{}).term(l, name); got != l.Text("term.penal_charges") {
				t.Errorf("%s in %s without a text is %q", name, tag, got)
			}
		}
	}
	if got := english.term(languages["hi"], "other_charges"); got != "ऋण समझौते में दिए अनुसार" {
		t.Errorf("a term that is given in English alone is %q in Hindi", got)
	}
}

// TestStoredInstalmentsMustFit checks that no statement is made if the schedule differs from the stored instalments.
func TestStoredInstalmentsMustFit(t *testing.T) {
	t.Parallel()
	d := approved(t, 100_000_00, 16_00, 12, 0, 0)
	d.Answer.Offer.LastPaise++
	if _, err := MakeKFS(d, mustProfile(t), 1, decidedOn, languages["en"]); err == nil {
		t.Error("a statement was made")
	}
}

// document is a document that can be written as JSON and as HTML.
type document interface {
	Write(w *wire.Writer)
	HTML() ([]byte, error)
}

// TestGoldenDocuments compares the documents in every language with golden files, which people can read.
func TestGoldenDocuments(t *testing.T) {
	t.Parallel()
	offered := approved(t, 500_000_00, 16_00, 48, 10_000_00, 1_800_00,
		engine.ChargeLine{ID: "insurance", ThirdParty: true, Paise: 6_250_00, TaxPaise: 1_125_00},
		engine.ChargeLine{ID: "stamp_duty", ThirdParty: true, Paise: 200_00},
		engine.ChargeLine{ID: "tele", Paise: 99_99, TaxPaise: 18_00})
	counter := approved(t, 500_000_00, 16_00, 48, 10_000_00, 1_800_00)
	counter.Answer.Offer.CounterOffer, counter.Answer.Offer.HasRequested = true, true
	counter.Answer.Offer.RequestedPaise = 600_000_00
	counter.Answer.Reasons = []engine.AnswerReason{{Code: "AMT_BAND_CAP",
		Message: "The amount offered is the most available for this application"}}
	declined := &Decided{ID: "dec_01KA2W4Q8N5T7XJ3RZB6MCDVHE", On: decidedOn, Declined: true, Answer: &engine.Answer{
		Status: "DECLINED",
		Reasons: []engine.AnswerReason{
			{Code: "BUR_SCORE", Message: "The credit bureau score is low"},
			{Code: "FR_MULE", Message: "Unable to verify application details"},
			{Code: "FR_RING", Message: "Unable to verify application details"},
			{Code: "MY_OWN", Message: "Papers are missing"},
		},
	}}
	p := mustProfile(t)
	for _, tag := range Languages() {
		l := languages[tag]
		documents := map[string]document{"kfs": statement(t, offered, tag)}
		for name, d := range map[string]*Decided{"letter_counter_offer": counter, "letter_decline": declined} {
			letter, ok := MakeLetter(d, p, 2, l)
			if !ok {
				t.Fatalf("there is no %s", name)
			}
			documents[name] = letter
		}
		for name, d := range documents {
			var w wire.Writer
			d.Write(&w)
			if _, err := wire.Parse(w.Buf); err != nil {
				t.Errorf("%s in %s: %v", name, tag, err)
			}
			golden.File(t, filepath.Join("testdata", name+"_"+tag+".json"), indented(w.Buf))
			page, err := d.HTML()
			if err != nil {
				t.Fatal(err)
			}
			golden.File(t, filepath.Join("testdata", name+"_"+tag+".html"), string(page))
			checkPage(t, name+"_"+tag, string(page))
		}
	}
}

// checkPage checks that a page loads and runs nothing, and shows markup as text.
func checkPage(t *testing.T, name, page string) {
	t.Helper()
	for _, no := range []string{
		"<script", "<b>Markup", "<img", "<link", "http://", "https://", "FR_MULE", "BUR_SCORE", "ZgotmplZ",
	} {
		if strings.Contains(page, no) {
			t.Errorf("%s contains %s", name, no)
		}
	}
	if strings.HasSuffix(name, "_en") && !strings.Contains(page, "&lt;b&gt;Markup&lt;/b&gt;") {
		t.Errorf("%s does not show the lender's note as text", name)
	}
	if !strings.Contains(page, `<style>`+style+`</style>`) {
		t.Errorf("%s: the stylesheet is not the one that the content security policy names", name)
	}
}

// TestLetters checks which decisions have a letter, and with which reasons.
func TestLetters(t *testing.T) {
	t.Parallel()
	p, l := mustProfile(t), languages["en"]
	full := approved(t, 100_000_00, 16_00, 12, 0, 0)
	waiting := approved(t, 100_000_00, 16_00, 12, 0, 0)
	waiting.Approved, waiting.Answer.Status = false, "REFERRED"
	for name, d := range map[string]*Decided{"an approval": full, "a referral that waits": waiting} {
		if _, ok := MakeLetter(d, p, 1, l); ok {
			t.Errorf("%s has a letter", name)
		}
	}
	// A person approved the referral: the letter states what bounded the amount, not why the application was referred.
	reviewed := approved(t, 100_000_00, 16_00, 12, 0, 0)
	reviewed.Answer.Status = "REFERRED"
	reviewed.Answer.Reasons = []engine.AnswerReason{
		{Code: "BUR_ENQ", Message: "There were many recent applications for credit"},
	}
	reviewed.Answer.Offer.CounterOffer, reviewed.Answer.Offer.Binding = true, engine.FOIRCapacity
	letter, ok := MakeLetter(reviewed, p, 1, l)
	if !ok || !slices.Equal(letter.Reasons, []string{"The instalment would be high compared with income"}) {
		t.Errorf("a reviewed counter-offer: %v, %+v", ok, letter)
	}
	for _, binding := range []engine.Constraint{engine.DefaultLimit, engine.LimitCapped} {
		reviewed.Answer.Offer.Binding = binding
		letter, ok = MakeLetter(reviewed, p, 1, l)
		if !ok || !slices.Equal(letter.Reasons,
			[]string{"The amount offered is the most available for this application"}) {
			t.Errorf("a reviewed counter-offer bounded by %s: %v, %+v", binding, ok, letter)
		}
	}
	// A person declined an application that the engine approved.
	overturned := approved(t, 100_000_00, 16_00, 12, 0, 0)
	overturned.Approved, overturned.Declined, overturned.ReviewCode = false, true, "INC_LOW"
	overturned.ReviewedOn = decidedOn + 9
	letter, ok = MakeLetter(overturned, p, 1, l)
	if !ok || !slices.Equal(letter.Reasons, []string{"The income is low for this loan"}) {
		t.Errorf("an approval that was overturned: %v, %+v", ok, letter)
	}
	if letter.On != decidedOn+9 || !strings.Contains(letter.Text(), "your application of 17 November 2026") {
		t.Errorf("a letter about a review is dated %s: %s", letter.On, letter.Text())
	}
}

// TestDeclinedByAPerson checks the reasons of a referral that a person declined. The reasons of the referral are not
// reasons of the decline, unless the person names one of them by its code.
func TestDeclinedByAPerson(t *testing.T) {
	t.Parallel()
	p := mustProfile(t)
	d := approved(t, 100_000_00, 16_00, 12, 0, 0)
	d.Approved, d.Declined, d.Answer.Status, d.ReviewedOn = false, true, "REFERRED", decidedOn
	d.Answer.Reasons = []engine.AnswerReason{
		{Code: "PAUSED", Message: "The application is waiting for a person to look at it"},
		{Code: "BUR_ENQ", Message: "Our own text about applications"},
	}
	for code, want := range map[string]map[string][]string{
		"": {"en": nil, "hi": nil},
		"FR_MULE": {"en": {"Unable to verify application details"},
			"hi": {"आवेदन में दी गई जानकारी की पुष्टि नहीं हो सकी"}},
		"BUR_ENQ": {"en": {"Our own text about applications"}, "hi": {"हाल में ऋण के लिए कई आवेदन किए गए"}},
	} {
		for tag, reasons := range want {
			d.ReviewCode = code
			letter, ok := MakeLetter(d, p, 1, languages[tag])
			if !ok || !slices.Equal(letter.Reasons, reasons) {
				t.Errorf("%q in %s: %v, %+v", code, tag, ok, letter)
				continue
			}
			page, err := letter.HTML()
			if err != nil {
				t.Fatal(err)
			}
			l := languages[tag]
			listed := strings.Contains(string(page), l.Text("letter.decline.reasons"))
			neutral := strings.Contains(letter.Text(), map[string]string{
				"en": "After a review of your application by a person, we cannot offer you a loan at this time.",
				"hi": "एक व्यक्ति द्वारा आपके आवेदन की समीक्षा के बाद, हम इस समय आपको ऋण नहीं दे पा रहे हैं।",
			}[tag])
			if listed != (code != "") || neutral != (code == "") || strings.Contains(string(page), "<ul></ul>") {
				t.Errorf("%q in %s: %s", code, tag, page)
			}
		}
	}
}

func indented(document []byte) string {
	v, err := wire.Parse(document)
	if err != nil {
		return string(document)
	}
	var b strings.Builder
	indent(&b, v, "")
	b.WriteByte('\n')
	return b.String()
}

// indent writes a value with one member in each line, and rows of a schedule in one line.
func indent(b *strings.Builder, v wire.Value, at string) {
	switch {
	case v.Kind() == wire.Object && !v.Get("outstanding").Given():
		b.WriteString("{")
		separator := "\n"
		for name, member := range v.Members() {
			b.WriteString(separator + at + "  \"" + name + "\": ")
			indent(b, member, at+"  ")
			separator = ",\n"
		}
		b.WriteString("\n" + at + "}")
	case v.Kind() == wire.Array && v.Len() > 0:
		b.WriteString("[")
		separator := "\n"
		for _, e := range v.Elements() {
			b.WriteString(separator + at + "  ")
			indent(b, e, at+"  ")
			separator = ",\n"
		}
		b.WriteString("\n" + at + "]")
	default:
		var w wire.Writer
		b.Write(w.Value(v).Buf)
	}
}

// TestPolicyAllowsTheStyle checks that the content security policy allows only a style with a certain hash.
func TestPolicyAllowsTheStyle(t *testing.T) {
	t.Parallel()
	const strict = "default-src 'none'; style-src 'sha256-"
	if !strings.HasPrefix(ContentPolicy, strict) || strings.Contains(ContentPolicy, "unsafe") {
		t.Errorf("the policy is %s", ContentPolicy)
	}
}

// TestLoanType checks that a statement has the lender's type of loan for the policy that decided, otherwise the type
// for all policies, otherwise that of the catalogue.
func TestLoanType(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ policy, tag, want string }{
		{"two_wheeler", "en", "Two-wheeler loan"},
		{"personal_loan", "en", "Unsecured personal loan"},
		{"two_wheeler", "hi", "बिना ज़मानत का निजी ऋण"},
	} {
		d := approved(t, 80_000_00, 16_00, 24, 0, 0)
		d.PolicyKey = tc.policy
		if got := statement(t, d, tc.tag).LoanType(); got != tc.want {
			t.Errorf("%s in %s: %s, want %s", tc.policy, tc.tag, got, tc.want)
		}
	}
	if got := (&Profile{}).loanType(languages["en"], "two_wheeler"); got != "Loan" {
		t.Errorf("without a text: %s", got)
	}
}

// TestSandboxIsMarked checks that sandbox documents say that they are no offer, at the head and on each printed page,
// and that live documents do not.
func TestSandboxIsMarked(t *testing.T) {
	t.Parallel()
	for _, tag := range Languages() {
		l := languages[tag]
		for _, sandbox := range []bool{false, true} {
			d := approved(t, 80_000_00, 16_00, 24, 0, 0)
			d.Sandbox, d.Answer.Offer.CounterOffer = sandbox, true
			k := statement(t, d, tag)
			letter, ok := MakeLetter(d, mustProfile(t), 1, l)
			if !ok {
				t.Fatal("no letter")
			}
			for name, document := range map[string]interface {
				HTML() ([]byte, error)
				Write(w *wire.Writer)
			}{"statement": k, "letter": letter} {
				page, err := document.HTML()
				if err != nil {
					t.Fatal(err)
				}
				mark := `<p class="mark">` + l.Text("sandbox") + "</p>"
				footer := "@page sandbox-" + tag + "{@bottom-left{content:\"" + l.Text("sandbox") + "\""
				if strings.Contains(string(page), mark) != sandbox || !strings.Contains(string(page), footer) ||
					strings.Contains(string(page), `<body class="sandbox">`) != sandbox {
					t.Errorf("%s in %s, sandbox %t: marked wrongly", name, tag, sandbox)
				}
				var w wire.Writer
				document.Write(&w)
				environment := map[bool]string{false: "live", true: "sandbox"}[sandbox]
				if !strings.Contains(string(w.Buf), `"environment":"`+environment+`"`) {
					t.Errorf("%s in %s: %s, want the environment %s", name, tag, w.Buf, environment)
				}
			}
		}
	}
}
