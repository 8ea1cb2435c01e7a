package prover

import (
	"fmt"
	"slices"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Write writes the result as JSON.
func (r *Result) Write(w *wire.Writer) {
	w.Object()
	r.WriteMembers(w)
	w.EndObject()
}

// WriteMembers writes the members of the result's JSON object, so that a caller can add others.
func (r *Result) WriteMembers(w *wire.Writer) {
	w.Key("equal").Bool(r.Equal).Key("complete").Bool(r.Complete)
	if len(r.Incomplete) > 0 {
		w.Key("incomplete").Strings(r.Incomplete)
	}
	w.Key("summary").String(r.Summary())
	w.Key("cells").Int(r.Cells).Key("states").Int(int64(r.States)).Key("prover_version").Int(Version)
	w.Key("changes").Array()
	for _, c := range r.Changes {
		c.Write(w)
	}
	w.EndArray().Key("classes").Array()
	for i := range r.Classes {
		r.writeClass(w, i)
	}
	w.EndArray()
	r.writeGuarantees(w)
}

func (r *Result) writeClass(w *wire.Writer, at int) {
	c := &r.Classes[at]
	w.Object()
	c.writeOutcome(w, "from", &c.From, c.FromLimit)
	c.writeOutcome(w, "to", &c.To, c.ToLimit)
	w.Key("direction").String(string(c.Direction()))
	if c.From.Status != engine.Declined && c.To.Status != engine.Declined {
		w.Key("limit").String(c.Limit.String()).Key("tenure").String(c.Tenure.String())
		w.Key("fee").String(c.Fee.String())
	}
	if c.Added != 0 {
		w.Key("conditions_added").Strings(r.termsOf(c.Added))
	}
	if c.Removed != 0 {
		w.Key("conditions_removed").Strings(r.termsOf(c.Removed))
	}
	w.Key("where").Array()
	for _, x := range c.Where {
		w.Object().Key("field").String(x.Field).Key("is").String(x.Text).EndObject()
	}
	w.EndArray().Key("caused_by").Array()
	for _, i := range c.Causes {
		w.Object().Key("section").String(r.Changes[i].Section)
		w.Optional("id", r.Changes[i].ID)
		w.EndObject()
	}
	w.EndArray().Key("confirmed").Bool(c.Confirmed)
	w.Key("realisable").Bool(c.Confirmed && c.Witness.Request != nil)
	if c.Witness != nil {
		writeWitness(w, c.Witness)
	}
	if p := r.Population; p != nil {
		w.Key("population").Object().Key("rows").Int(p.ByClass[at]).Key("of").Int(p.Rows).EndObject()
	}
	w.EndObject()
}

func (c *Class) writeOutcome(w *wire.Writer, key string, o *Outcome, limit [2]rule.Number) {
	w.Key(key).Object().Key("status").String(o.Status.String())
	if o.Status != engine.Declined {
		w.Key("grade").String(o.Grade).Key("interest_rate").Decimal(o.RateBP, 2)
	}
	if o.Status != engine.Declined && c.Bounded {
		w.Key("limit").Object().Key("least").Decimal(int64(limit[0]), rule.Places)
		w.Key("most").Decimal(int64(limit[1]), rule.Places).EndObject()
	}
	w.EndObject()
}

func writeWitness(w *wire.Writer, x *Witness) {
	if x.Request != nil {
		w.Key("witness").Raw(x.Request)
	}
	w.Key("facts").Object()
	for _, f := range x.Facts {
		w.Key(f.Name)
		f.Value.Write(w)
	}
	w.EndObject().Key("decided").Object()
	for _, side := range []struct {
		key string
		of  *Decided
	}{{"from", &x.From}, {"to", &x.To}} {
		w.Key(side.key)
		side.of.write(w)
	}
	w.EndObject()
}

func (d *Decided) write(w *wire.Writer) {
	w.Object().Key("status").String(d.Status.String()).Key("grade").String(d.Grade)
	w.Key("final_score").Decimal(int64(d.Score), rule.Places)
	if d.Offered {
		w.Key("limit").Decimal(d.LimitPaise, 2).Key("interest_rate").Decimal(d.RateBP, 2)
		w.Key("tenure_months").Int(int64(d.Tenure))
	}
	w.EndObject()
}

// String returns the order as the API spells it.
func (o Order) String() string {
	switch o {
	case Lower:
		return "lower"
	case Higher:
		return "higher"
	default:
		return "same"
	}
}

// termsOf returns the codes of the offer's conditions whose bits are set.
func (r *Result) termsOf(bits uint64) (codes []string) {
	for i, code := range r.Terms {
		if bits>>i&1 != 0 {
			codes = append(codes, code)
		}
	}
	return codes
}

// gradesOf lists the grades of offers in a sentence, the cheapest first.
func gradesOf(offers []Outcome, conjunction string) string {
	slices.SortStableFunc(offers, func(x, y Outcome) int { return int(x.RateBP - y.RateBP) })
	var grades []string
	for _, o := range offers {
		if !slices.Contains(grades, o.Grade) {
			grades = append(grades, o.Grade)
		}
	}
	return enumerate(grades, conjunction)
}

// Summary returns the result in a few sentences for a credit committee.
func (r *Result) Summary() string {
	text := r.KindsSummary()
	if p := r.Population; p != nil && !r.Equal {
		text = strings.TrimSpace(text + " " + p.Sentence(r))
	}
	return text
}

// KindsSummary returns the summary without the sentence about a population.
func (r *Result) KindsSummary() string {
	if r.Equal {
		return "Both policies decide alike for every applicant."
	}
	var text strings.Builder
	count := map[Direction]int{}
	var declined []Outcome // the offers of applicants who were approved and are now declined
	var open []string
	for i := range r.Classes {
		c := &r.Classes[i]
		if !c.Confirmed {
			open = append(open, c.Title())
			continue
		}
		count[c.Direction()]++
		if c.From.Status == engine.Approved && c.To.Status == engine.Declined {
			declined = append(declined, c.From)
		}
	}
	total := count[Better] + count[Worse] + count[Mixed]
	text.WriteString(r.caveat(total))
	atLeast := ""
	if !r.Complete { // there may be kinds that were not found
		atLeast = "At least "
	}
	switch {
	case total == 0 && !r.Complete: // the caveat says it
	case total == 0 && len(r.NotCompared) > 0: // a part that is not compared may still affect everybody
	case total == 0:
		text.WriteString("No applicant was found who is treated differently.")
	case total == 1:
		text.WriteString(atLeast + "1 kind of applicant is treated differently: ")
	default:
		fmt.Fprintf(&text, "%s%d kinds of applicant are treated differently: ", atLeast, total)
	}
	if total > 0 {
		fmt.Fprintf(&text, "%d worse, %d better, %d mixed. ", count[Worse], count[Better], count[Mixed])
		switch {
		case len(declined) > 0 && r.Complete:
			fmt.Fprintf(&text, "Some of those who were approved with grade %s are declined; nobody else.",
				gradesOf(declined, "or"))
		case len(declined) > 0: // offers of other grades may be declined too
			fmt.Fprintf(&text, "Some of those who were approved with grade %s are declined.", gradesOf(declined, "or"))
		case r.Complete:
			text.WriteString("Nobody who was approved is declined.")
		default:
			text.WriteString("Nobody was found who was approved and is declined.")
		}
	}
	if parts := r.NotCompared; len(parts) > 0 {
		also, what := "", "what"
		if total > 0 {
			also, what = " also", "what else"
			text.WriteString(" ")
		}
		fmt.Fprintf(&text, "The policies%s differ in %s, which this comparison does not cover; %s changes for whom is "+
			"not known.", also, enumerate(parts, "and"), what)
	}
	if len(open) > 0 {
		fmt.Fprintf(&text, " For %d more it is not known whether such an applicant exists.", len(open))
	}
	return strings.TrimSpace(text.String())
}

// caveat returns the first sentence of the summary of an incomplete result, with a space at its end. It says what
// "not complete" means, before the reader takes the kinds for all there are. total is the number of kinds found.
func (r *Result) caveat(total int) string {
	switch {
	case r.Complete:
		return ""
	case total > 0:
		return "The comparison is not complete: there may be other applicants who are treated differently. "
	case len(r.NotCompared) > 0:
		return "The comparison is not complete: there may be applicants who are treated differently. "
	}
	return "The comparison is not complete: it found no applicant who is treated differently, but there may be such " +
		"applicants. "
}

// Title returns the change of a class in a few words, such as "APPROVED A 14% → DECLINED".
func (c *Class) Title() string {
	side := func(o *Outcome) string {
		if o.Status == engine.Declined {
			return o.Status.String()
		}
		var w wire.Writer
		w.Decimal(o.RateBP, 2)
		return fmt.Sprintf("%s %s %s%%", o.Status, o.Grade, w.Buf)
	}
	text := side(&c.From) + " → " + side(&c.To)
	if c.From.Status == engine.Declined || c.To.Status == engine.Declined {
		return text
	}
	for _, x := range []struct {
		name  string
		order Order
	}{{"limit", c.Limit}, {"tenure", c.Tenure}, {"fee", c.Fee}} {
		if x.order != Same {
			text += fmt.Sprintf(", %s %s", x.order, x.name)
		}
	}
	if c.Added != 0 {
		text += ", more conditions"
	}
	if c.Removed != 0 {
		text += ", fewer conditions"
	}
	return text
}

// enumerate joins names as in a sentence, with the given word before the last name.
func enumerate(names []string, last string) string {
	var out []string
	for _, name := range names {
		if len(out) == 0 || out[len(out)-1] != name {
			out = append(out, name)
		}
	}
	if len(out) == 1 {
		return out[0]
	}
	return strings.Join(out[:len(out)-1], ", ") + " " + last + " " + out[len(out)-1]
}
