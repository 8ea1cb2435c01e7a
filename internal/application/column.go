package application

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// ColumnOptions control how the columns of a file are interpreted.
type ColumnOptions struct {
	// Map maps column names to the fields that the columns contain. It takes
	// precedence over the column's own name. A column mapped to "" is ignored.
	Map map[string]string
	// Others are columns that the caller reads itself. If such a column also
	// names a field, it is read as that field too.
	Others []string
	// Inputs are the paths that the policies declare.
	Inputs map[string]rule.Type
	// Reads reports whether any plan reads a field. If no plan reads a field, its
	// value is checked and not stored. If Reads is nil, every value is stored.
	Reads func(name string) bool
	// PercentFOIR is set when foir is a percentage in this file, not a ratio.
	PercentFOIR bool
	// NoScore is set when no policy reads a bureau score, so no column for it
	// is required.
	NoScore bool
}

// Columns is the parsed header of a file. It says which cell becomes which facts. A cell is read like the same
// value in a body of POST /v1/decisions, with two exceptions: PercentFOIR changes the unit of foir, and forPeople
// reads further formats. Columns is immutable and safe for concurrent use.
type Columns struct {
	columns []column
	partner partner
	ignored []string
	noScore bool
	inputs  map[string]rule.Type // the paths that the policies declare
}

// column says how a cell becomes facts. The members that every row needs come
// first, so that they share cache lines.
type column struct {
	cell   int32
	places int8 // number of decimals that need no rounding
	typ    rule.Type
	how    conversion
	ratio  bool // the percentage is stored as a ratio in the raw fact too, because that fact is a ratio
	plain  bool // a number that becomes at most one fact, unchanged
	slot   int8 // the slot for a number that only this column gives; -1 if the cell becomes a fact; see Bind

	// raw and canonical are the facts that the cell becomes; Undeclared means that the fact is not stored. If
	// input is set, the cell becomes the declared input of that name instead. only is the single fact of a plain
	// number, or Undeclared if no fact is stored.
	raw, canonical, only rule.FieldID

	// fallback is a further fact that gets the value, unless another column states
	// that fact. It is Undeclared if there is no such fact.
	fallback rule.FieldID

	// least and greatest are the bounds of the domain; a missing bound is the
	// limit of the type.
	least, greatest rule.Number
	input           string

	field             string       // the name under which faults are reported
	def               *rule.Field  // nil for a declared input
	score, ntc, index rule.FieldID // for a score: the facts that are derived from it
}

// NewColumns finds the field of each column. An invalid header is refused with a
// *fault.Error that lists everything wrong with it.
func NewColumns(header []string, o ColumnOptions) (*Columns, error) {
	b := columnBuilder{o: o, taken: map[string]int{}, out: &Columns{noScore: o.NoScore, inputs: o.Inputs}}
	for i, name := range header {
		b.add(i, name)
	}
	b.unmapped(header)
	if _, ok := b.taken[scoreName]; !ok && !o.NoScore {
		b.faults.Add("/header", fault.CodeRequired, "has no column for score: %s", scoreText)
	}
	if err := b.faults.Err(); err != nil {
		return nil, err
	}
	b.fallbacksFirst()
	b.findPartner()
	return b.out, nil
}

// Ignored returns the columns that hold no known field and that the caller does not read itself, in header order.
func (c *Columns) Ignored() []string { return slices.Clone(c.ignored) }

// Has reports whether a column holds the named field.
func (c *Columns) Has(name string) bool {
	return slices.ContainsFunc(c.columns, func(one column) bool { return one.field == name })
}

// Gives reports whether a column gives a value to the named fact or declared input.
func (c *Columns) Gives(name string) bool {
	id, known := field.Catalogue().Lookup(name)
	return slices.ContainsFunc(c.columns, func(one column) bool {
		facts := []rule.FieldID{one.raw, one.canonical, one.fallback, one.score, one.ntc, one.index}
		return one.field == name || one.input == name || known && slices.Contains(facts, id)
	})
}

// Meant returns the name that was probably meant by the name of an ignored column, or "" if no known name is similar or
// another column has that field.
func (c *Columns) Meant(ignored string) string {
	nodes := columnNames()
	var names []string
	for name := range nodes {
		if strings.Contains(ignored, ".") || !strings.Contains(name, ".") {
			names = append(names, name)
		}
	}
	for name := range c.inputs {
		names = append(names, name)
	}
	slices.Sort(names)
	near, _ := fault.Suggest(ignored, names, false)
	n := nodes[near]
	switch {
	case n == nil:
	case n.how == score && c.Has(scoreName), c.Gives(field.Catalogue().Field(n.raw).Name),
		n.canonical != rule.Undeclared && c.Gives(field.Catalogue().Field(n.canonical).Name):
		return ""
	}
	if c.Has(near) {
		return ""
	}
	return near
}

// columnBuilder builds Columns from a header.
type columnBuilder struct {
	o      ColumnOptions
	taken  map[string]int // index of the column that holds each field
	faults fault.List
	out    *Columns
}

// add finds the field of one column.
func (b *columnBuilder) add(i int, name string) {
	wanted, mapped := b.o.Map[name]
	if mapped && wanted == "" || name == "" {
		return
	}
	if !mapped {
		wanted = name
	}
	c, known := b.resolve(wanted)
	switch {
	case known:
		c.cell = int32(i)
		b.take(i, c)
	case mapped:
		b.faults.Add("/map/"+fault.EscapePointer(name), fault.CodeUnknownField, "%s", b.why(wanted))
	case !slices.Contains(b.o.Others, name):
		b.out.ignored = append(b.out.ignored, name)
	}
}

// take adds a column. If another column has the same field, take adds a fault,
// because the header does not say which of the two was meant.
func (b *columnBuilder) take(i int, c column) {
	if first, twice := b.taken[c.field]; twice {
		b.faults.Add("/header/"+strconv.Itoa(i), fault.CodeDuplicate,
			"is a second column for %s, after column %d; leave one of them out", c.field, first+1)
		return
	}
	b.taken[c.field] = i
	c.settle()
	b.out.columns = append(b.out.columns, c)
}

// unmapped reports a fault for each mapped column that the header lacks.
func (b *columnBuilder) unmapped(header []string) {
	var missing []string
	for name := range b.o.Map {
		if !slices.Contains(header, name) {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	for _, name := range missing {
		hint := ""
		if near, ok := fault.Nearest(name, slices.Values(header)); ok && !b.faults.SkipHints() {
			hint = "; column " + strconv.Itoa(slices.Index(header, near)+1) + " has a similar name"
		}
		b.faults.Add("/map/"+fault.EscapePointer(name), fault.CodeUnknownField, "is not a column of the file%s",
			hint)
	}
}

// resolve returns the column for the field with the given name, and false if
// there is no such field.
func (b *columnBuilder) resolve(name string) (column, bool) {
	n := columnNames()[name]
	if id, _ := field.Catalogue().Lookup(name); field.IsOwn(name) && b.o.Reads != nil && b.o.Reads(name) {
		// Without this, a column such as own_emi would be read as a figure of the report.
		n = &node{scalar: true, raw: id, canonical: rule.Undeclared}
	}
	if n == nil {
		if typ, declared := b.o.Inputs[name]; declared {
			return b.input(name, typ), true
		}
		// Try lower case too, because a spreadsheet's header is often in capitals.
		if n = columnNames()[strings.ToLower(name)]; n == nil {
			return column{}, false
		}
	}
	catalogue := field.Catalogue()
	c := column{
		how:       n.how,
		def:       catalogue.Field(n.raw),
		raw:       b.kept(n.raw),
		canonical: b.kept(n.canonical),
		fallback:  b.keptFallback(n),
		score:     rule.Undeclared,
		ntc:       rule.Undeclared,
		index:     rule.Undeclared,
	}
	c.field = c.def.Name
	switch {
	case n.how == score:
		c.field, c.canonical = scoreName, rule.Undeclared
		c.score, c.ntc, c.index = b.keptName(field.BureauScore), b.keptName(field.BureauIsNTC),
			b.keptName(bureauNTCIndex)
	case n.canonical != rule.Undeclared:
		c.field = catalogue.Field(n.canonical).Name
	}
	if b.o.PercentFOIR && c.def.Name == "applicant.foir" {
		id, _ := catalogue.Lookup("report.incomeAssessment.foir")
		c.how, c.ratio, c.def = percent, true, catalogue.Field(id)
	}
	c.domain()
	return c, true
}

// input returns the column of a declared input, which has a type and no domain.
func (b *columnBuilder) input(name string, typ rule.Type) column {
	c := column{
		field:     name,
		typ:       typ,
		least:     -rule.MaxNumber,
		greatest:  rule.MaxNumber,
		places:    rule.Places,
		raw:       rule.Undeclared,
		canonical: rule.Undeclared,
		fallback:  rule.Undeclared,
		score:     rule.Undeclared,
		ntc:       rule.Undeclared,
		index:     rule.Undeclared,
	}
	if b.o.Reads == nil || b.o.Reads(name) {
		c.input = name
	}
	return c
}

// domain sets the type, the number of decimals and the bounds from the field's
// definition.
func (c *column) domain() {
	c.typ, c.places = c.def.Type, rule.Places
	switch {
	case c.def.Integer:
		c.places = 0
	case c.how == money:
		c.places = 2
	case c.how == percent:
		c.places = percentPlaces
	}
	c.least, c.greatest = math.MinInt64, math.MaxInt64
	if c.def.BoundedBelow {
		c.least = c.def.Min
	}
	if c.def.BoundedAbove {
		c.greatest = c.def.Max
	}
}

// settle sets the members "only" and "plain". Most cells of a plain column take the fast path of Read.
func (c *column) settle() {
	kept := 0
	c.only = rule.Undeclared
	for _, id := range []rule.FieldID{c.raw, c.canonical, c.fallback} {
		if id != rule.Undeclared {
			c.only = id
			kept++
		}
	}
	c.plain = c.typ == rule.NumberType && (c.how == asIs || c.how == money) && kept <= 1 && c.input == ""
}

// kept returns id if a plan reads the field or Reads is nil, otherwise Undeclared.
func (b *columnBuilder) kept(id rule.FieldID) rule.FieldID {
	if id == rule.Undeclared || b.o.Reads != nil && !b.o.Reads(field.Catalogue().Field(id).Name) {
		return rule.Undeclared
	}
	return id
}

// keptFallback returns the fact that falls back to the column's value. It returns
// Undeclared if there is no such fact or no plan reads it.
func (b *columnBuilder) keptFallback(n *node) rule.FieldID {
	for _, f := range fallbacks() {
		if f.from == n.canonical {
			return b.kept(f.id)
		}
	}
	return rule.Undeclared
}

// fallbacksFirst sorts the columns so that those of facts with a fallback come
// last. If a fact gets two values, the later one wins, so the fact's own column
// overrides the fallback.
func (b *columnBuilder) fallbacksFirst() {
	own := func(c column) bool {
		return slices.ContainsFunc(fallbacks(), func(f fallback) bool { return f.id == c.canonical })
	}
	slices.SortStableFunc(b.out.columns, func(x, y column) int {
		switch {
		case own(y) && !own(x):
			return -1
		case own(x) && !own(y):
			return 1
		}
		return 0
	})
}

func (b *columnBuilder) keptName(name string) rule.FieldID {
	id, _ := field.Catalogue().Lookup(name)
	return b.kept(id)
}

// why returns the reason that a column cannot be mapped to the wanted field.
func (b *columnBuilder) why(wanted string) string {
	if _, known := field.Catalogue().Lookup(wanted); known {
		return "is computed while deciding and cannot be given"
	}
	if b.faults.SkipHints() {
		return "is not a known field"
	}
	names := columnNames()
	list := make([]string, 0, len(names)+len(b.o.Inputs))
	for name := range names {
		list = append(list, name)
	}
	for name := range b.o.Inputs {
		list = append(list, name)
	}
	slices.Sort(list)
	if near, ok := fault.Nearest(wanted, slices.Values(list)); ok {
		return "is not a known field; did you mean " + near + "?"
	}
	return "is not a known field"
}
