package console

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"verdict/internal/chart"
	"verdict/internal/decisioning"
	"verdict/internal/wire"
)

// told is a decision and how it came about, as pages tell it: the answer as it
// was stored, and what stands behind it.
type told struct {
	Doc   wire.Value
	Story decisioning.Story

	Hits      []decisioning.RuleStory // that turned it, or moved the score
	Open      []decisioning.RuleStory // that could not be evaluated
	Passed    []decisioning.RuleStory
	Score     []scoreLine
	Waterfall chart.Waterfall
	Facts     []factGroup
	Raw       string

	now time.Time
}

// tell reads a decision and its story.
func (p *decisionPages) tell(v *visit, id string) (*told, error) {
	answer, err := p.decisions.Decision(v.ctx, v.caller(), id)
	if err != nil {
		return nil, err
	}

	doc, err := wire.Parse(answer.Body)
	if err != nil {
		return nil, err
	}

	story, err := p.decisions.Story(v.ctx, v.caller(), id)
	if err != nil {
		return nil, err
	}

	t := &told{
		Doc:   doc,
		Story: story,
		Facts: factGroups(story.Facts),
		Raw:   indented(doc),
		now:   v.begun,
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

	t.Score = scoreLines(doc, story)
	t.Waterfall = waterfall(t.Score)
	return t, nil
}

// decision is the page of one decision.
func (p *decisionPages) decision(v *visit) error {
	t, err := p.tell(v, v.id("id"))
	if err != nil {
		return err
	}

	names, err := p.people.names(v)
	if err != nil {
		return err
	}

	return v.render("decision", "Decision "+short(v.id("id")), struct {
		*told
		Names map[string]string // of people, by their ids
	}{t, names})
}

// review adds what a person makes of a decision.
func (p *decisionPages) review(v *visit) error {
	if err := p.addReview(v); err != nil {
		return v.again(err, p.decision)
	}
	return v.done("The review was added.", "/decisions/"+v.id("id"))
}

func (p *decisionPages) addReview(v *visit) error {
	_, err := p.decisions.ReviewDecision(v.ctx, v.caller(), v.id("id"), decisioning.NewReview{
		Outcome:    v.form.text("outcome"),
		ReasonCode: v.form.text("reason_code"),
		Note:       v.form.text("note"),
	}, nil)
	return err
}

// Status is the outcome.
func (t *told) Status() string { return t.Doc.Get("status").Text() }

// ID is the decision's.
func (t *told) ID() string { return t.Doc.Get("decision_id").Text() }

// Offered reports whether there is an offer, indicative or not.
func (t *told) Offered() bool { return t.Doc.Get("offer").Get("emi").Given() }

// Expired reports whether the offer can be accepted no more.
func (t *told) Expired() bool {
	until, err := time.Parse(time.RFC3339Nano, t.Doc.Get("offer").Get("valid_until").Text())
	return err == nil && t.now.After(until)
}

// Headline is the outcome in one line.
func (t *told) Headline() string {
	offer := t.Doc.Get("offer")
	if !t.Offered() {
		for _, r := range t.Doc.Get("reasons").Elements() {
			return r.Get("message").Text()
		}
		return "Nothing is offered"
	}

	limit, _ := rupees(offer.Get("limit"))
	months, rate := offer.Get("tenure_months").Text(), offer.Get("interest_rate").Text()
	return limit + " over " + months + " months at " + rate + " %"
}

// Reviewed reports whether a person has settled it.
func (t *told) Reviewed() bool {
	for _, r := range t.Doc.Get("reviews").Elements() {
		if r.Get("outcome").Text() != "more_information" {
			return true
		}
	}
	return false
}

// Waiting reports whether it is in the queue of referrals.
func (t *told) Waiting() bool { return t.Status() == "REFERRED" && !t.Reviewed() }

// costLine is one line of what a loan costs.
type costLine struct {
	Name, Text string
	Sum        bool
}

// Costs are what the loan costs and comes to.
func (t *told) Costs() []costLine {
	offer := t.Doc.Get("offer")
	var list []costLine
	amount := func(name, member string, sum bool) {
		if v := offer.Get(member); v.Given() {
			text, _ := rupees(v)
			list = append(list, costLine{name, text, sum})
		}
	}
	percent := func(name, member string) {
		if v := offer.Get(member); v.Given() {
			list = append(list, costLine{name, v.Text() + " %", false})
		}
	}
	amount("Loan amount", "limit", false)
	amount("Processing fee", "processing_fee", false)
	amount("GST on the fee", "processing_fee_gst", false)
	amount("Paid out", "net_disbursed", true)
	amount("Instalment a month", "emi", false)
	amount("Last instalment", "last_emi", false)
	amount("Total interest", "total_interest", false)
	amount("Total payable", "total_payable", true)
	percent("Interest rate a year", "interest_rate")
	percent("APR, with all charges", "apr")
	return list
}

// scoreLine is one step of the score.
type scoreLine struct {
	Label  string
	Read   decisioning.FieldValue
	Points string
	Sum    string
	Is     string // what it is: base, factor, adjustment, clamp or score
}

// pointPlaces is how exact points are.
const pointPlaces = 4

// scoreLines adds the points up in the order the engine does: base and factors,
// adjustments, and the clamp that keeps the sum within its bounds.
func scoreLines(doc wire.Value, story decisioning.Story) []scoreLine {
	reads := map[string]decisioning.FieldValue{}
	for _, f := range story.Factors {
		reads[f.Factor] = f.Read
	}

	var lines []scoreLine
	var clamp *scoreLine
	for _, p := range doc.Get("explanation").Get("score_contributions").Elements() {
		line := scoreLine{Label: p.Get("factor").Text(), Points: p.Get("points").Text(), Is: "factor"}
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

	for _, r := range doc.Get("explanation").Get("fired_rules").Elements() {
		if delta := r.Get("delta"); delta.Given() {
			lines = append(lines, scoreLine{Label: r.Get("id").Text(), Points: delta.Text(), Is: "adjustment"})
		}
	}
	if clamp != nil {
		lines = append(lines, *clamp)
	}

	var sum int64
	for i := range lines {
		points, _, _ := wire.ParseDecimal(lines[i].Points, pointPlaces)
		sum += points
		lines[i].Sum = string(wire.AppendDecimal(nil, sum, pointPlaces))
		lines[i].Points = signedPoints(lines[i])
	}

	return lines
}

// signedPoints shows which way the points go; the base is where they begin.
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
			Description: "Each part of the score, from its base to its end.",
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

// fieldText is what a field held, in its unit.
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
	}
	return f.Value
}
