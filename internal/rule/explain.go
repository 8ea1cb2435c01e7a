package rule

import (
	"slices"
)

// Explanation says why a condition has its truth value.
type Explanation struct {
	Truth Truth
	// Deciding are the predicates that determined the result: for a condition
	// that holds, those that made it hold.
	Deciding []*Condition
	// Missing are the absent fields because of which the result is unknown, in
	// reading order, each once.
	Missing []string
}

// Explain evaluates the condition over a frame and records why it has its
// result. It is slower than Eval and is only called when the reasons are
// needed. A property test checks that its result is that of the compiled
// condition.
func (c *Code) Explain(cond *Condition, fr *Frame) Explanation {
	var e Explanation
	e.Truth = c.explain(cond, fr, &e)
	return e
}

// explain returns the truth of cond and adds the predicates that determined it
// to e. A false argument alone determines an "and"; a true argument alone
// determines an "or".
func (c *Code) explain(cond *Condition, fr *Frame, e *Explanation) Truth {
	switch cond.Op {
	case Not:
		return c.explain(&cond.Args[0], fr, e).not()
	case And, Or:
		settles := Holds
		if cond.Op == And {
			settles = Fails
		}
		mark, missed := len(e.Deciding), len(e.Missing)
		unknown := false
		for i := range cond.Args {
			before := len(e.Deciding)
			switch c.explain(&cond.Args[i], fr, e) {
			case settles:
				// Only this argument counts; drop the ones before it.
				e.Deciding = slices.Delete(e.Deciding, mark, before)
				e.Missing = e.Missing[:missed]
				return settles
			case Unknown:
				unknown = true
			default:
			}
		}
		if unknown {
			e.Deciding = e.Deciding[:mark]
			return Unknown
		}
		return settles.not()
	default:
	}
	// Compile and run the predicate as Eval does, so that both give it the same
	// meaning. Its names and strings already have numbers in the slots, so the
	// slots are only read.
	single := Code{slots: c.slots}
	test := single.Add(cond)
	truth := single.Eval(test, fr)
	if truth != Unknown {
		e.Deciding = append(e.Deciding, cond)
		return truth
	}
	cond.Left.fields(func(r Ref) { c.addMissing(r, fr, e) })
	cond.Right.fields(func(r Ref) { c.addMissing(r, fr, e) })
	return Unknown
}

// not returns Kleene's negation: unknown stays unknown.
func (t Truth) not() Truth {
	switch t {
	case Holds:
		return Fails
	case Fails:
		return Holds
	default:
		return Unknown
	}
}

func (c *Code) addMissing(r Ref, fr *Frame, e *Explanation) {
	slot, ok := c.slots.Find(r)
	if (!ok || !fr.Given(slot)) && !slices.Contains(e.Missing, r.Name) {
		e.Missing = append(e.Missing, r.Name)
	}
}
