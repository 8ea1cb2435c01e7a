package application

import (
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Bounds on what a stranger can make us keep.
const (
	maxText    = 256
	maxCarried = 500
)

// walk reads the members of an object against the known paths.
func (r *reader) walk(n *node, v wire.Value, path string) {
	for name, member := range v.Members() {
		if !member.Given() {
			continue
		}
		child := n.children[name]
		switch {
		case child == nil:
			r.unknown(member, path+"."+name)
		case child.scalar:
			r.scalar(child, member)
		case r.object(member):
			r.walk(child, member, path+"."+name)
		}
	}
}

// unknown carries a nested value that the catalogue does not know, because a
// policy may declare it, and says that nothing else will read it.
func (r *reader) unknown(v wire.Value, path string) {
	declared, isInput := r.opt.Inputs[path]
	switch v.Kind() {
	case wire.Object:
		for name, member := range v.Members() {
			if member.Given() {
				r.unknown(member, path+"."+name)
			}
		}
		return
	case wire.Array:
		r.warnings.Add(v.Pointer(), fault.CodeUnknownField, "was not read")
		return
	}
	val, ok := rule.ReadValue(v)
	if !ok || len(val.Text()) > maxText {
		if isInput {
			r.faults.Add(v.Pointer(), fault.CodeOutOfRange, "is a declared input: at most %d bytes of text, or a number up to %s", maxText, rule.MaxNumber)
		} else {
			r.warnings.Add(v.Pointer(), fault.CodeUnknownField, "was not read")
		}
		return
	}
	switch {
	case isInput && val.Type() != declared:
		r.faults.Add(v.Pointer(), fault.CodeWrongType, "is declared by the policy as a %s", declared)
		return
	case isInput:
	case !field.Declarable(path) || r.carried >= maxCarried:
		r.warnings.Add(v.Pointer(), fault.CodeUnknownField, "is not a known field and was not read")
		return
	default:
		r.carried++
		r.warnings.Add(v.Pointer(), fault.CodeUnknownField, "is not a known field; a policy can use it when its inputs declare it")
	}
	r.app.Facts.Set(path, val)
}

// scalar reads one known value: its type, its domain, then what it means.
func (r *reader) scalar(n *node, v wire.Value) {
	def := field.Catalogue().Field(n.raw)
	val, ok := rule.ReadValue(v)
	switch {
	case !ok && v.Kind() == wire.Number:
		r.faults.Add(v.Pointer(), fault.CodeOutOfRange, "%s", domainText(def))
		return
	case !ok || val.Type() != def.Type:
		r.faults.Add(v.Pointer(), fault.CodeWrongType, "must be a %s", def.Type)
		return
	case def.Type == rule.StringType && len(val.Text()) > maxText:
		r.faults.Add(v.Pointer(), fault.CodeOutOfRange, "is longer than %d bytes", maxText)
		return
	case def.Type == rule.NumberType && !inDomain(def, val.Number()):
		r.faults.Add(v.Pointer(), fault.CodeOutOfRange, "%s", domainText(def))
		return
	}
	r.app.Facts.Add(n.raw, val)
	if n.canonical == rule.Undeclared || n.how == score {
		return
	}
	r.app.Facts.Add(n.canonical, r.convert(n.how, val, v))
}

func inDomain(def *rule.Field, n rule.Number) bool {
	switch {
	case def.Integer && !n.HasPlaces(0), def.BoundedBelow && n < def.Min, def.BoundedAbove && n > def.Max:
		return false
	}
	return true
}

// domainText says what a number must be, and the unit it is read in.
func domainText(def *rule.Field) string {
	kind := "a number"
	switch {
	case def.Integer:
		kind = "a whole number"
	case def.Unit == "ratio":
		kind = "a ratio (0.35 means 35 percent)"
	case def.Unit == "percent":
		kind = "a percentage (35 means 35 percent)"
	}
	low, high := -rule.MaxNumber, rule.MaxNumber
	if def.BoundedBelow {
		low = def.Min
	}
	if def.BoundedAbove {
		high = def.Max
	}
	return "must be " + kind + " between " + low.String() + " and " + high.String()
}

func (r *reader) convert(how conversion, val rule.Value, v wire.Value) rule.Value {
	switch how {
	case money:
		paise, _, _ := wire.ParseDecimal(v.Text(), 2)
		return rule.Num(rule.Number(paise) * (rule.One / 100))
	case percent:
		return r.percentage(val, v)
	case employment:
		return r.employment(val, v)
	default:
		return val
	}
}

// percentage turns a percentage into a ratio, in decimal and half-up at the
// sixth place of the ratio, and speaks up when a ratio was probably meant.
func (r *reader) percentage(val rule.Value, v wire.Value) rule.Value {
	ratio, _, _ := wire.ParseDecimal(v.Text(), rule.Places-2)
	out := rule.Num(rule.Number(ratio))
	if n := val.Number(); n > 0 && n <= rule.One {
		r.warnings.Add(v.Pointer(), "foir_looks_like_ratio", "%s read as %s %%, ratio %s; /v1/evaluate takes a percentage", val, val, out)
	}
	return out
}

var employmentSpelling = strings.NewReplacer(" ", "_", "-", "_")

// employment normalises case, spaces and hyphens to the known vocabulary.
func (r *reader) employment(val rule.Value, v wire.Value) rule.Value {
	name := employmentSpelling.Replace(strings.ToUpper(strings.TrimSpace(val.Text())))
	id, _ := field.Catalogue().Lookup("employment_type")
	if slices.Contains(field.Catalogue().Field(id).Values, name) {
		return rule.Str(name)
	}
	r.warnings.Add(v.Pointer(), "unknown_employment_type", "is not a known employment type and was read as OTHER")
	return rule.Str("OTHER")
}

// score turns the raw score into the canonical facts. A new-to-credit code is
// no low score: it leaves bureau_score absent (CONTRACT A3).
func (r *reader) score(parent wire.Value, pointer, rawPath string) {
	raw := parent.Get("score")
	if !raw.Given() {
		if !r.opt.ScoreOptional {
			r.faults.Add(pointer+"/score", fault.CodeRequired, "is required: 300 to 900, or a new-to-credit code (-1, 0, 1 to 6)")
		}
		return
	}
	val := r.app.Facts.Get(rawPath)
	if val.Type() == rule.Absent {
		return // refused already
	}
	points := val.Number()
	facts := r.app.Facts
	switch {
	case points >= rule.Int(300):
		facts.Set(field.BureauScore, val)
		facts.Set(field.BureauIsNTC, rule.Bool(false))
	case points > rule.Int(6):
		r.faults.Add(raw.Pointer(), fault.CodeOutOfRange, "must be 300 to 900, or a new-to-credit code (-1, 0, 1 to 6)")
	default:
		facts.Set(field.BureauIsNTC, rule.Bool(true))
		if points >= rule.One {
			facts.Set("bureau_ntc_index", val)
		}
	}
}
