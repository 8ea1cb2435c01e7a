package training

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// column is a column divided into cells, which are finer than bins. codes
// contains, for each row, the code of its cell.
type column struct {
	*source
	field    rule.Ref      // field of the column, with its type resolved
	specials []rule.Number // ascending
	cuts     []rule.Number // numeric: cell k holds the numbers n with cuts[k-1] ≤ n < cuts[k]
	values   []string      // categorical: cell k holds values[k]; one further cell holds the rest
	place    map[string]uint8
	codes    []uint8 // code of each row
	outside  int64   // cells with no number, or with a number that the field cannot hold; they are read as missing

	missing   map[string]int64 // spellings of a missing number and their counts
	formatted int64            // numbers with separators, a currency or a percent sign
}

func (c *column) numeric() bool { return c.field.Type == rule.NumberType }

// cells returns the number of codes.
func (c *column) cells() int {
	if c.numeric() {
		return 1 + len(c.specials) + len(c.cuts) + 1
	}
	return 1 + len(c.values) + 1
}

// number returns the code of the cell that holds n.
func (c *column) number(n rule.Number) uint8 {
	if i, found := slices.BinarySearch(c.specials, n); found {
		return uint8(1 + i)
	}
	k, found := slices.BinarySearch(c.cuts, n)
	if found {
		k++
	}
	return uint8(1 + len(c.specials) + k)
}

// code returns the code of a cell of the file. A nil cell is missing.
func (c *column) code(cell []byte) uint8 {
	if cell == nil {
		return codeMissing
	}
	if !c.numeric() {
		if code, ok := c.place[string(cell)]; ok {
			return code
		}
		return uint8(1 + len(c.values))
	}
	n, how := c.source.number(cell)
	switch {
	case how == spelledMissing:
		c.noteMissing(cell)
		return codeMissing
	case how == noNumber || c.cannotBe(n):
		c.outside++
		return codeMissing
	case how == formattedNumber:
		c.formatted++
	}
	return c.number(n)
}

const (
	preBins       = 50
	keptValues    = 100
	leastOfAValue = 0.005 // minimum share of the rows; rarer categories share a cell
)

// settle returns the column that is made from the survey, or the reason why the
// column is dropped.
func (s *surveyed) settle(o *Options, rows int64) (*column, *Dropped) {
	drop := func(code, detail string) (*column, *Dropped) { return nil, &Dropped{s.name, code, detail} }
	s.asSent()
	if detail := s.identifier(); detail != "" {
		return drop(codeIdentifier, detail)
	}
	c := &column{source: s.source, field: s.field}
	if s.known == nil {
		c.field.Type = rule.NumberType
		if s.categorical || s.texts > 0 || s.nothing == s.filled {
			c.field.Type = rule.StringType
		}
	}
	filled := s.filled
	if c.numeric() {
		filled -= s.nothing
	}
	switch {
	case filled == 0:
		return drop(codeEmpty, "no training row has a value")
	case c.numeric() && s.texts > 0:
		return drop(codeNotANumber, "the field is a number, but the column contains other values")
	case c.numeric() && s.foir && !s.percent && s.outside*2 > filled:
		return drop(fault.CodeFOIRLooksLikePercent,
			fmt.Sprintf("%d of %d values are not ratios of at most 5, so the column seems to contain percentages: "+
				"send \"foir_unit\": \"percent\" (-foir percent), or list the column in \"exclude\"",
				s.outside, filled))
	case c.numeric() && s.outside*10 > filled*9:
		return drop(fault.CodeUnreadableColumn,
			fmt.Sprintf("%d of %d values are not valid for the field: fix the column, map it to another field, "+
				"or list it in \"exclude\"", s.outside, filled))
	case c.numeric():
		s.cutNumbers(c, o)
		if len(c.cuts) == 0 && len(c.specials) == 0 && filled == rows {
			return drop(codeConstant, "every training row has the same value")
		}
	case s.endless:
		return drop(codeTooManyValues, "has too many different values for a category")
	case s.long:
		return drop(codeTooLong, "has values that are too long to be a category")
	case len(s.by) == 1 && filled == rows:
		return drop(codeConstant, "every training row has the same value")
	default:
		s.keepValues(c, rows)
	}
	return c, nil
}

// asSent replaces the column's field by the raw "applicant." field if the column
// has values that the field does not accept. The raw field accepts any text, so
// that a lender's own spellings become categories.
func (s *surveyed) asSent() {
	if s.known == nil || len(s.known.Values) == 0 || s.endless {
		return
	}
	for name := range s.by {
		if slices.Contains(s.known.Values, name) {
			continue
		}
		raw := "applicant." + s.known.Name
		if id, ok := field.Catalogue().Lookup(raw); ok && len(field.Catalogue().Field(id).Values) == 0 {
			s.known = field.Catalogue().Field(id)
			s.field = rule.Ref{Name: raw, ID: id, Type: s.known.Type}
		}
		return
	}
}

// keepValues gives each frequent category its own cell, beginning with the most
// frequent.
func (s *surveyed) keepValues(c *column, rows int64) {
	names := slices.SortedFunc(maps.Keys(s.by), func(a, b string) int {
		return cmp.Or(cmp.Compare(*s.by[b], *s.by[a]), cmp.Compare(a, b))
	})
	c.place = map[string]uint8{}
	for _, name := range names {
		if len(c.values) == keptValues || float64(*s.by[name]) < leastOfAValue*float64(rows) {
			break
		}
		if s.known != nil && s.known.Type == rule.StringType && len(s.known.Values) > 0 &&
			!slices.Contains(s.known.Values, name) {
			continue // the field cannot hold this value
		}
		c.values = append(c.values, name)
		c.place[name] = uint8(len(c.values))
	}
}

// cutNumbers divides the sampled numbers into cells with about the same number of
// rows. A column with few distinct values gets one cell for each value.
func (s *surveyed) cutNumbers(c *column, o *Options) {
	c.specials = nil
	sample := s.numbersOf()
	for _, n := range slices.Compact(slices.Sorted(slices.Values(o.Special))) {
		if slices.Contains(sample, n) && len(c.specials) < maxSpecials {
			c.specials = append(c.specials, n)
		}
	}
	sample = slices.DeleteFunc(sample, func(n rule.Number) bool {
		_, special := slices.BinarySearch(c.specials, n)
		return special
	})
	slices.Sort(sample)
	distinct := slices.Compact(slices.Clone(sample))
	if len(distinct) <= preBins {
		for i := 1; i < len(distinct); i++ {
			c.cuts = append(c.cuts, roundest(distinct[i-1], distinct[i]))
		}
		return
	}
	for k := 1; k < preBins; k++ {
		at, _ := slices.BinarySearch(distinct, sample[k*len(sample)/preBins])
		if at == 0 {
			continue
		}
		if cut := roundest(distinct[at-1], distinct[at]); len(c.cuts) == 0 || cut > c.cuts[len(c.cuts)-1] {
			c.cuts = append(c.cuts, cut)
		}
	}
}

const maxSpecials = 20

// roundest returns the number n with the fewest digits for which below < n ≤ at.
// Every such n separates the same rows, and a number with few digits is easier to
// read.
func roundest(below, at rule.Number) rule.Number {
	for unit := rule.MaxNumber; unit > 1; unit /= 10 {
		n := at / unit * unit
		if at < 0 && n != at {
			n -= unit
		}
		if n > below {
			return n
		}
	}
	return at
}
