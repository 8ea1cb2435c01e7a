package rule

import (
	"slices"
)

// Explanation says why a condition has its truth value.
type Explanation struct {
	Truth Truth
	// Deciding are the predicates that determined the result. It is empty if
	// the result is unknown.
	Deciding []*Condition
	// Missing are the fields without a readable value that make the result
	// unknown, in reading order, each once. It is empty if the result is known,
	// or if it is unknown only because arithmetic has no result.
	Missing []string
}

// Explain evaluates the condition over a frame and records why it has its
// result. It is slower than Eval, so call it only if the reasons are needed. A
// property test checks that it returns the same result as Eval.
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
	// Compile and run the predicate with the code of Eval, so that both
	// evaluate it in the same way. Add only reads the slots here, because the
	// predicate's fields and texts already have numbers.
	single := Code{slots: c.slots}
	test := single.Add(cond)
	truth := single.Eval(test, fr)
	if truth != Unknown {
		e.Deciding = append(e.Deciding, cond)
		return truth
	}
	missed := len(e.Missing)
	cond.Left.fields(func(r Ref) { c.addMissing(r, fr, e) })
	cond.Right.fields(func(r Ref) { c.addMissing(r, fr, e) })
	if cond.IsLookup() && len(e.Missing) == missed {
		c.addMissing(cond.Lookup().Fact(), fr, e) // the field is given, but was not looked up
	}
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
