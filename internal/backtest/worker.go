package backtest

import (
	"verdict/internal/application"
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/sheet"
)

// Worker decides rows, with the memory for it that one goroutine uses over and
// over: a row allocates nothing.
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

	check func() error // nil: never interrupted
	err   error        // of check: what was gathered is not whole
	since int          // engine steps since the last check
	steps int          // that deciding a row takes

	out         *sheet.Writer // nil: rows are not written
	swappedOnly bool
	line        []byte
}

// row is one application with what the backtest knows of it besides the facts.
type row struct {
	number int64
	id     []byte
	label  label
	weight int64
	month  int64 // in which it went bad, 0 unknown
	group  []byte
	actual int // noStatus unless it is known
}

// NewWorker makes a worker.
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
	}
	w.partial = r.newPartial()
	return w
}

// newPartial makes a partial with room for everything that the run counts.
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

// Take hands over what was gathered and starts anew.
func (w *Worker) Take() *Partial {
	p := w.partial
	w.partial = w.run.newPartial()
	return p
}

// Check has check called many times in a millisecond of work. Its error ends
// Block and Facts, and Err returns it: what was gathered is not whole then.
func (w *Worker) Check(check func() error) { w.check = check }

// Err returns the error of the check that ended the work, nil for none.
func (w *Worker) Err() error { return w.err }

// stepsBetweenChecks is some hundred microseconds of deciding.
const stepsBetweenChecks = 20_000

// rowSteps is what reading a row costs, in engine steps.
const rowSteps = 200

// over counts steps that are about to be taken and reports whether the work has
// to end.
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

// Block decides every row of a block.
func (w *Worker) Block(b sheet.Block) {
	w.cursor.Reset(b.Data)
	for number := b.First; w.cursor.Next(); number++ {
		if w.over(rowSteps + w.steps) {
			return
		}
		cells := w.cursor.Cells()
		if cells == nil {
			w.fail(RowError{Row: number, Code: w.cursor.Fault()}, nil)
			continue
		}
		w.cells(number, cells)
	}
	for note, count := range w.reader.Notes() {
		w.partial.noteRead(cellRead{note.Field, note.Code, count})
	}
}

// cells decides one row.
func (w *Worker) cells(number int64, cells [][]byte) {
	r := row{number: number, weight: weightUnit, actual: noStatus}
	at, header := &w.run.at, w.run.setup.Header
	if at.id >= 0 {
		r.id = cells[at.id]
	}
	if name, code := w.reader.Read(cells, w.facts); code != "" {
		w.fail(RowError{number, name, code}, r.id)
		return
	}
	var code string
	column := -1
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
		w.fail(RowError{number, header[column], code}, r.id)
		return
	}
	if at.protected >= 0 {
		r.group = trimmed(cells[at.protected])
	}
	if w.run.setup.PercentFOIR {
		w.partial.foirMost = max(w.partial.foirMost, int64(w.facts.Get("foir").Number()))
	}
	w.decide(&r, readings{w.facts, w.facts})
}

// Facts decides an application from its facts, as a stored decision has them;
// actual is what was decided then, "" when nothing was. challenger are the facts
// as the challenger reads them: the same, unless its semantics measures features
// by another catalogue.
func (w *Worker) Facts(number int64, id string, champion, challenger *rule.Facts, actual string) {
	if w.over(rowSteps + w.steps) {
		return
	}
	r := row{number: number, id: []byte(id), weight: weightUnit}
	var code string
	if r.actual, code = readStatus([]byte(actual), w.text[:0]); code != "" {
		w.fail(RowError{number, "actual_status", code}, r.id)
		return
	}
	w.decide(&r, readings{champion, challenger})
}

// readings are the facts of one application as each policy reads them.
type readings struct{ champion, challenger *rule.Facts }

// of are the facts for a policy that is made of both: those of the policy whose
// semantics it has.
func (f readings) of(plan, champion *engine.Plan) *rule.Facts {
	if plan.Policy().Semantics == champion.Policy().Semantics {
		return f.champion
	}
	return f.challenger
}

func (w *Worker) fail(e RowError, id []byte) {
	w.partial.fail(e)
	w.writeFailed(e, id)
}

// decide has both policies decide, and counts what they did.
func (w *Worker) decide(r *row, facts readings) {
	p, d := w.partial, &w.champion.decision
	p.evaluated++
	p.total[r.label].add(r.weight)
	w.champion.decide(&p.champion, r, facts.champion)
	w.noteColumns(r, d.Status)
	swapped := false
	if w.run.challenger != nil {
		w.challenger.decide(&p.challenger, r, facts.challenger)
		if swapped = w.compare(r); swapped {
			w.attribute(r, facts)
		}
	}
	w.writeDecided(r, swapped)
}

// noteColumns counts what the columns besides the outcome say.
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
