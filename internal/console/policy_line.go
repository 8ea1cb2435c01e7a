package console

import (
	"strconv"
	"strings"

	"verdict/internal/document"
	"verdict/internal/policydesk"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// policyText is a policy in words: every part of the document, with the remarks about
// each part.
type policyText struct {
	Name, Key   string
	Knockouts   []ruleLine
	Adjustments []ruleLine
	Terms       []ruleLine
	Scale       []fact
	ScorecardID string
	Factors     []factorLine
	Bands       []bandLine
	Caps        []capLine
	Charges     []chargeLine
	Guarantees  []guaranteeLine
	Inputs      []inputLine
	Required    []string
	Actionable  []string
	General     []fact
	Sections    map[string][]remark // remarks about a section that belong to none of its lines, by section
	Rest        []remark            // remarks that belong to no section
	Remarks     remarks
}

// fact is a label and a text, both written for people.
type fact struct{ Label, Text string }

// ruleLine is a knockout, an adjustment or a condition of the offer.
type ruleLine struct {
	Index                     int
	ID                        string
	Action                    string // "decline" or "refer"; for an adjustment, its points
	Stage                     string
	Reason                    string
	OnAbsent                  string
	Condition                 string // in words; "" if the condition cannot be read
	Message, ApplicantMessage string
	System                    bool
	Anchor                    string
	Remarks                   []remark
	Stats                     *policydesk.RuleCount
}

// factorLine is a factor of the scorecard with its bins.
type factorLine struct {
	Index                  int
	Name, Field, When      string
	Reason, Missing, Times string
	Bins                   []binLine
	Anchor                 string
	Remarks                []remark
}

type binLine struct {
	Range, Points, Reason string
	Remarks               []remark
}

// bandLine is a pricing band in words.
type bandLine struct {
	Index                       int
	ID, Grade, Scores, Action   string
	When                        string // the condition in words; "" if there is none or it cannot be read
	NTC                         bool
	Rate, Tenure, Limits, Usual string
	Multiple, FOIRCap, Fee, Tax string
	Anchor                      string
	Remarks                     []remark
}

// chargeLine describes in words a charge that every loan has.
type chargeLine struct {
	Index            int
	ID, To, Amount   string
	Least, Most, Tax string
	Anchor           string
	Remarks          []remark
}

// inputLine is a request path that the policy declares as an input.
type inputLine struct {
	Index               int
	Name, Type, Meaning string
	Anchor              string
	Remarks             []remark
}

// policySections lists the sections of a document to which remarks can belong.
var policySections = []string{
	"knockouts",
	"adjustments",
	"scorecard",
	"scorecard_id",
	"pricing_bands",
	sectionCaps,
	"charges",
	sectionGuarantees,
	"conditions",
	"required_fields",
	"actionable_fields",
	"inputs",
}

// readable describes a document in words. The document may be an unfinished edit. Such a document may be invalid,
// and may name tables that it does not describe yet.
func readable(
	doc wire.Value, said remarks, stats map[string]policydesk.RuleCount, tables ...rule.Table,
) *policyText {
	texts := document.ConditionTexts(doc, tables...)
	for at, text := range texts {
		texts[at] = lenderText(text)
	}
	card := doc.Get("scorecard")
	t := &policyText{
		Name:        doc.Get("name").Text(),
		Key:         doc.Get("policy_key").Text(),
		Scale:       scaleOf(card),
		ScorecardID: doc.Get("scorecard_id").Text(),
		Required:    textsOf(doc.Get("required_fields")),
		Actionable:  textsOf(doc.Get("actionable_fields")),
		General:     generalOf(doc),
		Sections:    map[string][]remark{},
		Remarks:     said,
	}

	for i, v := range doc.Get("knockouts").Elements() {
		t.Knockouts = append(t.Knockouts, lineOf(i, v, "id", texts, said, stats))
	}
	for i, v := range doc.Get("adjustments").Elements() {
		line := lineOf(i, v, "id", texts, said, stats)
		line.Action = withSign(v.Get("delta").Text())
		t.Adjustments = append(t.Adjustments, line)
	}
	for i, v := range doc.Get("conditions").Elements() {
		line := lineOf(i, v, "code", texts, said, nil)
		line.Message = v.Get("text").Text()
		t.Terms = append(t.Terms, line)
	}
	for i, v := range card.Get("factors").Elements() {
		t.Factors = append(t.Factors, factorOf(i, v, texts, said))
	}
	for i, v := range doc.Get("pricing_bands").Elements() {
		t.Bands = append(t.Bands, bandOf(i, v, texts, said))
	}
	for i, v := range doc.Get(sectionCaps).Elements() {
		t.Caps = append(t.Caps, capOf(i, v, texts, said))
	}
	for i, v := range doc.Get("charges").Elements() {
		t.Charges = append(t.Charges, chargeOf(i, v, said))
	}
	for _, v := range doc.Get(sectionGuarantees).Elements() {
		t.Guarantees = append(t.Guarantees, guaranteeOf(v, said))
	}
	for i, v := range doc.Get("inputs").Elements() {
		t.Inputs = append(t.Inputs, inputLine{
			Index:   i,
			Name:    v.Get("name").Text(),
			Type:    v.Get("type").Text(),
			Meaning: v.Get("meaning").Text(),
			Anchor:  anchorOf(v.Pointer()),
			Remarks: said.claim(v.Pointer(), v.Get("name").Text()),
		})
	}

	for _, section := range policySections {
		t.Sections[section] = said.claim("/"+section, words(section))
	}
	t.Rest = said.claim("", "the policy")
	return t
}

func lineOf(
	i int, v wire.Value, name string, texts map[string]string, said remarks, stats map[string]policydesk.RuleCount,
) ruleLine {
	line := ruleLine{
		Index:            i,
		ID:               v.Get(name).Text(),
		Action:           v.Get("action").Text(),
		Stage:            v.Get("stage").Text(),
		Reason:           v.Get("reason_code").Text(),
		OnAbsent:         v.Get("on_absent").Text(),
		Message:          v.Get("message").Text(),
		ApplicantMessage: v.Get("applicant_message").Text(),
		System:           v.Get("system").IsTrue(),
		Anchor:           anchorOf(v.Pointer()),
		Remarks:          said.claim(v.Pointer(), v.Get(name).Text()),
	}
	if condition := v.Get("condition_ast"); condition.Given() {
		line.Condition = texts[condition.Pointer()]
	}
	if s, known := stats[line.ID]; known {
		line.Stats = &s
	}
	return line
}

func factorOf(i int, v wire.Value, texts map[string]string, said remarks) factorLine {
	f := factorLine{
		Index:   i,
		Name:    v.Get("factor").Text(),
		Field:   v.Get("field").Text(),
		Reason:  v.Get("reason_code").Text(),
		Missing: withSign(v.Get("missing_points").Text()),
		Anchor:  anchorOf(v.Pointer()),
	}
	if when := v.Get("when"); when.Given() {
		f.When = texts[when.Pointer()]
	}
	if weight := v.Get("weight").Text(); weight != "1" {
		f.Times = weight
	}
	for _, b := range v.Get("bins").Elements() {
		f.Bins = append(f.Bins, binLine{
			Range:   binRange(f.Field, b),
			Points:  withSign(b.Get("points").Text()),
			Reason:  b.Get("reason_code").Text(),
			Remarks: said.claimFor(b.Pointer(), v.Pointer(), f.Name),
		})
	}
	f.Remarks = said.claim(v.Pointer(), f.Name)
	return f
}

// binRange describes in words which values fall into a bin.
func binRange(field string, b wire.Value) string {
	least, most := amountsOf(field, b.Get("gte").Text()), amountsOf(field, b.Get("lt").Text())
	switch {
	case b.Get("else").IsTrue():
		return "anything else"
	case b.Get("in").Given():
		return strings.Join(textsOf(b.Get("in")), ", ")
	case b.Get("special").Given():
		return "special: " + amountsOf(field, strings.Join(textsOf(b.Get("special")), ", "))
	case least != "" && most != "":
		return least + " ≤ " + field + " < " + most
	case least != "":
		return field + " ≥ " + least
	case most != "":
		return field + " < " + most
	}
	return "any value"
}

func bandOf(i int, v wire.Value, texts map[string]string, said remarks) bandLine {
	text := func(name string) string { return v.Get(name).Text() }
	amount := func(name string) string {
		written, _ := rupees(v.Get(name))
		return written
	}
	b := bandLine{
		Index:   i,
		ID:      text("id"),
		Grade:   text("grade"),
		Scores:  "any score",
		Action:  text("action"),
		NTC:     v.Get("ntc").IsTrue(),
		Anchor:  anchorOf(v.Pointer()),
		Remarks: said.claim(v.Pointer(), text("id")),
	}
	if when := v.Get("when"); when.Given() {
		b.When = texts[when.Pointer()]
	}
	if text("min_score") != "" || text("max_score") != "" {
		b.Scores = text("min_score") + "–" + text("max_score")
	}
	if text("interest_rate") == "" {
		return b
	}
	b.Rate = text("interest_rate") + " %"
	b.Tenure = text("tenure_months") + " (allowed: " + strings.Join(textsOf(v.Get("tenures_allowed")), ", ") + ")"
	b.Limits, b.Usual = amount("min_limit")+" – "+amount("max_limit"), amount("default_limit")
	if text("income_multiple") != "" {
		b.Multiple = "× " + text("income_multiple")
	}
	b.FOIRCap = shareOf(text("foir_cap"))
	b.Fee = text("processing_fee_pct") + " %, at least " + amount("processing_fee_min")
	b.Tax = text("gst_pct") + " %"
	return b
}

func chargeOf(i int, v wire.Value, said remarks) chargeLine {
	amount := func(name string) string {
		if !v.Get(name).Given() {
			return ""
		}
		written, _ := rupees(v.Get(name))
		return written
	}
	c := chargeLine{
		Index:   i,
		ID:      v.Get("id").Text(),
		To:      "to the lender",
		Amount:  amount("amount"),
		Least:   amount("min"),
		Most:    amount("max"),
		Tax:     v.Get("gst").Text(),
		Anchor:  anchorOf(v.Pointer()),
		Remarks: said.claim(v.Pointer(), v.Get("id").Text()),
	}
	if v.Get("to").Text() == "third_party" {
		c.To = "to a third party"
	}
	if v.Get("kind").Text() == "percent" {
		c.Amount = v.Get("amount").Text() + " %"
	}
	return c
}

func scaleOf(card wire.Value) []fact {
	list := []fact{
		{"Base points", card.Get("base_points").Text() + " points"},
		{"Range of scores", card.Get("min_score").Text() + " to " + card.Get("max_score").Text()},
	}
	if pdo := card.Get("pdo").Text(); pdo != "" {
		list = append(list, fact{"Odds", card.Get("anchor_odds").Text() + " to 1 at score " +
			card.Get("anchor_score").Text() + ", doubling every " + pdo + " points"})
	}
	return list
}

func generalOf(doc wire.Value) []fact {
	step, _ := rupees(doc.Get("limit_step"))
	rules := "the first rules of the service"
	if v := doc.Get("semantics").Text(); v != "" && v != "1" {
		rules = "the present rules of the service"
	}
	counted := func(side string, otherwise string) string {
		if v := doc.Get("affordability").Get(side); v.Given() {
			return v.Get("take").Text() + " of " + strings.Join(textsOf(v.Get("of")), ", ")
		}
		return otherwise
	}
	people, score := "the primary applicant", "that of the primary applicant"
	if doc.Get("affordability").Get("people").Text() == "all" {
		people = "the primary applicant and the co-applicant together"
	}
	if v := doc.Get("people").Get("score").Text(); v != "" && v != "primary" {
		score = "the " + v + " of primary applicant and co-applicant"
	}
	exposure := "not limited"
	if v := doc.Get("exposure"); v.Given() {
		most, _ := rupees(v.Get("max_total"))
		exposure = "at most " + most + " owed and offered"
	}
	return []fact{
		{"Decides by", rules},
		{"Income counted", counted("income", "as declared")},
		{"Obligations counted", counted("obligations", "as declared")},
		{"People whose figures count", people},
		{"Bureau score that counts", score},
		{"Exposure of one person", exposure},
		{"Limits are multiples of", step},
		{"Offers are valid for", doc.Get("offer_validity_days").Text() + " days"},
		{"Built-in rules", either(doc.Get("include_defaults"), "merged", "left out")},
		{"Scores without a band", either(doc.Get("allow_gaps"), "allowed", "not allowed")},
	}
}

func either(v wire.Value, yes, no string) string {
	if v.IsTrue() {
		return yes
	}
	return no
}

// withSign writes points with their sign. 0 has no sign.
func withSign(n string) string {
	switch {
	case n == "" || n == "0":
		return n
	case strings.HasPrefix(n, "-"):
		return "−" + n[1:]
	}
	return "+" + n
}

// textsOf returns the scalars of a list as texts.
func textsOf(list wire.Value) []string {
	var out []string
	for _, e := range list.Elements() {
		text := e.Text()
		if e.Kind() == wire.Bool {
			text = strconv.FormatBool(e.IsTrue())
		}
		out = append(out, text)
	}
	return out
}
