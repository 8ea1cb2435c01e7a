package space

import "verdict/internal/rule"

// answer is a fact that was looked up in a list or a table. It has a value only if every key has one.
type answer struct {
	at   Field
	keys []Field
}

// keysOf returns the fields by which the fact ref was looked up in a list or a table. It places these fields in the
// space. The result is empty if ref is no such fact.
func (s *Space) keysOf(ref rule.Ref) (keys []Field) {
	if t, ok := s.Table(ref); ok {
		for _, key := range t.Keys {
			keys = append(keys, s.FieldOf(key.Field))
		}
		return keys
	}
	if of, ok := s.LookedUp(ref); ok {
		keys = append(keys, s.FieldOf(of))
	}
	return keys
}

// answerable removes from a box the applicants who have an answer of a list or a table although a field that was
// looked up is absent. ok is false if nobody is left. The converse is not assumed: a field may be given without an
// answer, because no row of a table matches or because decisions are repeated without the list.
func (s *Solver) answerable(b Box) (tight Box, ok bool) {
	for _, a := range s.Space.answers {
		answered := !s.States(b, a.at).Contains(Absent)
		for _, key := range a.keys {
			states := s.States(b, key)
			given := s.Sets.Intersection(states, s.Space.domains[key].Given)
			switch {
			case answered && len(given) == 0:
				return nil, false
			case answered && !states.Within(given):
				b = s.With(b, key, given)
			case len(given) == 0 && len(s.States(b, a.at)) > 0:
				b = s.With(b, a.at, onlyAbsent)
			}
		}
	}
	return b, true
}

// Without returns a box in which a field is absent. If the field was looked up in lists or tables, their answers are
// absent too.
func (s *Solver) Without(b Box, at Field) Box {
	b = s.With(b, at, onlyAbsent)
	for _, a := range s.Space.answers {
		for _, key := range a.keys {
			if key == at {
				b = s.With(b, a.at, onlyAbsent)
			}
		}
	}
	return b
}
