package training

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/sheet"
)

// Note says how some cells, rows or lines of the file were interpreted.
type Note struct {
	Column, Code, Detail string
	Count                int64 // number of cells, rows or lines; 0 if nothing was counted
}

// Counted reports whether the detail already contains the count.
func (n Note) Counted() bool { return n.Code == fault.CodeReadAsMissing || n.Code == codeMostlyNumbers }

// unreadableCell is written instead of the text of cells whose bytes could not be
// decoded.
const unreadableCell = "(undecodable)"

// noteMissing counts a spelling of a missing number.
func (c *column) noteMissing(cell []byte) {
	if c.missing == nil {
		c.missing = map[string]int64{}
	}
	text := string(cell)
	if !sheet.SpelledMissing(text) {
		text = unreadableCell
	}
	c.missing[text]++
}

// notes returns notes on how the cells of a column were read.
func (c *column) notes() (list []Note) {
	if len(c.missing) > 0 {
		texts := slices.SortedFunc(maps.Keys(c.missing), func(a, b string) int {
			return cmp.Or(cmp.Compare(c.missing[b], c.missing[a]), cmp.Compare(a, b))
		})
		all := int64(0)
		parts := make([]string, len(texts))
		for i, text := range texts {
			all += c.missing[text]
			parts[i] = fmt.Sprintf("%s %d times", text, c.missing[text])
		}
		detail := "in a column of numbers these were read as missing: " + strings.Join(parts, ", ")
		list = append(list, Note{c.name, fault.CodeReadAsMissing, detail, all})
	}
	if c.formatted > 0 {
		list = append(list, Note{c.name, fault.CodeNumberFormat,
			"cells with thousands separators, a currency, a percent sign or the like " +
				"were read as plain numbers: 1,23,456 as 123456, 12.5% as 12.5", c.formatted})
	}
	return list
}

// Thresholds for suspecting that a column was misread or contains special values.
const (
	mostlyNumbers   = 0.95  // share of the filled cells
	leastOfACode    = 0.005 // share of the sampled numbers
	farFromTheOther = 5     // multiple of the largest other number
)

// notes returns notes about a column that may have been misread. c is nil if the
// column was dropped.
func (s *surveyed) notes(c *column) (list []Note) {
	numbers := s.filled - s.texts - s.nothing
	mixed := s.known == nil && !s.categorical && s.texts > 0
	if mixed && float64(numbers) >= mostlyNumbers*float64(s.filled) {
		list = append(list,
			Note{s.name, codeMostlyNumbers, fmt.Sprintf("%d of %d filled cells are numbers and the others are not, "+
				"so the column counts as a category: fix those cells, or list them in \"missing_values\"",
				numbers, s.filled), s.texts})
	}
	if c == nil || !c.numeric() {
		return list
	}
	for _, n := range s.possibleSpecials(c) {
		list = append(list, Note{Column: s.name, Code: codePossibleSpecialValue, Detail: fmt.Sprintf(
			"%s stands apart from all other numbers and may be a code: list it in \"special_values\" to give it a bin "+
				"of its own", n)})
	}
	return list
}

// possibleSpecials returns frequent numbers that look like special codes: the
// only negative number, or a number of nines far above all other numbers.
func (s *surveyed) possibleSpecials(c *column) (list []rule.Number) {
	sample := slices.DeleteFunc(s.numbersOf(), func(n rule.Number) bool { return slices.Contains(c.specials, n) })
	slices.Sort(sample)
	distinct := slices.Compact(slices.Clone(sample))
	if len(distinct) < 3 {
		return nil
	}
	often := func(n rule.Number) bool {
		from, _ := slices.BinarySearch(sample, n)
		to, _ := slices.BinarySearch(sample, n+1)
		return float64(to-from) >= leastOfACode*float64(len(sample))
	}
	if least := distinct[0]; least < 0 && distinct[1] >= 0 && often(least) {
		list = append(list, least)
	}
	most, next := distinct[len(distinct)-1], distinct[len(distinct)-2]
	if isNines(most) && most >= farFromTheOther*max(next, rule.One) && often(most) {
		list = append(list, most)
	}
	return list
}

// isNines reports whether a number has at least three digits, all nines except
// that the last digit may be 6 to 9, as in 9999998.
func isNines(n rule.Number) bool {
	text := n.String()
	last := len(text) - 1
	return last >= 2 && strings.Trim(text[:last], "9") == "" && text[last] >= '6' && text[last] <= '9'
}

// encodingNotes returns notes on how the bytes of the file were decoded.
func encodingNotes(p sheet.Probe) (list []Note) {
	if p.Encoding == sheet.Windows1252 {
		list = append(list, Note{"", fault.CodeEncoding,
			"the file is not UTF-8 text and was read as Windows-1252", p.Lines})
	}
	if p.Replaced > 0 {
		list = append(list, Note{
			"",
			codeReplacedBytes,
			"lines contain bytes that are not text in the file's encoding; they were replaced by U+FFFD",
			p.Replaced,
		})
	}
	return list
}
