package training

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// plan holds the options after they have been matched with the header of a file.
type plan struct {
	Options
	pace     *pace
	spelling spelling
	nothing  map[string]bool
	target   int
	split    int // index of the split column, or -1
	weight   int // index of the weight column, or -1
	sources  []*source
	dropped  []Dropped
	notes    []Note
	leaks    []string // columns that were dropped because they reveal the outcome
}

// source is a column of the file that may become a feature.
type source struct {
	name        string
	at          int
	field       rule.Ref
	known       *rule.Field // field of the catalogue, or nil
	categorical bool
	wanted      bool // whether Include names the column
	mapped      bool // whether Map names the column
	foir        bool // whether the column is the ratio of obligations to income
	percent     bool // whether the file has this ratio in percent
}

// read returns a cell in the spelling of the column's field. It returns nil for a missing value, and for a text that is
// not a known spelling of a boolean if the field is a boolean.
func (s *source) read(cell []byte) []byte {
	if cell == nil || s.known == nil || s.known.Type != rule.BoolType {
		return cell
	}
	switch strings.ToLower(string(cell)) {
	case "true", "1", "yes", "y":
		return []byte("true")
	case "false", "0", "no", "n":
		return []byte("false")
	}
	return nil
}

// cannotBe reports whether the number is out of the field's range, so that no
// request can contain it. For example, a bureau score of -1 means no score.
func (s *source) cannotBe(n rule.Number) bool {
	return s.known != nil && (s.known.BoundedBelow && n < s.known.Min || s.known.BoundedAbove && n > s.known.Max)
}

// Dropped is a column that is not in the scorecard, with the reason.
type Dropped struct {
	Column, Code, Detail string
}

// noColumn is the detail of a column that is not in the header.
const noColumn = "the header has no such column"

// A HeaderError is the refusal of options that do not fit the header of the file. Its text does not contain the names
// in the header, because a service that sends the text must not repeat what was submitted. A command shows them.
type HeaderError struct {
	Header  []string
	refusal error
}

func (e *HeaderError) Error() string { return e.refusal.Error() }

// Unwrap returns the refusal without the header.
func (e *HeaderError) Unwrap() error { return e.refusal }

func newPlan(o Options, header []string) (*plan, error) {
	p := &plan{
		Options:  o,
		spelling: newSpelling(o.Bad, o.Good, o.Indeterminate),
		nothing:  map[string]bool{},
		split:    -1,
		weight:   -1,
	}
	var faults fault.List
	for _, text := range o.Missing {
		p.nothing[strings.ToLower(strings.TrimSpace(text))] = true
	}
	if p.target = slices.Index(header, o.Target); p.target < 0 {
		faults.Add("/target", fault.CodeUnknownField, noColumn)
	}
	if o.SplitColumn != "" {
		if p.split = slices.Index(header, o.SplitColumn); p.split < 0 {
			faults.Add("/split_column", fault.CodeUnknownField, noColumn)
		}
	}
	if o.Weight != "" {
		switch p.weight = slices.Index(header, o.Weight); {
		case p.weight < 0:
			faults.Add("/weight", fault.CodeUnknownField, noColumn)
		case p.weight == p.target:
			faults.Add("/weight", fault.CodeInvalidField, "is the column of outcomes")
		}
	}
	p.mentioned(header, &faults)
	taken := map[string]bool{}
	for at, name := range header {
		if at != p.target && at != p.split && at != p.weight {
			p.add(name, at, taken, &faults)
		}
	}
	if len(p.sources) > maxColumns {
		faults.Add("/exclude", fault.CodeTooMany, "there are more than %d columns to choose from", maxColumns)
	}
	if err := faults.Err(); err != nil {
		return nil, &HeaderError{Header: header, refusal: err}
	}
	return p, nil
}

// mentioned adds a fault for each column that the options name and the header
// does not have. Without the fault, a misspelt name in Exclude would not exclude
// the column that was meant.
func (p *plan) mentioned(header []string, faults *fault.List) {
	for _, list := range []struct {
		pointer string
		names   []string
	}{{"/exclude/", p.Exclude}, {"/include/", p.Include}, {"/categorical/", p.Categorical}} {
		for i, name := range list.names {
			switch {
			case !slices.Contains(header, name):
				faults.Add(list.pointer+strconv.Itoa(i), fault.CodeUnknownField, noColumn)
			case list.pointer == "/include/" && slices.Contains(p.Exclude, name):
				faults.Add(list.pointer+strconv.Itoa(i), fault.CodeInvalidField, "is in \"exclude\" too")
			}
		}
	}
	mapped := 0
	for _, name := range header {
		if _, ok := p.Map[name]; ok {
			mapped++
		}
	}
	if mapped < len(p.Map) {
		faults.Add("/map", fault.CodeUnknownField, "names a column that the header does not have")
	}
}

func (p *plan) add(name string, at int, taken map[string]bool, faults *fault.List) {
	wanted, mapped := p.Map[name]
	included := slices.Contains(p.Include, name)
	switch {
	case slices.Contains(p.Exclude, name):
		p.drop(name, codeExcluded, "")
		return
	case name == "":
		p.drop(name, codeIdentifier, "a column without a name is taken for the row number")
		return
	case !included && !mapped && slices.Contains(identifiers, strings.ToLower(name)):
		p.drop(name, codeIdentifier,
			"its name is a usual name of an identifier; to use the column, list it in \"include\"")
		return
	}
	s := &source{
		name:        name,
		at:          at,
		wanted:      included,
		mapped:      mapped,
		categorical: slices.Contains(p.Categorical, name),
	}
	if !mapped {
		wanted = p.fieldOf(name)
	}
	id, known := field.Catalogue().Lookup(wanted)
	switch {
	case known && field.Catalogue().Field(id).Supply == rule.FromEngine:
		p.drop(name, codeNotAnInput, "the engine computes this field while it decides")
		return
	case known:
		s.known = field.Catalogue().Field(id)
		s.field = rule.Ref{Name: s.known.Name, ID: id, Type: s.known.Type}
	case mapped && !field.Declarable(wanted):
		detail := "is neither a known field nor a path that begins with \"applicant.\" or \"report.\""
		if near, ok := field.Catalogue().Nearest(wanted); ok {
			detail += "; did you mean " + near + "?"
		}
		faults.Add("/map/"+fault.EscapePointer(name), fault.CodeUnknownField, "%s", detail)
		return
	default:
		s.field = rule.Ref{Name: wanted, ID: rule.Undeclared}
	}
	if taken[s.field.Name] {
		if mapped || s.known != nil {
			faults.Add("/map/"+fault.EscapePointer(name), fault.CodeDuplicate,
				"another column is already mapped to this field")
			return
		}
		s.field.Name = unused(s.field.Name, taken)
	}
	taken[s.field.Name] = true
	s.foir = s.field.Name == field.FOIR || s.field.Name == "applicant.foir"
	s.percent = s.foir && p.PercentFOIR
	p.sources = append(p.sources, s)
}

// fieldOf returns the field of a column that is not mapped.
func (p *plan) fieldOf(name string) string {
	if strings.EqualFold(name, "score") {
		return field.BureauScore
	}
	if _, known := field.Catalogue().Lookup(name); known || field.Declarable(name) {
		return name
	}
	clean := []byte("applicant.")
	for i := range len(name) {
		c := name[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		default:
			c = '_'
		}
		if len(clean) == len("applicant.") && (c == '_' || c <= '9') {
			clean = append(clean, 'c') // a name must begin with a letter
		}
		clean = append(clean, c)
	}
	if len(clean) > 64 {
		clean = clean[:64]
	}
	if _, known := field.Catalogue().Lookup(string(clean)); known {
		clean = append(clean, '_', 'x') // the name must not match a known field by accident
	}
	return string(clean)
}

func unused(name string, taken map[string]bool) string {
	for n := 2; ; n++ {
		if candidate := fmt.Sprintf("%s_%d", name, n); !taken[candidate] {
			return candidate
		}
	}
}

func (p *plan) drop(column, code, detail string) {
	p.dropped = append(p.dropped, Dropped{column, code, detail})
}

// holdOut reports whether a row is held out.
func (p *plan) holdOut(row int64, cells [][]byte) bool {
	switch {
	case p.HoldOut != nil:
		return p.HoldOut(row)
	case p.split >= 0:
		return string(bytes.TrimSpace(cells[p.split])) == p.SplitValue
	}
	draw := mix(uint64(row)^mix(uint64(p.Seed))) % uint64(rule.One)
	return draw < uint64(p.HoldOutShare)
}
