package console

import (
	"slices"
	"strconv"

	"verdict/internal/chart"
	"verdict/internal/policydesk"
)

// flowDays lists the periods, in days, over which the picture of a policy can count decisions. The first is the
// default.
var flowDays = []int{30, 7}

// formDays is the query parameter with the number of days.
const formDays = "days"

// flowDaysOf returns the number of days that the address asks for.
func flowDaysOf(v *visit) int {
	if days, err := strconv.Atoi(v.query(formDays)); err == nil && slices.Contains(flowDays, days) {
		return days
	}
	return flowDays[0]
}

// policyCounts holds the counts for the picture of a policy.
type policyCounts struct {
	Days     int
	rules    map[string]policydesk.RuleCount
	outcomes []policydesk.OutcomeCount
}

// flowView is the part of a page that shows the picture of a policy.
type flowView struct {
	Flow   chart.Flow
	Counts policyCounts

	address string // the address of the page without the number of days
}

// DaysChoices returns the numbers of days that a reader can choose.
func (f *flowView) DaysChoices() []int { return flowDays }

// DaysAt returns the address of the page with another number of days.
func (f *flowView) DaysAt(days int) string {
	return f.address + formDays + "=" + itoa(days) + "#flow"
}

// countsOf counts the decisions of a version.
func countsOf(v *visit, policies *policydesk.Service, found *version) (policyCounts, error) {
	c := policyCounts{Days: flowDaysOf(v)}
	var err error
	if c.rules, err = policies.RuleStats(v.ctx, v.caller(), found.Set.ID, c.Days); err != nil {
		return c, err
	}
	c.outcomes, err = policies.Outcomes(v.ctx, v.caller(), found.Set.ID, c.Days)
	return c, err
}

// evaluated returns the number of applications. Every rule runs for every application, so this is the largest count of
// any rule.
func (c *policyCounts) evaluated() (n int64) {
	for _, r := range c.rules {
		n = max(n, r.Evaluated)
	}
	return n
}

// counted returns the number of decisions whose outcomes were counted.
func (c *policyCounts) counted() (n int64) {
	for _, o := range c.outcomes {
		n += o.Count
	}
	return n
}

// of returns the number of decisions for whose outcome the function want returns true.
func (c *policyCounts) of(want func(policydesk.OutcomeCount) bool) (n int64) {
	for _, o := range c.outcomes {
		if want(o) {
			n += o.Count
		}
	}
	return n
}

// flowOf draws a policy: the parts that an application passes, their order, and how often each part had an effect. edit
// is the address of the editor, or "" if the boxes link to the sections of the same page.
func flowOf(t *policyText, c *policyCounts, edit string) chart.Flow {
	f := chart.Flow{
		Head: chart.Head{
			ID:          "flow",
			Title:       "What happens to an application",
			Description: flowText(c),
		},
		Begin: float64(max(c.evaluated(), c.counted())),
		Noun:  "in " + itoa(c.Days) + " days",
		Ends: []chart.End{
			{Name: "Approved", Tone: chart.Approved, Value: c.status("APPROVED")},
			{Name: "Referred", Tone: chart.Referred, Value: c.status("REFERRED")},
			{Name: "Declined", Tone: chart.Declined, Value: c.status("DECLINED")},
		},
	}
	first, second := rulesOfStage(t.Knockouts, false), rulesOfStage(t.Knockouts, true)
	f.Stages = []chart.Stage{
		ruleStage("Knockouts", first, "#at-knockouts"),
		{
			Label: "Score",
			Note:  plural(len(t.Factors), "factor", "factors"),
			Lines: append([]string{plural(len(t.Adjustments), "adjustment", "adjustments")}, applied(t.Adjustments)...),
			Link:  "#at-scorecard",
			Alarm: alarm(t, "/scorecard", "/adjustments"),
		},
		gradeStage(t, c),
		{
			Label: "Offer",
			Note:  plural(len(t.Caps), "limit cap", "limit caps"),
			Lines: []string{
				plural(len(t.Charges), "charge", "charges"), plural(len(t.Terms), "condition", "conditions"),
			},
			Link:  "#at-limit_caps",
			Alarm: alarm(t, "/"+sectionCaps, "/charges", "/conditions"),
		},
		ruleStage("Stage 2", second, "#at-knockouts"),
	}
	f.Stages[0].Alarm = alarm(t, "/knockouts")
	for i := range f.Stages {
		if edit != "" {
			f.Stages[i].Link = edit + f.Stages[i].Link
		}
	}
	return f
}

// flowText returns a text about what the numbers of the picture count.
func flowText(c *policyCounts) string {
	if c.evaluated() == 0 && c.counted() == 0 {
		return "This version decided nothing in the last " + itoa(c.Days) + " days."
	}
	text := "Every rule runs for every application, so one application can hit several."
	if n := c.counted(); n >= policydesk.MaxOutcomes {
		text += " Outcomes and grades are those of the latest " + grouped(strconv.FormatInt(n, 10)) + "."
	}
	return text
}

func (c *policyCounts) status(name string) float64 {
	return float64(c.of(func(o policydesk.OutcomeCount) bool { return o.Status == name }))
}

// rulesOfStage returns the knockouts of stage 2 if second is set, and those of stage 1 otherwise.
func rulesOfStage(all []ruleLine, second bool) (list []ruleLine) {
	for i := range all {
		if (all[i].Stage == "2") == second {
			list = append(list, all[i])
		}
	}
	return list
}

// ruleStage returns the box of a stage of knockouts, with the rules that hit most often.
func ruleStage(label string, rules []ruleLine, link string) chart.Stage {
	s := chart.Stage{Label: label, Note: plural(len(rules), "rule", "rules"), Link: link}
	hits := map[string]int64{}
	most := slices.Clone(rules)
	slices.SortStableFunc(most, func(a, b ruleLine) int { return int(b.hits() - a.hits()) })
	for i := range most {
		if n := most[i].hits(); n > 0 {
			hits[most[i].Action] += n
			s.Lines = append(s.Lines, grouped(strconv.FormatInt(n, 10))+" "+most[i].ID)
		}
	}
	for _, e := range []struct{ action, one, many string }{
		{"decline", "hit declines", "hits decline"}, {"refer", "hit refers", "hits refer"},
	} {
		if n := hits[e.action]; n > 0 {
			s.Exits = append(s.Exits, plural(int(n), e.one, e.many))
		}
	}
	return s
}

// hits returns how often a rule hit.
func (l *ruleLine) hits() int64 {
	if l.Stats == nil {
		return 0
	}
	return l.Stats.Hit
}

// applied returns a label with the number of times that adjustments applied, or nil if none did.
func applied(rules []ruleLine) []string {
	n := int64(0)
	for i := range rules {
		n += rules[i].hits()
	}
	if n == 0 {
		return nil
	}
	return []string{grouped(strconv.FormatInt(n, 10)) + " applied"}
}

// gradeStage returns the box of the pricing bands, with the most frequent grades and the applications whose grade is
// not approved.
func gradeStage(t *policyText, c *policyCounts) chart.Stage {
	s := chart.Stage{
		Label: "Grades, prices",
		Note:  plural(len(t.Bands), "band", "bands"),
		Link:  "#at-pricing_bands",
		Alarm: alarm(t, "/pricing_bands"),
	}
	actions := map[string]string{}
	for i := range t.Bands {
		actions[t.Bands[i].Grade] = t.Bands[i].Action
	}
	for _, action := range []string{"decline", "refer"} {
		n := c.of(func(o policydesk.OutcomeCount) bool { return actions[o.Grade] == action })
		if n > 0 {
			s.Exits = append(s.Exits, grouped(strconv.FormatInt(n, 10))+" graded "+action)
		}
	}
	var grades []string
	seen := map[string]bool{}
	for i := range t.Bands {
		grade := t.Bands[i].Grade
		n := c.of(func(o policydesk.OutcomeCount) bool { return o.Grade == grade })
		if n > 0 && !seen[grade] && t.Bands[i].Action == "approve" {
			grades = append(grades, grade+" "+grouped(strconv.FormatInt(n, 10)))
		}
		seen[grade] = true
	}
	for pair := range slices.Chunk(grades, 3) {
		line := ""
		for i, g := range pair {
			if i > 0 {
				line += ", "
			}
			line += g
		}
		s.Lines = append(s.Lines, line)
	}
	return s
}

// alarm returns the number of faults and errors in parts of the document, "" if there are none.
func alarm(t *policyText, pointers ...string) string {
	n := 0
	for i := range t.Remarks {
		m := &t.Remarks[i]
		if m.Label != faultLabel && m.Label != "Error" {
			continue
		}
		for _, p := range pointers {
			if m.about(p) {
				n++
			}
		}
	}
	if n == 0 {
		return ""
	}
	return plural(n, "error", "errors")
}
