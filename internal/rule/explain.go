package rule

import (
	"slices"
)

// Explanation says why a condition came out as it did.
type Explanation struct {
	Truth Truth
	// Deciding are the predicates that settled it: for a condition that
	// holds, those that made it hold.
	Deciding []*Condition
	// Missing are the fields without which it stays unknown, in reading
	// order, each once.
	Missing []string
}

// Explain walks the condition over a frame. It is asked only when somebody
// wants to know more than the outcome; that the outcome is the compiled one
// is a property under test.
func (c *Code) Explain(cond *Condition, fr *Frame) Explanation {
	var e Explanation
	e.Truth = c.explain(cond, fr, &e)
	return e
}

// explain returns the truth of cond and adds what settled it. For an and, a
// false argument settles it and nothing else matters; for an or, a true one.
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
				// Only this argument counts; forget the ones before it.
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
	// A predicate is compiled and run as it is when deciding, so there is no
	// second opinion on what it means. Its names and strings are known to the
	// slots already, which are therefore only read.
	single := Code{slots: c.slots}
	test := single.Add(cond)
	truth := single.Eval(test, fr)
	if truth != Unknown {
		e.Deciding = append(e.Deciding, cond)
		return truth
	}
	cond.Left.fields(func(r Ref) { c.miss(r, fr, e) })
	cond.Right.fields(func(r Ref) { c.miss(r, fr, e) })
	return Unknown
}

// not is Kleene's negation: unknown stays unknown.
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

func (c *Code) miss(r Ref, fr *Frame, e *Explanation) {
	slot, ok := c.slots.Find(r)
	if (!ok || !fr.Given(slot)) && !slices.Contains(e.Missing, r.Name) {
		e.Missing = append(e.Missing, r.Name)
	}
}
