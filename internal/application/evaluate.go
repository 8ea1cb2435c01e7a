package application

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/report"
	"verdict/internal/rule"
	"verdict/internal/signal"
	"verdict/internal/wire"
)

// ReadEvaluate reads a body of POST /v1/evaluate.
func ReadEvaluate(v wire.Value, opt Options) (*Application, error) {
	r := newReader(Evaluate, opt)
	r.app.AsOf = opt.Today
	switch {
	case !r.object(v):
	case isDecision(v):
		r.faults.Add("/report", fault.CodeWrongEndpoint,
			"is required here, but this is the body of a decision request: send it to POST /v1/decisions")
	default:
		r.topLevel(v, evaluateMembers...)
		if hasPeople(v) {
			peopleReader{r}.read(v, r.primaryEvaluate)
		} else {
			if body, ok := r.report(v); ok {
				r.bureauReport(body)
			}
			r.applicant(v.Get("applicant"))
		}
		r.blocks(v)
	}
	return r.done()
}

// evaluateMembers are the top-level names of an evaluate request.
var evaluateMembers = []string{
	"bureau", "report", "applicant", "features", "device", "location", "fraud", "bank_summary", memberApplicants,
}

// isDecision reports whether a body has the members of a decision request.
func isDecision(v wire.Value) bool {
	return !v.Get("report").Given() &&
		(v.Get("bureau_report").Given() || v.Get("applicant").Given() && !v.Get("bureau").Given())
}

// applicant reads the applicant block of an evaluate request: the caller's id and
// the inputs that the policy declares. Income, FOIR and similar figures are read
// only from the report, in its units. If the block could also contain them, it
// would be unclear which value counts.
func (r *reader) applicant(v wire.Value) {
	if v.Given() && r.object(v) {
		r.walk(evaluateApplicant(), v, "applicant")
		r.app.ApplicantID = r.app.Facts.Get("applicant.id").Text()
	}
}

// evaluateApplicant returns the node of the members that applicant may have in an
// evaluate request.
var evaluateApplicant = sync.OnceValue(func() *node {
	n := &node{path: "applicant", children: map[string]*node{"id": roots()["applicant"].children["id"]}}
	n.name()
	return n
})

// blocks reads the blocks that may accompany the report.
func (r *reader) blocks(v wire.Value) {
	r.features(v.Get("features"))
	for _, name := range []string{"device", "location", "fraud", "bank_summary"} {
		r.block(v, name)
	}
	if summary := v.Get("bank_summary"); summary.Kind() == wire.Object {
		r.bank(summary)
	}
	r.places(v)
	if r.app.MeasuresFeatures {
		warnLater(r.app, &r.warnings)
	}
}

// bureauReport reads a report: the members of the common shape, the score, the
// history, and the facts derived from the history.
func (r *reader) bureauReport(body wire.Value) {
	r.quiet = report.Native(r.app.Bureau, body)
	r.walk(roots()["report"], body, "report")
	r.quiet = false
	r.reportedScore(body)
	today := r.opt.Today
	if today == 0 {
		today = farAway // so that no date is in the future
	}
	before := len(r.warnings.Items())
	report.Misspelt(r.app.Bureau, body, meant, &r.warnings)
	h := report.ReadBureau(r.app.Bureau, body, today, &r.faults, &r.warnings)
	r.suggest.hintEntries(before)
	if h == nil {
		return
	}
	r.app.History = h
	if h.Reported.Known() {
		r.app.AsOf = h.Reported
	}
	if day, ok := r.day(body.Pointer()); ok {
		signal.Bureau(h, day, r.derived)
	}
}

// meant returns the known name that a misspelt name probably stands for, or "".
func meant(name string, known []string) string {
	near, _ := fault.Suggest(name, known, false)
	return near
}

// farAway replaces the day of the request if it is unknown. Every date is before
// it.
const farAway civil.Day = 1 << 30

// bank reads a bank statement and derives facts from it.
func (r *reader) bank(summary wire.Value) {
	r.app.hasBank = true
	today := r.opt.Today
	if today == 0 {
		today = farAway
	}
	before := len(r.warnings.Items())
	s := report.ReadStatement(summary, today, &r.faults, &r.warnings)
	r.suggest.hintEntries(before)
	r.app.Statement = s
	day := civil.NoDay
	if s != nil {
		var ok bool
		if day, ok = r.day(summary.Pointer()); !ok {
			s = nil // the stated figures of the summary need no day
		}
	}
	signal.Bank(summary, s, day, r.derived)
}

// day returns the day from which ages and time windows are counted: the day of the
// request, otherwise the day of the report. If both are unknown, it warns and
// returns false.
func (r *reader) day(pointer string) (civil.Day, bool) {
	switch {
	case r.opt.Today != 0:
		return r.opt.Today, true
	case r.app.History != nil && r.app.History.Reported.Known():
		return r.app.History.Reported, true
	}
	r.warnings.Add(pointer, fault.CodeNotRead,
		"has dates, but the day of the decision is unknown and the report has no date; "+
			"facts that count from that day are absent")
	return civil.NoDay, false
}

// derived adds a computed fact, unless the request gave it.
func (r *reader) derived(name string, v rule.Value) {
	if r.app.Facts.Get(name).Type() == rule.Absent {
		r.app.Facts.Set(name, v)
	}
}

// features reads the member "features", with which a request asks for features.
func (r *reader) features(v wire.Value) {
	if v.Given() && v.Kind() != wire.Bool {
		r.faults.Add(v.Pointer(), fault.CodeWrongType, "must be true or false, but is %s", v.Kind())
	}
	r.app.WantsFeatures = v.IsTrue()
	r.app.MeasuresFeatures = r.app.WantsFeatures || r.opt.FeaturesAuto
}

// reportedScore reads the score of the common shape or, if there is none, the score
// in the bureau's own layout.
func (r *reader) reportedScore(body wire.Value) {
	const raw = "report.scoreData.score"
	own := report.Score(r.app.Bureau, body)
	if body.Get("scoreData").Get("score").Given() || !own.Given() {
		number, ok := report.ScoreNumber(own)
		sent := r.app.Facts.Get(raw)
		if own.Given() && sent.Type() != rule.Absent && (!ok || sent.Number() != rule.Int(number)) {
			r.warnings.Add(own.Pointer(), fault.CodeSentTwice,
				"differs from scoreData.score, which was read; send only one of the two")
		}
		r.score(body, "scoreData", body.Pointer()+"/scoreData", raw)
		return
	}
	number, ok := report.ScoreNumber(own)
	if !ok {
		r.faults.Add(own.Pointer(), fault.CodeOutOfRange, "must be %s", scoreText)
		return
	}
	r.app.Facts.Set(raw, rule.Num(rule.Int(number)))
	r.scored(own, rule.Num(rule.Int(number)))
}

// knownBureaus maps the names and aliases of bureaus with a known layout to the
// canonical name.
var knownBureaus = map[string]string{
	"cibil": "cibil", "transunion": "cibil", "experian": "experian", "equifax": "equifax",
	"crif": "crif", "crif_highmark": "crif",
}

// report returns the report in the body, and checks that its key is the named
// bureau. If the key is wrong, it still returns the report, so that faults inside
// the report are found.
func (r *reader) report(v wire.Value) (wire.Value, bool) {
	bureau, named := r.bureau(v)
	outer := v.Get("report")
	if !outer.Given() {
		text := "an object with one key, the bureau's name"
		if isFlatReport(r.app.Bureau, v) {
			text += `; the report's members are beside it and belong inside: {"report":{"<bureau>":{…}}}`
		}
		r.faults.AddItem(wire.Required(v, "report", v.Pointer()+"/report", text))
		return wire.Value{}, false
	}
	if !r.object(outer) {
		return wire.Value{}, false
	}
	var key string
	var body wire.Value
	given := 0
	for name, member := range outer.Members() {
		if member.Given() {
			given++
			key, body = name, member
		}
	}
	if (!named || !outer.Get(bureau).Given()) && isFlatReport(r.app.Bureau, outer) {
		r.faults.Add(outer.Pointer(), fault.CodeReportMustHaveOneKey,
			`must have exactly one key, the bureau's name; the report's members are directly in it and belong `+
				`one level deeper: {"report":{"<bureau>":{…}}}`)
		return wire.Value{}, false
	}
	if given != 1 {
		r.faults.Add(outer.Pointer(), fault.CodeReportMustHaveOneKey, "must have exactly one key, the bureau's name")
		return wire.Value{}, false
	}
	if named && key != bureau {
		text := `must have the value of "bureau" as its key, as in {"bureau":"cibil","report":{"cibil":{…}}}`
		if strings.EqualFold(key, bureau) {
			text += "; the two differ only in upper and lower case: make them equal"
		}
		r.faults.Add(outer.Pointer(), fault.CodeBureauReportMismatch, "%s", text)
	}
	return body, r.object(body)
}

// isFlatReport reports whether an object has the members of a report itself, in
// the common shape or in the bureau's own layout.
func isFlatReport(bureau string, v wire.Value) bool {
	n := roots()["report"]
	for name, member := range v.Members() {
		if member.Given() && n.has(name) {
			return true
		}
	}
	return report.Native(bureau, v)
}

// bureau returns the bureau's name as it was sent, and stores its canonical
// spelling as a fact.
func (r *reader) bureau(body wire.Value) (name string, ok bool) {
	v := body.Get("bureau")
	if !v.Given() {
		r.faults.AddItem(
			wire.Required(body, "bureau", body.Pointer()+"/bureau", "the name of the bureau whose report is sent"))
		return "", false
	}
	if name, ok = r.key(v); !ok {
		return "", false
	}
	canonical, known := knownBureaus[strings.ToLower(name)]
	if !known {
		canonical = name
		r.unknownBureau(v, name)
	}
	r.app.Bureau = canonical
	r.app.Facts.Set("bureau", rule.Str(canonical))
	return name, true
}

// unknownBureau warns that the layout of a bureau is not known, and lists the known
// bureaus.
func (r *reader) unknownBureau(v wire.Value, name string) {
	names := slices.Sorted(maps.Keys(knownBureaus))
	item := fault.Item{
		Pointer: v.Pointer(), Code: fault.CodeUnknownBureau, Nearest: meant(strings.ToLower(name), names),
		Detail: "is not a bureau whose own layout is known (" + strings.Join(names, ", ") +
			"); the report was read in the common shape",
	}
	if item.Nearest != "" {
		item.Detail += "; did you mean " + item.Nearest + "?"
	}
	r.warnings.AddItem(item)
}
