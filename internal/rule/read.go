package rule

import (
	"fmt"
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// The limits of one condition.
const (
	MaxDepth  = 16
	MaxNodes  = 512
	MaxValues = 1000
	maxText   = 256 // length of a string constant, in bytes
)

// Scope says which names a condition may use.
type Scope struct {
	Catalogue *Catalogue
	Inputs    map[string]Type // names that the policy itself declares
	Stage2    bool            // whether the condition may read the engine's results
	Semantics int             // semantics of the policy being read

	// List returns the type of the values in a list, or false if there is no list of this name. The function is nil
	// for a stored policy: then every list is assumed to exist.
	List func(name string) (Type, bool)
	// Table returns a table with its columns, or false if there is no table of this name. If the function is nil, a
	// condition cannot name columns of tables.
	Table func(name string) (*Table, bool)
}

// ReadCondition reads and checks a condition_ast. It adds every fault with its
// pointer to faults. If it adds any, the result must not be used.
func ReadCondition(v wire.Value, scope *Scope, faults *fault.List) Condition {
	r := reader{scope: scope, faults: faults}
	return r.condition(v, 1)
}

type reader struct {
	scope  *Scope
	faults *fault.List
	nodes  int
	over   bool // the node limit was reported; stop reading
}

func (r *reader) fail(v wire.Value, format string, args ...any) {
	r.faults.Add(v.Pointer(), fault.CodeInvalidCondition, format, args...)
}

// enter counts a node and reports whether it is within the limits.
func (r *reader) enter(v wire.Value, depth int) bool {
	r.nodes++
	switch {
	case r.over:
		return false
	case r.nodes > MaxNodes:
		r.over = true
		r.fail(v, "a condition has at most %d nodes", MaxNodes)
		return false
	case depth > MaxDepth:
		r.fail(v, "a condition is at most %d levels deep", MaxDepth)
		return false
	}
	return true
}

func (r *reader) condition(v wire.Value, depth int) (c Condition) {
	if !r.enter(v, depth) {
		return c
	}
	if v.Kind() != wire.Object {
		r.fail(v, `must be a condition, an object with "op", but is %s`, v.Kind())
		return c
	}
	name := v.Get("op")
	if name.Kind() != wire.String {
		r.fail(v, `needs "op", one of %s`, strings.Join(opNames[And:], ", "))
		r.inside(v, depth)
		return c
	}
	op, ok := parseOp(name.Text())
	if !ok {
		hint := ""
		if slices.Contains(arithNames[Add:], name.Text()) {
			hint = `; arithmetic belongs inside a comparison, as its "left" or "right"`
		} else if near, ok := fault.Nearest(name.Text(), slices.Values(opNames[And:])); ok {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		r.fail(name, "is not an operator of the condition language, which has %s%s",
			strings.Join(opNames[And:], ", "), hint)
		r.inside(v, depth)
		return c
	}
	c.Op = op
	switch op {
	case And, Or:
		r.members(v, "op", "args")
		c.Args = r.args(v, depth)
	case Not:
		r.members(v, "op", "arg")
		if arg := v.Get("arg"); arg.Given() {
			c.Args = []Condition{r.condition(arg, depth+1)}
		} else {
			r.fail(v, `"not" needs "arg", a condition`)
		}
	case Eq, Ne, Lt, Lte, Gt, Gte:
		r.comparison(v, &c, depth)
	case In, NotIn:
		r.members(v, "op", "field", "values")
		c.Left = r.field(v)
		c.Values = r.values(v, &c.Left)
	case InList, NotInList:
		r.lookup(v, &c)
	case Between:
		r.between(v, &c)
	case StartsWith, EndsWith, Contains:
		r.members(v, "op", "field", "value")
		c.Left = r.field(v)
		c.Right = r.constant(v, v.Get("value"), "value")
		r.stringTest(v, &c)
	case Exists, IsAbsent:
		r.members(v, "op", "field")
		c.Left = r.field(v)
	case True, False:
		r.members(v, "op")
	}
	return c
}

// inside checks the members of a condition whose operator is unknown, so that all faults are reported together. The
// form of a member decides how it is read: arg and each entry of args are read as operands if they look like
// operands, otherwise as conditions. left and right are always read as operands.
func (r *reader) inside(v wire.Value, depth int) {
	part := func(e wire.Value) {
		switch {
		case e.Kind() != wire.Object || r.over:
		case !e.Get("op").Given() && (e.Get("field").Given() || e.Get("value").Given()),
			slices.Contains(arithNames[Add:], e.Get("op").Text()):
			r.operand(v, e, "args", depth+1)
		default:
			r.condition(e, depth+1)
		}
	}
	for _, e := range v.Get("args").Elements() {
		part(e)
	}
	part(v.Get("arg"))
	for _, side := range []string{"left", "right"} {
		if operand := v.Get(side); operand.Given() {
			r.operand(v, operand, side, depth+1)
		}
	}
	if v.Get("field").Given() {
		r.field(v)
	}
}

// members rejects any member that the operator does not have, because a
// misspelt member would otherwise count as left out.
func (r *reader) members(v wire.Value, allowed ...string) {
	op := v.Get("op").Text()
	for name, member := range v.Members() {
		if !slices.Contains(allowed, name) && !leftOut(name, member) {
			r.faults.Add(member.Pointer(), fault.CodeUnknownField,
				"is not a member of %q; it takes %s", op, strings.Join(allowed, ", "))
		}
	}
}

// memberNames lists the members of all conditions and operands.
var memberNames = []string{"op", "args", "arg", "field", "value", "values", "min", "max", "left", "right", "list"}

// leftOut reports whether a member is null and belongs to some other operator.
// A null member counts as left out.
func leftOut(name string, member wire.Value) bool {
	return !member.Given() && slices.Contains(memberNames, name)
}

func (r *reader) args(v wire.Value, depth int) []Condition {
	args := v.Get("args")
	if args.Kind() != wire.Array || args.Len() == 0 {
		r.fail(v, `%q needs "args", an array of one or more conditions`, v.Get("op").Text())
		return nil
	}
	out := make([]Condition, 0, min(args.Len(), MaxNodes))
	for _, arg := range args.Elements() {
		if r.over {
			break
		}
		out = append(out, r.condition(arg, depth+1))
	}
	return out
}

// comparison reads "field" with "value", or the two operands "left" and
// "right".
func (r *reader) comparison(v wire.Value, c *Condition, depth int) {
	if left, right := v.Get("left"), v.Get("right"); left.Given() || right.Given() {
		r.members(v, "op", "left", "right")
		c.Left = r.operand(v, left, "left", depth+1)
		c.Right = r.operand(v, right, "right", depth+1)
	} else {
		r.members(v, "op", "field", "value")
		c.Left = r.field(v)
		c.Right = r.constant(v, v.Get("value"), "value")
	}
	lt, rt := c.Left.typ(), c.Right.typ()
	switch {
	case c.Left.Kind == NoOperand || c.Right.Kind == NoOperand || lt == Absent || rt == Absent:
		// The fault of the operand has already been reported.
	case lt != rt:
		r.fail(v, "compares %s with %s; both sides must have one type", article(lt), article(rt))
	case lt != NumberType && c.Op != Eq && c.Op != Ne:
		r.fail(v, `%q compares numbers; %s can only be compared by "eq", "ne", "in" and "not_in"`, c.Op, article(lt))
	default:
		r.vocabulary(v, &c.Left, &c.Right)
		r.vocabulary(v, &c.Right, &c.Left)
	}
}

func article(t Type) string { return "a " + t.String() }

// vocabulary rejects a constant that is not among the possible values of a
// field.
func (r *reader) vocabulary(v wire.Value, field, constant *Operand) {
	if field.Kind != FieldOperand || constant.Kind != ConstantOperand {
		return
	}
	if detail := r.scope.Outside(field.Field, constant.Value); detail != "" {
		r.fail(v, "%s", detail)
	}
}

// Outside returns a message if val is not among the possible values of a field,
// and "" if it can occur.
func (s *Scope) Outside(ref Ref, val Value) string {
	if ref.ID < 0 || val.typ != StringType {
		return ""
	}
	known := s.Catalogue.Field(ref.ID).Values
	if len(known) == 0 || slices.Contains(known, val.str) {
		return ""
	}
	return fmt.Sprintf("%s is never this value; it is one of %s", ref.Name, strings.Join(known, ", "))
}

func (r *reader) between(v wire.Value, c *Condition) {
	r.members(v, "op", "field", "min", "max")
	c.Left = r.field(v)
	least := r.constant(v, v.Get("min"), "min")
	greatest := r.constant(v, v.Get("max"), "max")
	if least.Kind == NoOperand || greatest.Kind == NoOperand {
		return
	}
	c.Values = []Value{least.Value, greatest.Value}
	if c.Left.Kind == FieldOperand && c.Left.Field.Type != NumberType {
		r.fail(v, `"between" needs a number field; %s is %s`, c.Left.Field.Name, article(c.Left.Field.Type))
	}
	switch {
	case least.Value.typ != NumberType || greatest.Value.typ != NumberType:
		r.fail(v, `"between" takes numbers for "min" and "max"`)
	case least.Value.num > greatest.Value.num:
		r.fail(v, `"min" is above "max", so no value lies between them`)
	}
}

func (r *reader) stringTest(v wire.Value, c *Condition) {
	if c.Left.Kind == FieldOperand && c.Left.Field.Type != StringType {
		r.fail(v, "%q needs a string field; %s is %s", c.Op, c.Left.Field.Name, article(c.Left.Field.Type))
	}
	switch {
	case c.Right.Kind == ConstantOperand && c.Right.Value.typ != StringType:
		r.fail(v, `%q needs a string "value"`, c.Op)
	case c.Right.Kind == ConstantOperand && c.Right.Value.str == "":
		r.fail(v, `%q needs a "value" that is not empty; every string contains the empty one`, c.Op)
	}
}

func (r *reader) values(v wire.Value, field *Operand) []Value {
	list := v.Get("values")
	switch {
	case list.Kind() != wire.Array || list.Len() == 0:
		r.fail(v, `%q needs "values", an array of one or more constants`, v.Get("op").Text())
		return nil
	case list.Len() > MaxValues:
		r.fail(list, "a set has at most %d values", MaxValues)
		return nil
	}
	out := make([]Value, 0, list.Len())
	for _, e := range list.Elements() {
		val := r.constant(v, e, "values")
		if val.Kind == NoOperand {
			continue
		}
		if field.Kind == FieldOperand {
			if val.Value.typ != field.Field.Type {
				r.fail(e, "is %s; %s is %s", article(val.Value.typ), field.Field.Name, article(field.Field.Type))
			} else if detail := r.scope.Outside(field.Field, val.Value); detail != "" {
				r.fail(e, "%s", detail)
			}
		}
		out = append(out, val.Value)
	}
	return out
}
