package console

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"verdict/internal/backtest"
	"verdict/internal/civil"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/policydesk"
	"verdict/internal/rule"
	"verdict/internal/study"
	"verdict/internal/tenant"
)

// changePages serves the page that shows for which applicants the decision changes if a version is activated. It
// compares the version with the active version for all possible applicants, and counts the applications of each kind of
// applicant.
type changePages struct {
	comparisons *study.Comparisons
	versions    policyVersions
	now         func() time.Time
}

func (p *changePages) routes() []page {
	return []page{{pattern: "GET /console/{env}/policies/{id}/change", handle: p.change, scope: tenant.Read}}
}

// onNothing is the value of the field "on" if no applications are to be counted.
const onNothing = "nothing"

// changeDays is the default number of days whose decisions are counted.
const changeDays = 30

// changeView is the data of the page.
type changeView struct {
	*version
	Filters  *form
	On       string // what was counted; "" if nothing was compared yet
	Waiting  bool   // whether the comparison is running
	Failed   string // why the comparison ended without a result; "" if it did not fail
	Unlisted bool   // whether applications were not counted because a list or a table is missing
	Summary  string // a sentence about the kinds of applicants
	Equal    bool
	Complete bool
	Why      []string // why the comparison is not complete
	Kinds    []kindRow
	Worse    int // number of kinds of applicants that are treated worse
	Better   int
	Mixed    int
	Cells    string
	Counted  *countedView // nil if nothing was counted
}

// countedView says how many applications were counted.
type countedView struct {
	Summary  string
	Of       int64
	Erased   int64
	Failed   int64 // applications that could not be counted, without those in Erased
	Complete bool
	Warnings []backtest.Warning
}

// kindRow is one kind of applicant that the versions treat differently.
type kindRow struct {
	From, To    kindSide
	Direction   string // "better", "worse" or "mixed"
	Differs     []string
	Where, More []whereRow // Where has the first constraints; More has the rest
	Causes      []causeRow
	Rows        int64
	Confirmed   bool
	Request     string // a request body that gives this change; "" if there is none
	Facts       string // the facts of the applicant, if there is no request body
}

// kindSide is what one version decides for the applicants of a kind.
type kindSide struct{ Status, Grade, Rate, Limit string }

// whereRow says what the applicants of a kind have in common in one field.
type whereRow struct {
	Field, Is string
	caused    bool // whether a policy entry that causes the different decisions reads this field
}

// causeRow is a changed entry that causes a change.
type causeRow struct{ Section, ID string }

// Refuted returns the guarantees of the version that do not hold. If there are any, the version cannot be activated.
func (c *changeView) Refuted() []guaranteeLine { return c.guarantees("refuted") }

// Undecided returns the guarantees of the version that are neither proved nor refuted.
func (c *changeView) Undecided() []guaranteeLine { return c.guarantees("undecided") }

// guarantees returns the guarantees of the version whose proofs have the given result.
func (c *changeView) guarantees(result string) (list []guaranteeLine) {
	for i := range c.Set.Proofs {
		if p := &c.Set.Proofs[i]; string(p.Standing) == result {
			list = append(list, guaranteeLine{ID: p.ID, Text: p.Text, Sentence: p.Sentence()})
		}
	}
	return list
}

// change renders the form, and the comparison if the address asks for it.
func (p *changePages) change(v *visit) error {
	found, err := p.versions.find(v)
	if err != nil {
		return err
	}
	view := &changeView{version: found, Filters: changeFilters(v), On: v.query("on")}
	title := "What changes with " + found.Set.Name
	if view.On == "" || found.Active == nil || found.Decides() {
		view.On = ""
		return v.render("policy_change", title, view)
	}
	request, err := p.request(view)
	if err != nil {
		view.On, v.status = "", http.StatusUnprocessableEntity
		v.form.Faults = fault.Of(err).Items
		view.Filters = changeFilters(v)
		return v.render("policy_change", title, view)
	}
	waiting := *view
	waiting.Waiting = true
	slow := &slowPage{visit: v, name: "policy_change", title: title, waiting: &waiting}
	request.Progress = func(at study.Progress) { slow.step(progressText(at), at.Done, at.All) }
	d, err := p.comparisons.Diff(v.ctx, v.caller(), found.Set.ID, request)
	if code := fault.CodeOf(err); request.Population != nil &&
		(code == fault.CodeListMissing || code == fault.CodeTableMissing) {
		request.Population, view.Unlisted = nil, true
		d, err = p.comparisons.Diff(v.ctx, v.caller(), found.Set.ID, request)
	}
	if err != nil {
		return slow.fail(err, func(text string) any {
			view.Failed = text
			return view
		})
	}
	view.fill(&d)
	return slow.finish(view)
}

// changeFilters returns the form of the page with the values of the address, or else with the defaults.
func changeFilters(v *visit) *form {
	f := v.filters()
	for name, value := range map[string]string{"on": onDecisions, "days": itoa(changeDays)} {
		if !f.values.Has(name) {
			f.values.Set(name, value)
		}
	}
	return f
}

// request returns the comparison that the address asks for.
func (p *changePages) request(view *changeView) (study.DiffRequest, error) {
	var faults fault.List
	r := study.DiffRequest{}
	switch f := view.Filters; view.On {
	case onDecisions:
		days := wholeNumber(&faults, "/days", f.Value("days"), changeDays, 1, maxImpactDays)
		begins, err := time.ParseInLocation(time.DateOnly, tenant.BusinessDay(p.now().AddDate(0, 0, 1-days)),
			civil.India)
		if err != nil {
			return r, err
		}
		what := "applications of the last " + strconv.Itoa(days) + " days"
		if days == 1 {
			what = "applications of today"
		}
		r.Population = &study.Population{Replay: &study.Replay{From: begins.UTC()}, What: what}
	case onBook:
		book := study.DefaultBook()
		book.Rows = 5_000
		r.Population = &study.Population{Book: &book}
	case onNothing:
	default:
		faults.Add("/on", fault.CodeInvalidField, "choose what to count")
	}
	return r, faults.Err()
}

// progressText describes the progress of the comparison.
func progressText(at study.Progress) string {
	if !at.Counting {
		return "Comparing the versions for all applicants: field " + itoa(int(at.Done)) + " of " + itoa(int(at.All))
	}
	text, _ := count(at.Done) // count accepts every integer
	return "Counting applications: " + text + " so far"
}

// fill adds the result of the comparison.
func (c *changeView) fill(d *study.Difference) {
	c.Summary, c.Equal, c.Complete, c.Why = d.KindsSummary(), d.Equal, d.Complete, d.Incomplete
	if d.Cells > 0 {
		c.Cells, _ = count(d.Cells) // count accepts every integer
	}
	for i := range d.Classes {
		row := kindOf(d, i)
		switch row.Direction {
		case "worse":
			c.Worse++
		case "better":
			c.Better++
		default:
			c.Mixed++
		}
		c.Kinds = append(c.Kinds, row)
	}
	if d.Counted == nil {
		return
	}
	c.Counted = &countedView{
		Summary:  d.Population.Sentence(&d.Result),
		Of:       d.Population.Rows,
		Erased:   d.Counted.Erased,
		Failed:   d.Counted.Failed - d.Counted.Erased,
		Complete: d.Counted.Complete,
		Warnings: d.Counted.Warnings,
	}
	// Kinds without applications are listed last; otherwise the order of the comparison stays.
	slices.SortStableFunc(c.Kinds, func(a, b kindRow) int {
		switch {
		case (a.Rows == 0) == (b.Rows == 0):
			return 0
		case a.Rows > 0:
			return -1
		}
		return 1
	})
}

// kindOf returns the row for the i-th class of d.
func kindOf(d *study.Difference, i int) kindRow {
	k := &d.Classes[i]
	row := kindRow{
		From:      sideOf(k.From.Status, k.From.Grade, k.From.RateBP),
		To:        sideOf(k.To.Status, k.To.Grade, k.To.RateBP),
		Direction: string(k.Direction()),
		Confirmed: k.Confirmed,
	}
	if k.Bounded { // the limits of other classes are not known
		row.From.Limit, row.To.Limit = limitsOf(k.FromLimit), limitsOf(k.ToLimit)
	}
	for _, x := range []struct{ name, order string }{
		{"limit", k.Limit.String()}, {"tenure", k.Tenure.String()}, {"fee", k.Fee.String()},
	} {
		if x.order != "same" {
			row.Differs = append(row.Differs, x.order+" "+x.name)
		}
	}
	if k.Added != 0 {
		row.Differs = append(row.Differs, "more conditions")
	}
	if k.Removed != 0 {
		row.Differs = append(row.Differs, "fewer conditions")
	}
	first := fieldsOfCauses(d, k.Causes)
	for _, w := range k.Where {
		row.Where = append(row.Where, whereRow{words(w.Field), amountsOf(w.Field, w.Text), first[w.Field]})
	}
	slices.SortStableFunc(row.Where, func(a, b whereRow) int {
		switch {
		case a.caused == b.caused:
			return 0
		case a.caused:
			return -1
		}
		return 1
	})
	if len(row.Where) > maxWhere+1 { // hiding a single constraint would save no space
		row.Where, row.More = row.Where[:maxWhere], row.Where[maxWhere:]
	}
	for _, at := range k.Causes {
		row.Causes = append(row.Causes, causeRow{words(d.Changes[at].Section), d.Changes[at].ID})
	}
	if w := k.Witness; w != nil {
		row.Request = string(w.Request)
		var facts []string
		for _, f := range w.Facts {
			facts = append(facts, words(f.Name)+" "+amountText(f.Name, f.Value.String()))
		}
		row.Facts = strings.Join(facts, ", ")
	}
	if d.Population != nil {
		row.Rows = d.Population.ByClass[i]
	}
	return row
}

// fieldsOfCauses returns the fields that the changed entries read, in either version.
func fieldsOfCauses(d *study.Difference, causes []int) map[string]bool {
	names := map[string]bool{}
	note := func(c *rule.Condition) { c.Fields(func(ref rule.Ref) { names[ref.Name] = true }) }
	for _, at := range causes {
		id := d.Changes[at].ID
		for _, version := range []*policydesk.Policy{d.From, d.To} {
			p := version.Plan.Policy()
			for i := range p.Knockouts {
				if p.Knockouts[i].ID == id {
					note(&p.Knockouts[i].Condition)
				}
			}
			for i := range p.Adjustments {
				if p.Adjustments[i].ID == id {
					note(&p.Adjustments[i].Condition)
				}
			}
			for i := range p.Scorecard.Factors {
				if f := &p.Scorecard.Factors[i]; f.Name == id {
					names[f.Field.Name] = true
				}
			}
		}
	}
	return names
}

// maxWhere is the number of fields of a kind that are shown before the reader unfolds the rest.
const maxWhere = 4

// sideOf returns what one version decides for the applicants of a kind, without the limits.
func sideOf(status engine.Status, grade string, rateBP int64) kindSide {
	s := kindSide{Status: status.String()}
	if status != engine.Declined {
		s.Grade, s.Rate = grade, decimalText(rateBP, 2)+" %"
	}
	return s
}

// limitsOf returns the limits that the applicants of a kind can get.
func limitsOf(limit [2]rule.Number) string {
	least, most := paise(int64(limit[0]/rule.Paisa)), paise(int64(limit[1]/rule.Paisa))
	if least == most {
		return least
	}
	return least + " to " + most
}
