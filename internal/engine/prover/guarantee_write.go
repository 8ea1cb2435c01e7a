package prover

import (
	"fmt"
	"strconv"

	"verdict/internal/engine"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// WriteProofs writes proofs as JSON.
func WriteProofs(w *wire.Writer, proofs []Proof) {
	w.Array()
	for i := range proofs {
		proofs[i].write(w)
	}
	w.EndArray()
}

func (p *Proof) write(w *wire.Writer) {
	w.Object().Key("id").String(p.ID).Key("text").String(p.Text).Key("result").String(string(p.Standing))
	if len(p.Why) > 0 {
		w.Key("why").Strings(p.Why)
	}
	w.Key("not_covered_when_absent").Strings(p.NotCovered)
	if len(p.Applicants) > 0 {
		w.Key("applicants").Array()
		for i := range p.Applicants {
			p.Applicants[i].write(w)
		}
		w.EndArray()
	}
	w.Key("states").Int(int64(p.States)).EndObject()
}

func (d *Applicant) write(w *wire.Writer) {
	w.Object().Key("realisable").Bool(d.Request != nil)
	if d.Request != nil {
		w.Key("witness").Raw(d.Request)
	}
	w.Key("facts").Raw(d.FactsJSON()).Key("decided")
	d.Decided.write(w)
	w.EndObject()
}

// FactsJSON returns the facts of an applicant as JSON.
func (d *Applicant) FactsJSON() []byte {
	var w wire.Writer
	w.Object()
	for _, f := range d.Facts {
		w.Key(f.Name)
		f.Value.Write(&w)
	}
	return w.EndObject().Buf
}

// ReadProofs reads the output of WriteProofs. The proofs must be about guarantees of the plan's policy. The plan
// decides the applicants again.
func ReadProofs(plan *engine.Plan, v wire.Value) ([]Proof, error) {
	texts := func(list wire.Value) (out []string) {
		for _, e := range list.Elements() {
			out = append(out, e.Text())
		}
		return out
	}
	var proofs []Proof
	for _, e := range v.Elements() {
		p := Proof{
			ID: e.Get("id").Text(), Text: e.Get("text").Text(), Standing: Standing(e.Get("result").Text()),
			Why: texts(e.Get("why")), NotCovered: texts(e.Get("not_covered_when_absent")),
		}
		if _, text := e.Get("states").Scalar(); text != "" {
			p.States, _ = strconv.Atoi(text) // WriteProofs writes a whole number
		}
		for _, x := range e.Get("applicants").Elements() {
			facts, err := rule.ReadFacts(x.Get("facts"), plan.Catalogue())
			if err != nil {
				return nil, fmt.Errorf("read the applicant of guarantee %s: %w", p.ID, err)
			}
			var d engine.Decision
			plan.Decide(facts, &d)
			applicant := Applicant{Facts: facts.Sorted(), Decided: decided(&d)}
			if request := x.Get("witness"); request.Given() {
				var w wire.Writer
				applicant.Request = w.Value(request).Buf
			}
			p.Applicants = append(p.Applicants, applicant)
		}
		proofs = append(proofs, p)
	}
	return proofs, nil
}

// writeGuarantees writes the proofs of both policies, if there are any: first the guarantees of the new policy in
// their order, then those that only the old policy has.
func (r *Result) writeGuarantees(w *wire.Writer) {
	old, changed := r.Guarantees[0], r.Guarantees[1]
	if len(old)+len(changed) == 0 {
		return
	}
	find := func(list []Proof, id string) *Proof {
		for i := range list {
			if list[i].ID == id {
				return &list[i]
			}
		}
		return nil
	}
	write := func(id string, from, to *Proof) {
		w.Object().Key("id").String(id)
		if from != nil {
			w.Key("from")
			from.write(w)
		}
		if to != nil {
			w.Key("to")
			to.write(w)
		}
		w.EndObject()
	}
	w.Key("guarantees").Array()
	for i := range changed {
		write(changed[i].ID, find(old, changed[i].ID), &changed[i])
	}
	for i := range old {
		if find(changed, old[i].ID) == nil {
			write(old[i].ID, &old[i], nil)
		}
	}
	w.EndArray()
}

// Sentence returns the result of a proof as text for people.
func (p *Proof) Sentence() string {
	switch p.Standing {
	case Proved:
		return "It holds for every applicant whom it covers."
	case Refuted:
		if len(p.Applicants) == 2 {
			return fmt.Sprintf("It does not hold: %s is decided as %s, and after the change %s as %s.",
				p.Applicants[0].name(), p.Applicants[0].Decided.String(), p.Applicants[1].name(),
				p.Applicants[1].Decided.String())
		}
		return fmt.Sprintf("It does not hold: %s is decided as %s.", p.Applicants[0].name(),
			p.Applicants[0].Decided.String())
	default:
		text := "It is neither proved nor refuted."
		for _, why := range p.Why {
			text += " Reason: " + why + "."
		}
		return text
	}
}

// name identifies an applicant in a sentence: by the request, or by the facts if there is no request.
func (d *Applicant) name() string {
	if d.Request != nil {
		return "the applicant " + string(d.Request)
	}
	return "the applicant with the facts " + string(d.FactsJSON())
}

// String returns the decision in a few words.
func (d *Decided) String() string {
	if !d.Offered {
		return d.Status.String()
	}
	var w wire.Writer
	w.Decimal(d.RateBP, 2)
	return fmt.Sprintf("%s %s, %s%%, limit %s", d.Status, d.Grade, w.Buf, rule.Rupees(d.LimitPaise))
}
