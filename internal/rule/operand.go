package rule

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// field reads the "field" member of a predicate.
func (r *reader) field(v wire.Value) Operand {
	name := v.Get("field")
	if name.Kind() != wire.String {
		r.fail(v, `%q needs "field", the name of a field`, v.Get("op").Text())
		return Operand{}
	}
	return r.ref(name)
}

// ref resolves a name against the catalogue and the declared inputs. It reports
// an unknown name as a fault that suggests the most similar known name.
func (r *reader) ref(name wire.Value) Operand {
	ref, detail := r.scope.Resolve(name.Text(), r.faults.SkipHints())
	if detail != "" {
		r.faults.Add(name.Pointer(), UnknownCode(name.Text()), "%s", detail)
		return Operand{}
	}
	return Operand{Kind: FieldOperand, Field: ref}
}

// Resolve finds a name in the catalogue, among the declared inputs or among the columns of tables. If the
// name may not be used here, detail says why; otherwise detail is "". If skipHints
// is set, it skips the costly search for the most similar name.
func (s *Scope) Resolve(name string, skipHints bool) (ref Ref, detail string) {
	if id, ok := s.Catalogue.Lookup(name); ok {
		f := s.Catalogue.Field(id)
		if f.Supply == FromEngine && !s.Stage2 {
			return Ref{}, "is known only after pricing; use it in a Stage 2 knockout"
		}
		if f.Semantics > max(s.Semantics, 1) {
			return Ref{}, fmt.Sprintf(`is available from semantics %d on: set "semantics":%d in the policy`,
				f.Semantics, f.Semantics)
		}
		return Ref{Name: f.Name, ID: id, Type: f.Type}, ""
	}
	if t, ok := s.Inputs[name]; ok {
		return Ref{Name: name, ID: Undeclared, Type: t}, ""
	}
	if table, column, ok := ParseTableFact(name); ok {
		return s.resolveColumn(table, column)
	}
	hint := ""
	if !skipHints {
		if near, ok := s.nearest(name); ok {
			hint = fmt.Sprintf("; did you mean %s?", near)
		}
	}
	if strings.HasPrefix(name, "applicant.") || strings.HasPrefix(name, "report.") {
		hint = cmp.Or(hint, ".") + " A request path of your own must be declared in the policy's inputs"
	}
	return Ref{}, "is not a known field" + hint
}

// nearest returns the known name that is most similar to name. It searches the
// declared inputs as well as the catalogue. Without the inputs, the message for
// a misspelt input would suggest declaring the misspelling.
func (s *Scope) nearest(name string) (string, bool) {
	return fault.Nearest(name, func(yield func(string) bool) {
		for _, declared := range slices.Sorted(maps.Keys(s.Inputs)) {
			if !yield(declared) {
				return
			}
		}
		s.Catalogue.names(yield)
	})
}

// constant reads a scalar constant. It rejects a number with more than six
// decimals, because rounding would change its meaning.
func (r *reader) constant(parent, v wire.Value, member string) Operand {
	switch v.Kind() {
	case wire.Number:
		n, exact, ok := ParseNumber(v.Text())
		if !ok {
			r.fail(v, "must lie between -%s and %s", MaxNumber, MaxNumber)
			return Operand{}
		}
		if !exact {
			r.fail(v, "has more than %d decimals", Places)
			return Operand{}
		}
		return Operand{Kind: ConstantOperand, Value: Num(n)}
	case wire.String:
		if len(v.Text()) > maxText {
			r.fail(v, "is longer than %d bytes", maxText)
			return Operand{}
		}
		return Operand{Kind: ConstantOperand, Value: Str(v.Text())}
	case wire.Bool:
		return Operand{Kind: ConstantOperand, Value: Bool(v.IsTrue())}
	case wire.Missing: // the member is missing or null; a null in an array has the kind wire.Null
		r.fail(parent, `needs %q; to test whether a field is present, use "exists" or "absent"`, member)
	default:
		r.fail(v, "must be a number, a string or a boolean, but is %s", v.Kind())
	}
	return Operand{}
}

// operand reads {"field":…}, {"value":…} or {"op":…,"args":[…]}.
func (r *reader) operand(parent, v wire.Value, side string, depth int) Operand {
	if v.Kind() == wire.Missing {
		r.fail(parent, `needs %q, an operand`, side)
		return Operand{}
	}
	if !r.enter(v, depth) {
		return Operand{}
	}
	if v.Kind() != wire.Object {
		r.fail(v, `must be an operand: {"field":…}, {"value":…} or {"op":…,"args":[…]}`)
		return Operand{}
	}
	switch {
	case v.Get("op").Given():
		return r.arithmetic(v, depth)
	case v.Get("field").Given():
		r.operandMembers(v, "field")
		if name := v.Get("field"); name.Kind() == wire.String {
			return r.ref(name)
		}
		r.fail(v, `"field" must be the name of a field`)
		return Operand{}
	default:
		r.operandMembers(v, "value")
		return r.constant(v, v.Get("value"), "value")
	}
}

func (r *reader) operandMembers(v wire.Value, allowed ...string) {
	for name, member := range v.Members() {
		if !slices.Contains(allowed, name) && !leftOut(name, member) {
			r.faults.Add(member.Pointer(), fault.CodeUnknownField, "does not belong in this operand; it takes %s",
				strings.Join(allowed, ", "))
		}
	}
}

// arity has the minimum and maximum number of arguments of each operator.
// Operators without a maximum are limited by MaxNodes.
var arity = [...][2]int{
	Add: {1, math.MaxInt}, Sub: {2, 2}, Mul: {1, math.MaxInt}, Div: {2, 2},
	Min: {1, math.MaxInt}, Max: {1, math.MaxInt}, Abs: {1, 1},
}

func (r *reader) arithmetic(v wire.Value, depth int) Operand {
	r.operandMembers(v, "op", "args")
	at := slices.Index(arithNames[:], v.Get("op").Text())
	args := v.Get("args")
	if at <= 0 {
		r.fail(v.Get("op"), "is not an arithmetic operator; use one of %s", strings.Join(arithNames[Add:], ", "))
		r.operands(v, args, depth)
		return Operand{}
	}
	op := Arith(at)
	if n := args.Len(); args.Kind() != wire.Array || n < arity[op][0] || n > arity[op][1] {
		want := fmt.Sprintf("%d or more operands", arity[op][0])
		if arity[op][0] == arity[op][1] {
			want = map[int]string{1: "one operand", 2: "two operands"}[arity[op][0]]
		}
		r.fail(v, `%q needs "args", an array of %s`, op, want)
		r.operands(v, args, depth)
		return Operand{}
	}
	return Operand{Kind: ArithOperand, Arith: op, Args: r.operands(v, args, depth)}
}

// operands reads the arguments of arithmetic.
func (r *reader) operands(v, args wire.Value, depth int) (list []Operand) {
	for _, e := range args.Elements() {
		if r.over {
			break
		}
		arg := r.operand(v, e, "args", depth+1)
		if arg.Kind != NoOperand && arg.typ() != NumberType {
			r.fail(e, "is %s; arithmetic takes numbers", article(arg.typ()))
		}
		list = append(list, arg)
	}
	return list
}
