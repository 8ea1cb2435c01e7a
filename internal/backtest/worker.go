package backtest

import (
	"verdict/internal/application"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/sheet"
)

// Worker decides rows. It must be used by only one goroutine. It reuses its
// memory, so that deciding a row allocates nothing.
type Worker struct {
	run     *Run
	partial *Partial
	cursor  *sheet.Cursor
	reader  *application.RowReader
	facts   *rule.Facts
	labels  labeller
	text    [maxSpelling]byte

	champion   decider
	challenger decider
	hybrid     engine.Decision
	batch      rowBatch

	lookUp    LookUp             // nil if there are no lists and tables
	questions []rule.NamedLookup // lookups that the current row needs
	unknown   []rule.NamedLookup // lookups that the current row needs but that cannot be made
	tables    []rule.Table       // tables in which the current row must be looked up

	observe func(champion, challenger *engine.Decision) // nil unless Observe was called

	check func() error // nil if the work is never interrupted
	err   error        // error of check or lookUp; if it is set, the partial is incomplete
	since int          // engine steps since the last check
	steps int          // engine steps that one decision takes

	out         *sheet.Writer // nil if rows are not written
	swappedOnly bool
	line        []byte
}

// row has the data of one application that the backtest itself uses. It does not contain the facts.
type row struct {
	number int64
	id     []byte
	label  label
	weight int64
	month  int64 // month in which the loan went bad; 0 if unknown
	group  []byte
	actual int // decision made at the time of the application; noStatus if unknown
}

// NewWorker returns a worker with an empty partial.
func (r *Run) NewWorker() *Worker {
	w := &Worker{
		run: r, facts: rule.NewFacts(field.Catalogue()),
		champion: r.newDecider(r.champion), steps: r.champion.plan.Cost(),
	}
	w.labels.spellings = &r.outcomes
	if r.challenger != nil {
		w.challenger = r.newDecider(r.challenger)
		w.steps += r.challenger.plan.Cost()
	}
	if r.columns != nil {
		w.cursor, w.reader = sheet.NewCursor(len(r.setup.Header)), r.columns.Reader()
		w.batch = r.newRowBatch(w.facts)
		if w.batch.direct {
			w.reader.Bind(r.champion.plan.NumberSlot)
		}
	}
	w.partial = r.newPartial()
	return w
}

// newPartial returns a partial whose lists have the lengths that the run needs.
func (r *Run) newPartial() *Partial {
	p := NewPartial()
	p.numbering = r.numbering
	p.champion.grow(r.champion)
	if r.at.month >= 0 {
		p.vintage.months = make([]tally, maxMonth)
	}
	if r.challenger != nil {
		p.challenger.grow(r.challenger)
		p.swap.changeIn = make([]changeSum, len(r.changes))
		p.swap.changeOut = make([]changeSum, len(r.changes))
	}
	return p
}

func (s *sides) grow(by *side) {
	p := by.plan.Policy()
	s.grades = make([]gradeSum, len(by.grades))
	s.reasons = make([]reasonSum, len(by.codes))
	s.rules = make([]ruleSum, len(p.Knockouts)+len(p.Adjustments))
	s.soles = make([]soleSum, len(p.Knockouts))
}

// Take returns the partial of the rows decided since the last Take, and starts a
// new partial.
func (w *Worker) Take() *Partial {
	p := w.partial
	w.partial = w.run.newPartial()
	return p
}

// Check sets a function that the worker calls after every few hundred
// microseconds of work. If the function returns an error, Block and Facts stop,
// Err returns the error, and the partial is incomplete.
func (w *Worker) Check(check func() error) { w.check = check }

// Err returns the error that stopped the work, nil if there was none. It comes from the function that Check has set, or
// from a lookup.
func (w *Worker) Err() error { return w.err }

// Observe sets a function that is called with the decisions of both policies on each row. The run must have a
// challenger. The decisions are valid only during the call. The worker then does not compare the two
// decisions, does not attribute differences to changes of the policy, and writes no decided rows.
func (w *Worker) Observe(observe func(champion, challenger *engine.Decision)) { w.observe = observe }

// stepsBetweenChecks is the number of engine steps between two checks. These
// steps take some hundred microseconds.
const stepsBetweenChecks = 20_000

// rowSteps is the cost of reading a row, in engine steps.
const rowSteps = 200

// over adds the steps of the work that follows, and calls check if enough steps
// have been added. It reports whether the work must stop.
func (w *Worker) over(steps int) bool {
	if w.check == nil || w.err != nil {
		return w.err != nil
	}
	if w.since += steps; w.since >= stepsBetweenChecks {
		w.since = 0
		w.err = w.check()
	}
	return w.err != nil
}

// Block decides every row of a block. It stops early if the check fails; see
// Check.
func (w *Worker) Block(b sheet.Block) {
	w.cursor.ResetBlock(&b)
	w.batch.reset()
	for number := b.First; w.cursor.Next(); number++ {
		if w.over(rowSteps + w.steps) {
			return
		}
		cells := w.cursor.Cells()
		if cells == nil {
			w.fail(RowError{Row: number, Code: w.cursor.Fault(), Line: w.cursor.Line()}, nil)
			continue
		}
		w.cells(number, cells)
	}
	w.flush()
	for note, count := range w.reader.Notes() {
		w.partial.noteRead(cellRead{note.Field, note.Code, count})
	}
}

// cells reads one row and adds it to the batch of rows that are decided together.
func (w *Worker) cells(number int64, cells [][]byte) {
	r := row{number: number, weight: weightUnit, actual: noStatus}
	if at := w.run.at.id; at >= 0 {
		r.id = cells[at]
	}
	facts, frame := w.batch.next()
	if name, code := w.reader.ReadInto(cells, facts, frame); code != "" {
		w.fail(RowError{Row: number, Field: name, Code: code, Line: w.cursor.Line()}, r.id)
		return
	}
	if name, code := w.readOwn(&r, cells); code != "" {
		w.fail(RowError{Row: number, Field: name, Code: code, Line: w.cursor.Line()}, r.id)
		return
	}
	if w.run.setup.PercentFOIR {
		w.partial.foirMost = max(w.partial.foirMost, int64(facts.Get("foir").Number()))
	}
	if w.run.looksUp() && !w.answer(facts, false) {
		return
	}
	if w.assumeNamed(facts) {
		w.noteOwn()
	}
	if w.batch.add(&r, facts) {
		w.flush()
	}
}

// readOwn reads the columns that the backtest itself uses, except the id. It returns the name of an invalid column and
// a code, or "" for both.
func (w *Worker) readOwn(r *row, cells [][]byte) (name, code string) {
	at, column := &w.run.at, -1
	if at.outcome >= 0 {
		if r.label, code = w.labels.read(cells[at.outcome]); code != "" {
			column = at.outcome
		}
	}
	if at.weight >= 0 && column < 0 {
		if r.weight, code = readWeight(cells[at.weight]); code != "" {
			column = at.weight
		}
	}
	if at.status >= 0 && column < 0 {
		if r.actual, code = readStatus(cells[at.status], w.text[:0]); code != "" {
			column = at.status
		}
	}
	if at.month >= 0 && column < 0 {
		if r.month, code = readMonth(cells[at.month]); code != "" {
			column = at.month
		}
	}
	if column >= 0 {
		return w.run.setup.Header[column], code
	}
	if at.protected >= 0 {
		r.group = trimmed(cells[at.protected])
	}
	return "", ""
}

// Facts decides an application from the facts of a stored decision. actual is the status that was decided at
// the time of the application, or "" if there is none. champion and challenger are the facts as each policy
// reads them. They are the same unless the challenger's semantics compute features by another catalogue.
func (w *Worker) Facts(number int64, id string, champion, challenger *rule.Facts, actual string) {
	if w.over(rowSteps + w.steps) {
		return
	}
	r := row{number: number, id: []byte(id), weight: weightUnit}
	var code string
	if r.actual, code = readStatus([]byte(actual), w.text[:0]); code != "" {
		w.fail(RowError{Row: number, Field: "actual_status", Code: code}, r.id)
		return
	}
	if w.run.looksUp() {
		if !w.answer(champion, true) || challenger != champion && !w.answerOnly(challenger) {
			return
		}
	}
	if w.assumeNamed(champion) {
		w.noteOwn()
	}
	if challenger != champion {
		w.assumeNamed(challenger)
	}
	w.decide(&r, factsByPolicy{champion, challenger})
}

// Erased counts a row that could not be evaluated: a stored decision whose facts were erased together with the
// applicant.
func (w *Worker) Erased(number int64, id string) {
	w.fail(RowError{Row: number, Code: fault.CodeErased}, []byte(id))
}

// factsByPolicy has the facts of one application as each policy reads them.
type factsByPolicy struct{ champion, challenger *rule.Facts }

// of returns the facts for a hybrid of the two policies. They are the facts of
// the policy that has the same semantics as the hybrid.
func (f factsByPolicy) of(plan, champion *engine.Plan) *rule.Facts {
	if plan.Policy().Semantics == champion.Policy().Semantics {
		return f.champion
	}
	return f.challenger
}

func (w *Worker) fail(e RowError, id []byte) {
	if w.out != nil {
		w.flush() // the earlier rows must be written first
	}
	w.partial.fail(e)
	w.writeFailed(e, id)
}

// decide decides a row with the champion and, if there is one, with the
// challenger, and counts the results.
func (w *Worker) decide(r *row, facts factsByPolicy) {
	w.champion.side.plan.Decide(facts.champion, &w.champion.decision)
	if w.run.challenger != nil {
		w.challenger.side.plan.Decide(facts.challenger, &w.challenger.decision)
	}
	w.count(r, facts)
}

// count counts the decisions of both policies on a row.
func (w *Worker) count(r *row, facts factsByPolicy) {
	p, d := w.partial, &w.champion.decision
	p.evaluated++
	p.total[r.label].add(r.weight)
	w.champion.count(&p.champion, r)
	w.noteColumns(r, d.Status)
	swapped := false
	if w.run.challenger != nil {
		w.challenger.count(&p.challenger, r)
		if w.observe != nil {
			w.observe(d, &w.challenger.decision)
			return
		}
		if swapped = w.compare(r); swapped {
			w.attribute(r, facts)
		}
	}
	w.writeDecided(r, swapped)
}

// noteColumns counts the month, the decision made at the time of the application, and the protected group of a
// row.
func (w *Worker) noteColumns(r *row, status engine.Status) {
	p := w.partial
	if w.run.at.month >= 0 {
		p.vintage.last = max(p.vintage.last, r.month)
		switch {
		case status != engine.Approved || r.label != bad:
		case r.month == 0:
			p.vintage.noMonth.add(r.weight)
		default:
			p.vintage.months[r.month-1].add(r.weight)
		}
	}
	if r.actual != noStatus {
		p.actual[3*r.actual+int(status)].add(r.weight)
	}
	if w.run.at.protected < 0 {
		return
	}
	if g := p.groups.at(r.group); g != nil {
		if status == engine.Approved {
			g.approved[r.label].add(r.weight)
		} else {
			g.others[r.label].add(r.weight)
		}
	}
}
