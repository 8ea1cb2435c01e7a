package console

import (
	"slices"
	"strconv"
	"strings"

	"verdict/internal/chart"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/policydesk"
	"verdict/internal/rule"
	"verdict/internal/study"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// scorecardPages serves the scorecards: the list, one scorecard with a calculator, and the
// fitting of a new scorecard to a file.
type scorecardPages struct {
	policies *policydesk.Service
	fitting  *study.Fitting
	people   directory
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

	rows := make([]cardRow, len(page.Data))
	for i, card := range page.Data {
		rows[i] = cardRowOf(card)
	}

	return v.render("scorecards", "Scorecards", struct {
		Filters *form
		Rows    []cardRow
		Names   map[string]string
		Pager   pager
	}{
		Filters: filters,
		Rows:    rows,
		Names:   names,
		Pager:   v.pager(page.NextCursor),
	})
}

// cardRow is a scorecard with the lowest and the highest score that it can give if every field is
// known.
type cardRow struct {
	policydesk.Scorecard
	Least, Most rule.Number
}

func cardRowOf(card policydesk.Scorecard) cardRow {
	row := cardRow{Scorecard: card}
	row.Least, row.Most = card.Card.Bounds()
	return row
}

// cardFactor is a factor of a scorecard as a table of its bins.
type cardFactor struct {
	Name, Field, Weight, Reason, Missing string
	Bins                                 []cardBin
}

// cardBin is a bin in words, with its points.
type cardBin struct{ Text, Points, WOE, Reason string }

// cardFactors returns the factors of a card as tables.
func cardFactors(card *engine.Scorecard) []cardFactor {
	var list []cardFactor
	for i := range card.Factors {
		f := &card.Factors[i]
		out := cardFactor{Name: f.Name, Field: f.Field.Name, Weight: f.Weight.String(), Reason: f.ReasonCode}
		if f.HasMissing {
			out.Missing = minus(f.Missing.String())
		}
		for j := range f.Bins {
			b := &f.Bins[j]
			shown := cardBin{Text: binText(out.Field, b), Points: minus(b.Points.String()), Reason: b.ReasonCode}
			if b.HasWOE {
				shown.WOE = minus(strconv.FormatFloat(float64(b.WOE)/float64(rule.One), 'f', 3, 64))
			}
			out.Bins = append(out.Bins, shown)
		}
		list = append(list, out)
	}
	return list
}

// minus writes the sign of a negative number as a minus sign, which is as wide as a digit.
func minus(number string) string {
	if rest, negative := strings.CutPrefix(number, "-"); negative {
		return "−" + rest
	}
	return number
}

// cardFields returns the fields that a card reads, in the order of its factors.
func cardFields(card *engine.Scorecard) []string {
	var list []string
	for i := range card.Factors {
		if name := card.Factors[i].Field.Name; !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// binText describes in words which values of the named field fall into a bin.
func binText(name string, b *engine.Bin) string {
	var list []string
	switch {
	case len(b.In) > 0:
		for _, one := range b.In {
			list = append(list, scalarText(one))
		}
		return strings.Join(list, ", ")
	case len(b.Special) > 0:
		for _, one := range b.Special {
			list = append(list, one.String())
		}
		return "special value " + strings.Join(list, ", ")
	case b.HasMin && b.HasMax:
		return amountText(name, b.Min.String()) + " to below " + amountText(name, b.Max.String())
	case b.HasMin:
		return amountText(name, b.Min.String()) + " and above"
	case b.HasMax:
		return "below " + amountText(name, b.Max.String())
	case b.Else:
		return "anything else"
	}
	return "anything"
}

// scalarText writes a value as people read it.
func scalarText(v rule.Value) string {
	switch {
	case v.Type() == rule.NumberType:
		return v.Number().String()
	case v.Type() == rule.BoolType && v.IsTrue():
		return "yes"
	case v.Type() == rule.BoolType:
		return "no"
	}
	return v.Text()
}

// shownCard is the data of a scorecard's page.
type shownCard struct {
	Card    cardRow
	Factors []cardFactor
	Fields  []string // fields that the card reads, without duplicates
	By      string
	Score   *shownScore // score of the typed applicant; nil before an applicant is typed
}

// shownScore is the score of one applicant.
type shownScore struct {
	policydesk.ApplicantScore
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

	return v.render("scorecard", card.Name, shownCard{
		Card:    cardRowOf(card),
		Factors: cardFactors(card.Card),
		Fields:  cardFields(card.Card),
		By:      names[card.CreatedBy],
		Score:   score,
	})
}

// tryScorecard scores the typed applicant and renders the page with the score. Nothing is stored.
func (p *scorecardPages) tryScorecard(v *visit) error {
	card, err := p.policies.StoredScorecard(v.ctx, v.caller(), v.id("id"))
	if err != nil {
		return err
	}

	typed, err := typedApplicant(v.form, card.Card)
	if err != nil {
		return v.redraw(err, p.scorecard)
	}

	scores, err := p.policies.Score(v.ctx, v.caller(), policydesk.Scoring{
		ScorecardID: card.ID,
		Applicants:  engine.OneApplicant(typed),
	}, nil)
	if err != nil {
		return v.redraw(trimPointer(err, "/input"), p.scorecard)
	}

	one := scores.List[0]
	return p.drawScorecard(v, &shownScore{one, scoreWaterfall(one.Contributions)})
}

// typedApplicant returns the typed values of the fields that a card reads.
func typedApplicant(f *form, card *engine.Scorecard) ([]rule.NamedValue, error) {
	var list []rule.NamedValue
	var faults fault.List
	written := map[string]bool{}
	for i := range card.Factors {
		factor := &card.Factors[i]
		name := factor.Field.Name
		text := f.Value(name)
		if text == "" || written[name] {
			continue
		}

		written[name] = true
		value, problem := typedValue(text, readsText(factor))
		if problem != "" {
			faults.Add("/"+name, fault.CodeWrongType, "%s", problem)
		}
		list = append(list, rule.NamedValue{Name: name, Value: value})
	}
	return list, faults.Err()
}

// readsText reports whether a factor reads a text. If so, a typed number is treated as a text.
func readsText(factor *engine.Factor) bool {
	if factor.Typed && factor.Field.Type == rule.StringType {
		return true
	}
	for i := range factor.Bins {
		if in := factor.Bins[i].In; len(in) > 0 {
			return in[0].Type() == rule.StringType
		}
	}
	return false
}

// typedValue reads a typed text. If isText is set, the value is the text itself; else the text must be a number, or one
// of yes, no, true and false. problem says why the text cannot be read; it is "" if there is no problem.
func typedValue(text string, isText bool) (value rule.Value, problem string) {
	switch {
	case isText:
		return rule.Str(text), ""
	case strings.EqualFold(text, "true"), strings.EqualFold(text, "yes"):
		return rule.Bool(true), ""
	case strings.EqualFold(text, "false"), strings.EqualFold(text, "no"):
		return rule.Bool(false), ""
	}

	number, err := wire.Parse([]byte(text))
	if err != nil || number.Kind() != wire.Number {
		return rule.Value{}, "must be a number, or yes or no"
	}
	value, ok := rule.ReadValue(number)
	if !ok {
		return rule.Value{}, "must be a number in range"
	}
	return value, ""
}

// scoreWaterfall returns the chart that shows how a score adds up.
func scoreWaterfall(contributions []engine.Contribution) chart.Waterfall {
	c := chart.Waterfall{
		Head:  chart.Head{ID: "points", Title: "How the score came about"},
		Unit:  chart.Score,
		Begin: "Base points",
		End:   "Final score",
	}
	for _, part := range contributions {
		points := float64(part.Points) / float64(rule.One)
		if part.Factor == "base" {
			c.Base = points
		} else {
			c.Steps = append(c.Steps, chart.Step{Label: words(part.Factor), Value: points})
		}
	}
	return c
}
