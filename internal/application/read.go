package application

import (
	"slices"
	"strings"
	"unicode"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/sheet"
	"verdict/internal/wire"
)

// Limits on what a request can make the service store.
const (
	maxText    = 256
	maxCarried = 500
	maxPath    = 128 // the longest path that a policy can declare
)

// walk reads the members of an object, using the tree of known paths. It skips the members in except, which the caller
// reads.
func (r *reader) walk(n *node, v wire.Value, path string, except ...string) {
	for name, member := range v.Members() {
		if !member.Given() || slices.Contains(except, name) {
			continue
		}
		if proper, ok := n.aliases[name]; ok {
			if v.Get(proper).Given() {
				r.warnings.Add(member.Pointer(), fault.CodeNotRead,
					"is another name of %s, which was also sent; this member was not read", proper)
				continue
			}
			name = proper
		}
		switch child := n.children[name]; {
		case child == nil:
			r.unknown(member, n, path, name)
		case child.scalar:
			r.scalar(child, member)
		case r.object(member):
			r.walk(child, member, path+"."+name)
		}
	}
}

// join returns the path of a member. It returns "" if the path would be too long,
// or if a dot in the name would make the path ambiguous. The length limit keeps
// the work for a hostile body proportional to its size.
func join(path, name string) string {
	if len(path)+1+len(name) > maxPath || strings.Contains(name, ".") {
		return ""
	}
	return path + "." + name
}

// input reads an input that the policy declares, as strictly as a known field.
func (r *reader) input(v wire.Value, path string, declared rule.Type) {
	val, ok := rule.ReadValue(v)
	switch {
	case ok && val.Type() != declared, v.Kind() == wire.Object, v.Kind() == wire.Array:
		r.faults.Add(v.Pointer(), fault.CodeWrongType, "must be a %s, as the policy declares it%s", declared,
			plainly(declared, v))
	case !ok:
		r.faults.Add(v.Pointer(), fault.CodeOutOfRange, "must lie between -%s and %s", rule.MaxNumber, rule.MaxNumber)
	case len(val.Text()) > maxText:
		r.faults.Add(v.Pointer(), fault.CodeOutOfRange, "is longer than %d bytes", maxText)
	default:
		r.app.Facts.Set(path, val)
	}
}

// scalar reads one known value: it checks the type and the domain, then stores the
// raw and the canonical fact.
func (r *reader) scalar(n *node, v wire.Value) {
	def := field.Catalogue().Field(n.raw)
	val, ok := rule.ReadValue(v)
	switch {
	case v.Kind() == wire.Number && def.Type == rule.NumberType:
		num, inside := number(n.how, def, v.Text())
		if !inside {
			r.faults.Add(v.Pointer(), fault.CodeOutOfRange, "%s", domainText(n.how, def))
			return
		}
		val = rule.Num(num)
	case !ok || val.Type() != def.Type:
		r.faults.Add(v.Pointer(), fault.CodeWrongType, "must be a %s, but is %s%s", def.Type, v.Kind(),
			plainly(def.Type, v))
		return
	case len(val.Text()) > maxText:
		r.faults.Add(v.Pointer(), fault.CodeOutOfRange, "is longer than %d bytes", maxText)
		return
	}
	r.app.Facts.Add(n.raw, val)
	if n.canonical == rule.Undeclared || n.how == score {
		return
	}
	r.app.Facts.Add(n.canonical, r.convert(n.how, val, v))
	switch n.canonical {
	case foirID:
		r.foir = v
	case tenureID:
		r.app.tenure = v
	}
}

// plainly returns how to write the value of a number field, if the value is a text that people read as a number.
func plainly(t rule.Type, v wire.Value) string {
	if t != rule.NumberType || v.Kind() != wire.String {
		return ""
	}
	text := strings.TrimSpace(v.Text())
	if _, how := sheet.ReadFormatted([]byte(text)); how != sheet.Formatted && how != sheet.Percent {
		return ""
	}
	return "; write the number alone, such as 50000: no quotes, and no separators, currency or percent sign"
}

// number parses a number and reports whether it is in the field's domain. Before
// the check, a ratio is rounded to six decimals and a percentage to four. Both
// have the same precision then, so that both endpoints accept the same values. An
// integer must be whole as it was sent, not only after rounding.
func number(how conversion, def *rule.Field, literal string) (num rule.Number, inside bool) {
	num, exact, ok := rule.ParseNumber(literal)
	if !ok || def.Integer && !(exact && num.HasPlaces(0)) {
		return 0, false
	}
	if how == percent {
		coef, _, _ := wire.ParseDecimal(literal, percentPlaces)
		num = rule.Number(coef) * 100
	}
	return num, !(def.BoundedBelow && num < def.Min || def.BoundedAbove && num > def.Max)
}

// percentPlaces is the number of decimals of a percentage.
const percentPlaces = rule.Places - 2

// rupees rounds an amount to the paisa. It starts from the text, because rounding
// an already rounded number could be off by one paisa.
func rupees(literal string) rule.Number {
	paise, _, _ := wire.ParseDecimal(literal, 2)
	return rule.Rupees(paise)
}

// domainText returns the fault text that states the allowed range and the unit.
func domainText(how conversion, def *rule.Field) string {
	if how == score {
		return "must be " + scoreText
	}
	low, high := -rule.MaxNumber, rule.MaxNumber
	if def.BoundedBelow {
		low = def.Min
	}
	if def.BoundedAbove {
		high = def.Max
	}
	kind, unit := "a number", ""
	switch {
	case def.Integer:
		kind = "a whole number"
	case def.Unit == "ratio":
		kind, unit = "a ratio", " (0.35 means 35 percent)"
	case def.Unit == "percent":
		kind, unit = "a percentage", " (35 means 35 percent)"
	}
	return "must be " + kind + " between " + low.String() + " and " + high.String() + unit
}

func (r *reader) convert(how conversion, val rule.Value, v wire.Value) rule.Value {
	switch how {
	case money:
		return rule.Num(rupees(v.Text()))
	case percent:
		return r.percentage(val, v)
	case employment:
		return r.employment(val, v)
	default:
		return val
	}
}

// percentage converts a percentage to a ratio, and warns if the value was probably
// meant as a ratio.
func (r *reader) percentage(val rule.Value, v wire.Value) rule.Value {
	ratio := rule.Num(val.Number() / 100)
	if n := val.Number(); n > 0 && n <= rule.One {
		r.warnings.Add(v.Pointer(), fault.CodeFOIRLooksLikeRatio,
			"was read as %s %%, which is a ratio of %s; /v1/evaluate takes a percentage: send 35 for 35 %%", val, ratio)
	}
	return ratio
}

func (r *reader) employment(val rule.Value, v wire.Value) rule.Value {
	name, known := employmentType(val.Text())
	if !known {
		r.warnings.Add(v.Pointer(), fault.CodeUnknownEmploymentType,
			"is not a known employment type and was read as OTHER; known are %s",
			strings.Join(employmentTypes(), ", "))
	}
	return rule.Str(name)
}

// employmentType normalises case, spaces and hyphens and returns the known employment type, or "OTHER" if the type is
// not known.
func employmentType(text string) (name string, known bool) {
	words := strings.FieldsFunc(strings.ToUpper(text), func(c rune) bool {
		return c == '-' || c == '_' || unicode.IsSpace(c)
	})
	name = strings.Join(words, "_")
	if slices.Contains(employmentTypes(), name) {
		return name, true
	}
	return "OTHER", false
}

// employmentTypes returns the known employment types.
func employmentTypes() []string {
	id, _ := field.Catalogue().Lookup("employment_type")
	return field.Catalogue().Field(id).Values
}
