package console

import (
	"slices"
	"strconv"
	"strings"

	"verdict/internal/admission"
	"verdict/internal/chart"
	"verdict/internal/document"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/study"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// scorecardPages are the scorecards: the list, one scorecard with a calculator, and the
// fitting of a new one to a file.
type scorecardPages struct {
	policies   *policydesk.Service
	fitting    *study.Fitting
	people     directory
	processors *admission.Scheduler
}

func (p *scorecardPages) routes() []page {
	return []page{
		{pattern: "GET /console/{env}/scorecards", handle: p.scorecards, scope: tenant.Read},
		{pattern: "GET /console/{env}/scorecards/fit", handle: p.fitForm, scope: tenant.PolicyWrite},
		{
			pattern: "POST /console/{env}/scorecards/fit",
			handle:  p.fitScorecard,
			scope:   tenant.PolicyWrite,
			upload:  true,
		},
		{pattern: "GET /console/{env}/scorecards/{id}", handle: p.scorecard, scope: tenant.Read},
		{pattern: "POST /console/{env}/scorecards/{id}/try", handle: p.tryScorecard, scope: tenant.Decide},
	}
}

func (p *scorecardPages) scorecards(v *visit) error {
	list, filters := v.listing(), v.filters()
	page, err := p.policies.Scorecards(v.ctx, v.caller(), filters.Value("name"), list)
	if err != nil {
		return err
	}

	names, err := p.people.names(v)
	if err != nil {
		return err
	}

	rows := make([]wire.Value, len(page.Data))
	for i, card := range page.Data {
		if rows[i], err = cardDocument(card); err != nil {
			return err
		}
	}

	return v.render("scorecards", "Scorecards", struct {
		Filters *form
		Rows    []wire.Value
		Names   map[string]string
		Pager   pager
	}{
		Filters: filters,
		Rows:    rows,
		Names:   names,
		Pager:   v.pager(page.NextCursor),
	})
}

func cardDocument(card policydesk.Scorecard) (wire.Value, error) {
	var w wire.Writer
	card.Write(&w)
	return wire.Parse(w.Buf)
}

// cardFactor is a factor of a scorecard as a table of its bins.
type cardFactor struct {
	Name, Field, Weight, Reason, Missing string
	Bins                                 []cardBin
}

// cardBin is a bin as it reads, with its points.
type cardBin struct{ Text, Points, WOE, Reason string }

// cardFactors reads the factors of a card for people.
func cardFactors(card wire.Value) []cardFactor {
	var list []cardFactor
	for _, f := range card.Get("factors").Elements() {
		out := cardFactor{
			Name:    f.Get("factor").Text(),
			Field:   f.Get("field").Text(),
			Weight:  f.Get("weight").Text(),
			Reason:  f.Get("reason_code").Text(),
			Missing: f.Get("missing_points").Text(),
		}
		for _, b := range f.Get("bins").Elements() {
			out.Bins = append(out.Bins, cardBin{
				Text:   binText(b),
				Points: b.Get("points").Text(),
				WOE:    b.Get("woe").Text(),
				Reason: b.Get("reason_code").Text(),
			})
		}
		list = append(list, out)
	}
	return list
}

// cardFields are the fields that a card reads, in its order.
func cardFields(card wire.Value) []string {
	var list []string
	for _, f := range card.Get("factors").Elements() {
		if name := f.Get("field").Text(); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// binText says which values fall into a bin.
func binText(b wire.Value) string {
	least, most := b.Get("gte"), b.Get("lt")
	switch {
	case b.Get("in").Given():
		var list []string
		for _, one := range b.Get("in").Elements() {
			list = append(list, scalarText(one))
		}
		return strings.Join(list, ", ")
	case b.Get("special").Given():
		return "special value " + strings.Join(textsOf(b.Get("special")), ", ")
	case least.Given() && most.Given():
		return least.Text() + " to below " + most.Text()
	case least.Given():
		return least.Text() + " and above"
	case most.Given():
		return "below " + most.Text()
	case b.Get("else").IsTrue():
		return "anything else"
	}
	return "anything"
}

// scalarText is a value as people read it.
func scalarText(v wire.Value) string {
	if v.Kind() == wire.Bool {
		if v.IsTrue() {
			return "yes"
		}
		return "no"
	}
	return v.Text()
}

// shownCard is what the page of a scorecard shows.
type shownCard struct {
	Card    wire.Value
	Factors []cardFactor
	Fields  []string // that it reads, each once
	By      string
	Score   *shownScore // of an applicant that was tried
}

// shownScore is what a scorecard gives one applicant.
type shownScore struct {
	Answer    wire.Value
	Waterfall chart.Waterfall
}

func (p *scorecardPages) scorecard(v *visit) error { return p.drawScorecard(v, nil) }

func (p *scorecardPages) drawScorecard(v *visit, score *shownScore) error {
	card, err := p.policies.StoredScorecard(v.ctx, v.caller(), v.id("id"))
	if err != nil {
		return err
	}

	names, err := p.people.names(v)
	if err != nil {
		return err
	}

	document, err := cardDocument(card)
	if err != nil {
		return err
	}

	return v.render("scorecard", card.Name, shownCard{
		Card:    document,
		Factors: cardFactors(document),
		Fields:  cardFields(document),
		By:      names[card.CreatedBy],
		Score:   score,
	})
}

// tryScorecard scores what was typed, and stores nothing: the page is the
// answer.
func (p *scorecardPages) tryScorecard(v *visit) error {
	card, err := p.policies.StoredScorecard(v.ctx, v.caller(), v.id("id"))
	if err != nil {
		return err
	}

	document, err := cardDocument(card)
	if err != nil {
		return err
	}

	input, err := typedInput(v.form, document)
	if err != nil {
		return v.again(err, p.scorecard)
	}

	var w wire.Writer
	w.Object().Key("scorecard_id").String(card.ID).Key("input").Raw(input).EndObject()
	body, err := wire.Parse(w.Buf)
	var answer operation.Answer
	if err == nil {
		answer, err = p.policies.Scorecard(v.ctx, v.caller(), body, nil)
	}
	if err != nil {
		return v.again(beneath(err, "/input"), p.scorecard)
	}

	scored, err := wire.Parse(answer.Body)
	if err != nil {
		return err
	}

	return p.drawScorecard(v, &shownScore{scored, scoreWaterfall(scored)})
}

// typedInput is what was typed as the applicant that a card reads.
func typedInput(f *form, card wire.Value) ([]byte, error) {
	var w wire.Writer
	var faults fault.List
	w.Object()
	written := map[string]bool{}
	for _, factor := range card.Get("factors").Elements() {
		name := factor.Get("field").Text()
		text := f.Value(name)
		if text == "" || written[name] {
			continue
		}

		written[name] = true
		if !writeTyped(w.Name(name), text, namesThings(factor)) {
			faults.Add("/"+name, fault.CodeWrongType, "must be a number, or yes or no")
		}
	}

	w.EndObject()
	return w.Buf, faults.Err()
}

// namesThings reports whether a factor tells texts apart, so that a number
// that is typed there is a text too.
func namesThings(factor wire.Value) bool {
	if factor.Get("type").Text() == "string" {
		return true
	}
	for _, b := range factor.Get("bins").Elements() {
		for _, one := range b.Get("in").Elements() {
			return one.Kind() == wire.String
		}
	}
	return false
}

// writeTyped writes what was typed as what it looks like: yes and no, a number
// or, where things are named, a text. It is false for what is none of them.
func writeTyped(w *wire.Writer, text string, isText bool) bool {
	switch {
	case isText:
		w.String(strings.ToValidUTF8(text, "\uFFFD"))
		return true
	case strings.EqualFold(text, "true"), strings.EqualFold(text, "yes"):
		w.Bool(true)
		return true
	case strings.EqualFold(text, "false"), strings.EqualFold(text, "no"):
		w.Bool(false)
		return true
	}

	document.WriteNumber(w, text)
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// scoreWaterfall draws how a score came about.
func scoreWaterfall(scored wire.Value) chart.Waterfall {
	c := chart.Waterfall{
		Head:  chart.Head{ID: "points", Title: "How the score came about"},
		Unit:  chart.Score,
		Begin: "Base points",
		End:   "Final score",
	}
	for _, part := range scored.Get("score_contributions").Elements() {
		points, _ := float(part.Get("points"))
		if name := part.Get("factor").Text(); name == "base" {
			c.Base = points
		} else {
			c.Steps = append(c.Steps, chart.Step{Label: words(name), Value: points})
		}
	}
	return c
}

// float reads a number for a picture or a difference; ok is false where a
// report has none.
func float(v wire.Value) (x float64, ok bool) {
	if v.Kind() != wire.Number {
		return 0, false
	}
	x, err := strconv.ParseFloat(v.Text(), 64)
	return x, err == nil
}
