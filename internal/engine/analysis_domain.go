package engine

import (
	"cmp"
	"slices"
	"strings"

	"verdict/internal/exact"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// domain is the set of all states that one field of the policy can have in an
// application, according to the catalogue.
type domain struct {
	ref        rule.Ref
	vocabulary []string    // possible values of a string field, in the order of their codes; empty if open
	unit       rule.Number // the step between two codes: a millionth, or one for whole numbers
	given      set         // the states with a readable value
	all        set         // given, and absence if possible
	supply     rule.Supply
	core       bool
	engine     bool // computed during the decision; no request carries it
	derived    bool // derived from other facts before Stage 1
	scored     bool // absent by definition for an applicant who is new to credit
	required   bool // the policy declines everybody who leaves it out
	absence    bool // some condition of the policy tests whether it is present
	asked      int8 // whether a knockout hits everybody without it: 0 not computed, 1 no, 2 yes
}

// place returns the field's index within the analysis and assigns one if the
// field is new.
func (a *analysis) place(ref rule.Ref) int32 {
	if ref.ID >= 0 {
		if at := a.byID[ref.ID]; at != 0 {
			return int32(at) - 1
		}
	} else if at, ok := a.byName[ref.Name]; ok {
		return at
	}
	at := int32(len(a.fields))
	a.fields = append(a.fields, a.domainOf(ref))
	if a.fields[at].scored {
		a.scored = append(a.scored, at)
	}
	if ref.ID >= 0 {
		a.byID[ref.ID] = uint16(at) + 1
	} else {
		a.byName[ref.Name] = at
	}
	return at
}

func (a *analysis) domainOf(ref rule.Ref) domain {
	d := domain{ref: ref, unit: 1}
	least, most := -rule.MaxNumber, rule.MaxNumber
	missing := span{codeAbsent, codeAbsent}
	if ref.ID >= 0 {
		f := a.catalogue.Field(ref.ID)
		d.supply, d.core, d.scored, d.vocabulary = f.Supply, f.Core, f.BureauScored, f.Values
		if f.BoundedBelow {
			least = f.Min
		}
		if f.BoundedAbove {
			most = f.Max
		}
		if f.Integer {
			d.unit = rule.One
		}
	} else {
		// A path that the policy declares is not checked like a catalogue
		// field: its value may have another type.
		missing.hi = codeMistyped
		d.supply = rule.FromEvaluate
		if strings.HasPrefix(ref.Name, "applicant.") {
			d.supply = rule.FromDecisions
		}
	}
	d.derived = ref.Name == field.IncomeEffective || ref.Name == field.FOIREffective
	always := false
	if d.supply == rule.FromEngine {
		d.supply, d.engine = anyRequest, true
		switch ref.Name {
		case field.FinalScore:
			least, most, always = a.policy.Scorecard.MinScore, a.policy.Scorecard.MaxScore, true
		case field.Grade:
			d.vocabulary, always = a.grades(), true
		}
	}
	values := span{0, mostCode}
	switch {
	case ref.Type == rule.NumberType:
		values = span{exact.DivCeil(least, d.unit), exact.DivFloor(most, d.unit)}
	case ref.Type == rule.BoolType:
		values = span{0, 1}
	case len(d.vocabulary) > 0:
		values = span{0, int64(len(d.vocabulary)) - 1}
	}
	d.all = a.sets.of(missing, values)
	d.given = d.all[1:]
	if always {
		d.all = d.given
	}
	return d
}

// anyRequest is the supply of a field that either request can carry.
const anyRequest = rule.FromDecisions | rule.FromEvaluate

// grades returns the possible values of the field grade under this policy.
func (a *analysis) grades() []string {
	grades := []string{noGrade}
	for i := range a.policy.Bands {
		if g := a.policy.Bands[i].Grade; !slices.Contains(grades, g) {
			grades = append(grades, g)
		}
	}
	return grades
}

// code returns the code of a constant. ok is false if the field never has that
// value.
func (a *analysis) code(d *domain, v rule.Value) (code int64, ok bool) {
	switch v.Type() {
	case rule.NumberType:
		return exact.DivFloor(v.Number(), d.unit), v.Number()%d.unit == 0
	case rule.BoolType:
		if v.IsTrue() {
			return 1, true
		}
		return 0, true
	default:
	}
	if len(d.vocabulary) > 0 {
		at := slices.Index(d.vocabulary, v.Text())
		return int64(at), at >= 0
	}
	code, ok = a.texts[v.Text()]
	if !ok {
		// Codes that are not assigned yet stand for other texts.
		code = int64(len(a.textOf))
		a.texts[v.Text()] = code
		a.textOf = append(a.textOf, v.Text())
	}
	return code, true
}

// oneOf returns the set of the given constants.
func (a *analysis) oneOf(d *domain, values []rule.Value) set {
	spans := make([]span, 0, 16)
	for _, v := range values {
		if code, ok := a.code(d, v); ok {
			spans = append(spans, span{code, code})
		}
	}
	slices.SortFunc(spans, func(x, y span) int { return cmp.Compare(x.lo, y.lo) })
	mark := a.sets.start(len(spans))
	for _, x := range spans {
		a.sets.add(mark, x)
	}
	return a.sets.intersection(a.sets.since(mark), d.given)
}

// compared returns the set of values for which a comparison with a constant
// holds.
func (a *analysis) compared(d *domain, op rule.Op, v rule.Value) set {
	x := span{leastCode, mostCode}
	switch n := v.Number(); op {
	case rule.Lt:
		x.hi = exact.DivCeil(n, d.unit) - 1
	case rule.Lte:
		x.hi = exact.DivFloor(n, d.unit)
	case rule.Gt:
		x.lo = exact.DivFloor(n, d.unit) + 1
	case rule.Gte:
		x.lo = exact.DivCeil(n, d.unit)
	default:
		if code, ok := a.code(d, v); ok {
			x = span{code, code}
		} else {
			return nil
		}
	}
	return a.sets.intersection(a.sets.of(x), d.given)
}

// pick returns one value of a set without absence. It prefers a value near the
// bound that limits the set, and a round one if possible.
func (a *analysis) pick(d *domain, s set) rule.Value {
	x := s[len(s)-1]
	switch d.ref.Type {
	case rule.NumberType:
		whole := d.given[0]
		lo, hi := rule.Number(x.lo)*d.unit, rule.Number(x.hi)*d.unit
		if x.lo == whole.lo && x.hi < whole.hi {
			return rule.Num(roundest(lo, hi, false))
		}
		return rule.Num(roundest(lo, hi, true))
	case rule.BoolType:
		return rule.Bool(x.lo == 1)
	default:
	}
	switch {
	case len(d.vocabulary) > 0:
		return rule.Str(d.vocabulary[x.lo])
	case x.hi == mostCode:
		return rule.Str(a.otherText())
	default:
		return rule.Str(a.textOf[x.lo])
	}
}

// otherText returns a text that no condition names.
func (a *analysis) otherText() string {
	if a.other != "" {
		return a.other
	}
	a.other = "other"
	for {
		if _, taken := a.texts[a.other]; !taken {
			return a.other
		}
		a.other += "_"
	}
}

// roundest returns a number in [lo, hi] close to the lower or the upper end:
// the end itself if a person could have written it, otherwise a whole number if
// there is one, otherwise a number with as few decimals as possible. If the
// range has no lower end and contains zero, the result is zero.
func roundest(lo, hi rule.Number, low bool) rule.Number {
	end := hi
	switch {
	case lo == -rule.MaxNumber && hi >= 0:
		return 0
	case low:
		end = lo
	}
	if end.HasPlaces(2) {
		return end
	}
	for unit := rule.One; unit > 1; unit /= 10 {
		n := rule.Number(exact.DivFloor(hi, unit)) * unit
		if low {
			n = rule.Number(exact.DivCeil(lo, unit)) * unit
		}
		if lo <= n && n <= hi {
			return n
		}
	}
	return end
}
