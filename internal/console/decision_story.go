package console

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"verdict/internal/chart"
	"verdict/internal/decisioning"
	"verdict/internal/document"
	"verdict/internal/operation"
	"verdict/internal/privacydesk"
	"verdict/internal/rule"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// shownDecision is the data of a decision's page: the stored answer, and how it was
// made.
type shownDecision struct {
	Answer  decisioning.Answered
	Erased  bool // the answer or the facts were erased
	Again   decisioning.ReExplanation
	Reviews []decisioning.Review
	Story   decisioning.Story

	Hits      []decisioning.RuleStory // rules that hit or changed the score
	Open      []decisioning.RuleStory // rules that could not be evaluated
	Passed    []decisioning.RuleStory
	Score     []scoreLine
	Waterfall chart.Waterfall
	Facts     []factGroup
	Raw       string
	Lists     []rule.ListVersion // the lists that were read
	Tables    []rule.ListVersion
	Standing  privacydesk.Standing // the zero value if the person may not see it

	validUntil time.Time // when the offer ends; the zero time if there is no offer
	now        time.Time
}

// loadDecision reads a decision and how it was made. It returns the error of the use
// case if there is no such decision.
func (p *decisionPages) loadDecision(v *visit, id string) (*shownDecision, error) {
	explained, err := p.decisions.Decision(v.ctx, v.caller(), id)
	if err != nil {
		return nil, err
	}

	story, err := p.decisions.Story(v.ctx, v.caller(), id)
	if err != nil {
		return nil, err
	}

	raw, err := document.Indented(func(w *wire.Writer) { document.WriteExplained(w, explained) })
	if err != nil {
		return nil, err
	}

	if explained.Kept != nil { // the page shows what remains of an erased answer
		if story.Answer, err = document.ReadDecision([]byte(raw)); err != nil {
			return nil, err
		}
	}

	t := &shownDecision{
		Answer:  story.Answer,
		Erased:  explained.Unverifiable,
		Again:   explained.Again,
		Reviews: explained.Reviews,
		Story:   story,
		Facts:   factGroups(story.Facts),
		Raw:     raw,
		now:     v.begun,
	}
	if t.Lists, t.Tables, err = document.ReadVersions([]byte(raw)); err != nil {
		return nil, err
	}
	if t.validUntil, err = p.offers.ValidUntil(v.ctx, v.caller(), id); err != nil {
		return nil, err
	}
	if v.caller().Require(tenant.PrivacyManage) == nil {
		if t.Standing, err = p.privacy.Standing(v.ctx, v.caller(), story.Summary.ApplicantRef, id); err != nil {
			return nil, err
		}
	}
	for _, r := range story.Rules {
		switch r.Result {
		case "fail", "refer", "applied":
			t.Hits = append(t.Hits, r)
		case "not_evaluated":
			t.Open = append(t.Open, r)
		default:
			t.Passed = append(t.Passed, r)
		}
	}

	t.Score = scoreLines(story)
	t.Waterfall = waterfall(t.Score)
	return t, nil
}

// decision renders the page of one decision.
func (p *decisionPages) decision(v *visit) error {
	t, err := p.loadDecision(v, v.id("id"))
	if err != nil {
		return err
	}

	names, err := p.people.names(v)
	if err != nil {
		return err
	}

	documents, err := p.documents(v, v.id("id"))
	if err != nil {
		return err
	}

	history, more, err := p.historyOf(v, t)
	if err != nil {
		return err
	}

	return v.render("decision", "Decision "+short(v.id("id")), struct {
		*shownDecision
		Names       map[string]string // e-mail addresses of people, by user id
		Documents   documentLinks
		History     []decisioning.DecisionRow
		MoreHistory bool
	}{t, names, documents, history, more})
}

// historyRows is the number of an applicant's decisions that the page of a decision lists.
const historyRows = 6

// historyOf returns the newest decisions about the applicant of a decision, including that decision, and whether
// there are more. It returns none if the request named no applicant.
func (p *decisionPages) historyOf(v *visit, t *shownDecision) (rows []decisioning.DecisionRow, more bool, err error) {
	reference := t.Story.Summary.ApplicantRef
	if reference == "" {
		return nil, false, nil
	}
	page, err := p.decisions.DecisionRows(v.ctx, v.caller(), decisioning.DecisionFilter{ApplicantID: reference},
		operation.List{Limit: historyRows})
	return page.Data, page.NextCursor != "", err
}

// review adds a person's review to a decision.
func (p *decisionPages) review(v *visit) error {
	if err := p.addReview(v); err != nil {
		return v.redraw(err, p.decision)
	}
	return v.done("The review was added.", "/decisions/"+v.id("id"))
}

func (p *decisionPages) addReview(v *visit) error {
	_, err := p.decisions.Reviews.Add(v.ctx, v.caller(), v.id("id"), decisioning.NewReview{
		Outcome:    v.form.Value("outcome"),
		ReasonCode: v.form.Value("reason_code"),
		Note:       v.form.Value("note"),
	}, nil)
	return err
}

// Status returns the outcome of the decision.
func (t *shownDecision) Status() string { return t.Answer.Status }

// ID returns the decision's id.
func (t *shownDecision) ID() string { return t.Story.Summary.ID }

// Offered reports whether there is an offer, indicative or not.
func (t *shownDecision) Offered() bool { return t.Answer.Offer.Made }

// Expired reports whether the offer can no longer be accepted.
func (t *shownDecision) Expired() bool { return !t.validUntil.IsZero() && t.now.After(t.validUntil) }

// ValidUntil returns the last second in which the offer can be accepted, as the documents of the offer state it. It is
// "" if there is no offer that could be accepted.
func (t *shownDecision) ValidUntil() string {
	if t.validUntil.IsZero() {
		return ""
	}
	return t.validUntil.Format(time.RFC3339)
}

// Headline returns the outcome in one line.
func (t *shownDecision) Headline() string {
	offer := &t.Answer.Offer
	if !offer.Made {
		for _, r := range t.Answer.Reasons {
			return r.Message
		}
		return "Nothing is offered"
	}

	return paise(offer.LimitPaise) + " over " + itoa(offer.TenureMonths) + " months at " + t.Percent(offer.RateBP)
}

// Reviewed reports whether a review has closed the referral. A review that only asks for
// more information does not close it.
func (t *shownDecision) Reviewed() bool {
	return slices.ContainsFunc(t.Reviews, func(r decisioning.Review) bool {
		return r.Outcome != decisioning.OutcomeAsks
	})
}

// Waiting reports whether the decision is in the queue of referrals.
func (t *shownDecision) Waiting() bool { return t.Status() == "REFERRED" && !t.Reviewed() }

// costLine is one line in the table of the costs of a loan.
type costLine struct {
	Name, Text string
	Sum        bool
}

// Costs returns the amounts, charges and rates of the offer, or nil if there is no
// offer.
func (t *shownDecision) Costs() []costLine {
	offer := &t.Answer.Offer
	if !offer.Made {
		return nil
	}
	lines := []costLine{
		{"Loan amount", paise(offer.LimitPaise), false},
		{"Processing fee", paise(offer.FeePaise), false},
		{"GST on the fee", paise(offer.GSTPaise), false},
	}
	for _, c := range t.Answer.Charges {
		name := "Charge " + c.ID
		if c.ThirdParty {
			name += ", to a third party"
		}
		if c.TaxPaise > 0 {
			name += ", with GST"
		}
		lines = append(lines, costLine{name, paise(c.Paise + c.TaxPaise), false})
	}
	return append(lines, []costLine{
		{"Paid out", paise(offer.NetPaise), true},
		{"Instalment a month", paise(offer.InstalmentPaise), false},
		{"Last instalment", paise(offer.LastPaise), false},
		{"Total interest", paise(offer.InterestPaise), false},
		{"Total payable", paise(offer.PayablePaise), true},
		{"Interest rate a year", t.Percent(offer.RateBP), false},
		{"APR, with all charges", t.Percent(offer.APR), false},
	}...)
}

// scoreLine is one step in the calculation of the score.
type scoreLine struct {
	Label  string
	Read   decisioning.FieldValue
	Points string
	Sum    string
	Is     string // "base", "factor", "adjustment" or "clamp"
	points int64  // in units of 10^-decisioning.PointPlaces
}

// scoreLines returns the points in the order in which the engine adds them: the base and
// the factors, the adjustments, and the clamp that keeps the sum within its bounds.
func scoreLines(story decisioning.Story) []scoreLine {
	reads := map[string]decisioning.FieldValue{}
	for _, f := range story.Factors {
		reads[f.Factor] = f.Read
	}

	var lines []scoreLine
	var clamp *scoreLine
	for _, p := range story.Answer.Contributions {
		line := scoreLine{Label: p.Factor, Points: p.Points.String(), points: int64(p.Points), Is: "factor"}
		line.Read = reads[line.Label]
		switch line.Label {
		case "base":
			line.Is = "base"
		case "clamp":
			line.Is = "clamp"
			clamp = &line
			continue
		}

		lines = append(lines, line)
	}

	for _, r := range story.Answer.Rules {
		if r.Applied() {
			line := scoreLine{Label: r.ID, Points: r.Delta.String(), points: int64(r.Delta), Is: "adjustment"}
			lines = append(lines, line)
		}
	}
	if clamp != nil {
		lines = append(lines, *clamp)
	}

	var sum int64
	for i := range lines {
		sum += lines[i].points
		lines[i].Sum = decimalText(sum, decisioning.PointPlaces)
		lines[i].Points = signedPoints(lines[i])
	}

	return lines
}

// signedPoints writes points with their sign. The base has no plus sign.
func signedPoints(l scoreLine) string {
	switch rest, negative := strings.CutPrefix(l.Points, "-"); {
	case negative:
		return "−" + rest
	case l.Is == "base":
		return l.Points
	default:
		return "+" + l.Points
	}
}

func waterfall(lines []scoreLine) chart.Waterfall {
	w := chart.Waterfall{
		Head: chart.Head{
			ID:          "waterfall",
			Title:       "How the score came about",
			Description: "The base points, and what each factor and rule adds or subtracts, up to the final score.",
		},
		Unit: chart.Score, End: "Final score",
	}
	for _, l := range lines {
		points, _ := strconv.ParseFloat(strings.NewReplacer("−", "-", "+", "").Replace(l.Points), 64)
		if l.Is == "base" && len(w.Steps) == 0 && w.Begin == "" {
			w.Begin, w.Base = "Base", points
			continue
		}

		label := l.Label
		if text := fieldText(l.Read); l.Read.Given {
			label += " = " + text
		}

		w.Steps = append(w.Steps, chart.Step{Label: label, Value: points})
	}
	return w
}

// amountText writes a number that is a value of the named field: an amount in rupees, or a share in percent. It returns
// values of other fields unchanged.
func amountText(name, text string) string {
	f := decisioning.DescribedField(name)
	f.Value, f.Given = text, true
	if f.Unit == "₹" || isShare(f) {
		return fieldText(f)
	}
	return text
}

// fieldText writes a field's value with its unit.
func fieldText(f decisioning.FieldValue) string {
	switch {
	case !f.Given:
		return "not given"
	case f.Unit == "₹":
		text, _ := rupees(f.Value)
		return text
	case slices.Contains([]string{"days", "months", "years", "degrees"}, f.Unit):
		return f.Value + " " + f.Unit
	case f.Unit == "percent":
		return f.Value + " %"
	case isShare(f):
		return percentOf(f.Value)
	}
	return f.Value
}
