package document

import (
	"time"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/study"
	"verdict/internal/wire"
)

// ReadComparison reads the options of a comparison of two versions. The body may be missing.
func ReadComparison(body wire.Value, now time.Time) (r study.DiffRequest, err error) {
	if !body.Given() {
		return r, nil
	}
	var faults fault.List
	f := wire.NewForm(body, &faults)
	r.Against = chosen(&f, "against")
	if v := f.Get("population"); v.Given() {
		r.Population = readPopulation(v, &faults, now)
	}
	f.Done()
	return r, faults.Err()
}

// readPopulation reads which applications a comparison counts.
func readPopulation(v wire.Value, faults *fault.List, now time.Time) *study.Population {
	p := &study.Population{}
	f := wire.NewForm(v, faults)
	if decisions := f.Get("decisions"); decisions.Given() {
		which := wire.NewForm(decisions, faults)
		p.Replay = &study.Replay{From: readBound(&which, "from"), To: readBound(&which, "to")}
		which.Require("from", "the time of the first decision, such as 2026-11-01T00:00:00Z")
		if !p.Replay.From.IsZero() && p.Replay.Empty(now) {
			which.Fail("from", fault.CodeOutOfRange, "must be before \"to\", and in the past")
		}
		which.Done()
	}
	if synthetic := f.Get("synthetic"); synthetic.Given() {
		form := wire.NewForm(synthetic, faults)
		book := study.DefaultBook()
		readBookSize(&form, &book, study.MaxPopulation)
		p.Book = &book
		form.Done()
	}
	f.Done()
	if (p.Replay == nil) == (p.Book == nil) {
		faults.Add(v.Pointer(), fault.CodeInvalidField, `must have exactly one of "decisions" and "synthetic"`)
	}
	return p
}

// WriteDifference writes the difference of two versions.
func WriteDifference(w *wire.Writer, d study.Difference) {
	w.Object().Key("rule_set_id").String(d.ToID).Key("against_rule_set_id").String(d.FromID)
	d.WriteMembers(w)
	if d.Counted != nil {
		writeCounted(w, &d)
	}
	w.EndObject()
}

// writeCounted writes how many applications of the population are treated differently.
func writeCounted(w *wire.Writer, d *study.Difference) {
	c, t := d.Counted, d.Population.Tally(&d.Result)
	w.Key("population").Object().Key("rows").Int(t.All).Key("of").Int(d.Population.Rows)
	w.Key("worse").Int(t.Worse).Key("better").Int(t.Better).Key("mixed").Int(t.Mixed)
	w.Key("unlisted").Int(d.Population.Unlisted).Key("declined_instead_of_approved").Int(t.Declined)
	w.Key("complete").Bool(c.Complete).Key("erased").Int(c.Erased).Key("not_counted").Int(c.Failed)
	if c.Book != nil {
		w.Key("synthetic").Object().Key("n").Int(c.Book.Rows).Key("seed").Int(int64(c.Book.Seed)).EndObject()
	} else {
		w.Key("decisions").Object().Key("from").String(operation.Clock(operation.Micros(c.From)))
		w.Key("to").String(operation.Clock(operation.Micros(c.To))).EndObject()
	}
	if len(c.Warnings) > 0 {
		w.Key("warnings").Array()
		for _, x := range c.Warnings {
			x.Write(w)
		}
		w.EndArray()
	}
	w.EndObject()
}
