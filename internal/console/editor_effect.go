package console

import (
	"errors"
	"slices"
	"strconv"

	"verdict/internal/backtest"
	"verdict/internal/fault"
	"verdict/internal/study"
	"verdict/internal/wire"
)

// maxEffectRules is the number of rules whose hits the effect of an edit lists.
const maxEffectRules = 5

// effectView is the data of the page that shows what an edit would have changed for recent applications.
type effectView struct {
	*version
	Step     int64
	Rows     string // number of applications that were decided again
	Complete bool
	None     bool     // there are no applications
	Same     bool     // every application is decided in the same way
	Words    []effect // what changes
	Rules    []effect // the rules that hit more or fewer applications
	Failed   string   // why the effect could not be measured; "" if it was measured
}

// effect is a change in words. Tone says whether the change is good or bad for applicants.
type effect struct{ Text, Tone string }

// effect renders the effect of a step of the working copy. The editor's script takes the part with the id "effect" from
// the page; without scripts the page is opened by a link.
func (p *editorPages) effect(v *visit) error {
	found, err := p.versions.find(v)
	if err != nil {
		return err
	}
	w := &editing{found: found}
	if err := p.findStep(v, w); err != nil {
		return err
	}
	text, err := p.textOf(v, w)
	if err != nil {
		return err
	}

	view := effectView{version: found, Step: w.history.Number}
	doc, err := wire.Parse([]byte(text))
	if err == nil {
		w.draft, err = draftOf(doc)
	}
	if err != nil {
		view.Failed = "The document cannot be read yet, so its effect is not known."
		return v.render("policy_effect", "Effect of the edit", &view)
	}
	body, err := w.draft.body(found.Set.ID)
	if err != nil {
		return err
	}
	var measured study.Effect
	base, changed, err := p.policies.DraftPolicies(v.ctx, v.caller(), body)
	if err == nil {
		measured, err = p.comparisons.Effect(v.ctx, v.caller(), base, changed)
	}
	switch refusal := fault.Of(err); {
	case err == nil:
		view.fill(&measured)
	case errors.Is(err, v.ctx.Err()) && v.ctx.Err() != nil, refusal == nil:
		return err
	case refusal.Kind == fault.Invalid:
		view.Failed = "The draft has faults, so its effect is not known yet."
	case refusal.Kind == fault.Unavailable || refusal.Kind == fault.Conflict:
		view.Failed = sentence(refusal.Detail)
	default:
		return err
	}
	return v.render("policy_effect", "Effect of the edit", &view)
}

// fill describes the effect in words.
func (e *effectView) fill(m *study.Effect) {
	before, after := &m.Report.Side, &m.Report.Challenger.Side
	e.Rows, e.Complete = grouped(strconv.FormatInt(m.Report.RowsEvaluated, 10)), m.Complete
	e.None = m.Report.RowsEvaluated == 0
	for _, s := range []struct {
		name   string
		change int64
		good   bool
	}{
		{"approved", after.Summary.Approved - before.Summary.Approved, true},
		{"referred", after.Summary.Referred - before.Summary.Referred, false},
		{"declined", after.Summary.Declined - before.Summary.Declined, false},
	} {
		if s.change != 0 {
			e.Words = append(e.Words, effect{moreOrFewer(s.change) + " " + s.name, toneOf(s.change > 0 == s.good)})
		}
	}
	if d := after.Summary.TotalLimit.Paise - before.Summary.TotalLimit.Paise; d != 0 {
		text := moneyUnit.change(0, float64(d)/100) + " approved in total"
		e.Words = append(e.Words, effect{text, toneOf(d > 0)})
	}
	if a, b := before.Summary.AvgInterestRate, after.Summary.AvgInterestRate; a.Known && b.Known {
		if text := priceUnit.change(a.Float(), b.Float()); text != unchanged {
			e.Words = append(e.Words, effect{"average interest " + text, toneOf(b.Float() < a.Float())})
		}
	}
	e.Rules = ruleEffects(before.Rules, after.Rules)
	e.Same = len(e.Words)+len(e.Rules) == 0
}

// ruleEffects returns the rules that hit more or fewer applications, the largest change first.
func ruleEffects(before, after []backtest.RuleCount) (list []effect) {
	type changed struct {
		rule string
		by   int64
	}
	hits := map[string]int64{}
	var all []changed
	for i := range before {
		hits[before[i].Rule] = before[i].Hit
	}
	for i := range after {
		all = append(all, changed{after[i].Rule, after[i].Hit - hits[after[i].Rule]})
		delete(hits, after[i].Rule)
	}
	for i := range before {
		if n, gone := hits[before[i].Rule]; gone {
			all = append(all, changed{before[i].Rule, -n})
		}
	}
	all = slices.DeleteFunc(all, func(c changed) bool { return c.by == 0 })
	slices.SortStableFunc(all, func(a, b changed) int { return int(max(b.by, -b.by) - max(a.by, -a.by)) })
	for _, c := range all[:min(len(all), maxEffectRules)] {
		list = append(list, effect{c.rule + " hits " + moreOrFewer(c.by), toneOf(c.by < 0)})
	}
	if more := len(all) - len(list); more > 0 {
		list = append(list, effect{plural(more, "further rule", "further rules"), "quiet"})
	}
	return list
}

func moreOrFewer(n int64) string {
	if n < 0 {
		return grouped(strconv.FormatInt(-n, 10)) + " fewer"
	}
	return grouped(strconv.FormatInt(n, 10)) + " more"
}

func toneOf(good bool) string {
	if good {
		return "good"
	}
	return "warn"
}
