package sheet

import (
	"bytes"
	"strings"
)

// Spelling says how a cell of a numeric column is written if it is not a plain
// number.
type Spelling uint8

// The spellings of a cell that is not a plain number.
const (
	NoNumber  Spelling = iota
	Formatted          // a number with thousands separators or a currency
	Percent            // a number with a percent sign
	Missing            // a common spelling of a missing number
)

// ReadFormatted reads a cell that is not a plain number and has no spaces around it.
// For a formatted number, plain is the cell without the formatting; the caller
// checks whether plain is a number.
func ReadFormatted(cell []byte) (plain []byte, s Spelling) {
	if IsMissing(cell) {
		return nil, Missing
	}
	plain, percent := unformatted(cell)
	switch {
	case plain == nil:
		return nil, NoNumber
	case percent:
		return plain, Percent
	}
	return plain, Formatted
}

// missingSpellings holds the texts that programs and people write in place of a
// missing number.
var missingSpellings = map[string]bool{
	"na": true, "n/a": true, "n.a.": true, "#n/a": true, "#na": true, "nan": true, "null": true, "#null!": true,
	"nil": true, "none": true, "missing": true, "not available": true, "-": true, "--": true, ".": true, "?": true,
	"–": true, "—": true,
}

const longestMissing = 13 // length of "not available" in bytes

// replacement is the character that replaces bytes that could not be decoded.
var replacement = []byte("\uFFFD")

// IsMissing reports whether a cell of a numeric column means a missing number.
func IsMissing(cell []byte) bool {
	return len(cell) <= longestMissing && missingSpellings[strings.ToLower(string(cell))] || bytes.Contains(cell,
		replacement)
}

// currencies lists the currency signs before or after an amount, in lower case and
// the longest first.
var currencies = [][]byte{[]byte("inr"), []byte("rs."), []byte("usd"), []byte("eur"), []byte("rs"), []byte("₹"),
	[]byte("$"), []byte("€"), []byte("£")}

const longestNumber = 40 // bytes of a formatted number

// unformatted removes separators, currencies, a plus sign and a percent sign from a formatted number. It returns nil if
// the cell is too long, if its commas do not separate thousands, or if the rest does not begin with a digit. "(1,200)"
// is -1200, as accountants write it.
func unformatted(cell []byte) (plain []byte, percent bool) {
	if len(cell) > longestNumber {
		return nil, false
	}
	text := bytes.ToLower(cell)
	negative := false
	if n := len(text); n > 2 && text[0] == '(' && text[n-1] == ')' {
		text, negative = text[1:n-1], true
	}
	text = bytes.TrimSpace(text)
	sign := func() {
		if len(text) > 0 && (text[0] == '-' || text[0] == '+') && !negative {
			negative = text[0] == '-'
			text = bytes.TrimSpace(text[1:])
		}
	}
	sign()
	for _, c := range currencies {
		if rest, ok := bytes.CutPrefix(text, c); ok {
			text = bytes.TrimSpace(rest)
			sign()
			break
		}
		if rest, ok := bytes.CutSuffix(text, c); ok {
			text = bytes.TrimSpace(rest)
			break
		}
	}
	text, percent = bytes.CutSuffix(text, []byte("%"))
	digits := ungrouped(bytes.TrimSpace(text))
	if digits == nil || digits[0] < '0' || digits[0] > '9' { // no digits, or a second sign
		return nil, false
	}
	if negative {
		digits = append([]byte("-"), digits...)
	}
	return digits, percent
}

// ungrouped removes the commas from a number and adds a zero before a leading
// point. It returns nil if the commas do not separate thousands, as in "1,5".
func ungrouped(text []byte) []byte {
	whole, decimals, point := bytes.Cut(text, []byte("."))
	groups := bytes.Split(whole, []byte(","))
	if len(groups) > 1 && !areThousands(groups) || len(whole) == 0 && len(decimals) == 0 {
		return nil
	}
	digits := bytes.Join(groups, nil)
	if len(digits) == 0 && point {
		digits = append(digits, '0')
	}
	if len(decimals) > 0 {
		digits = append(append(digits, '.'), decimals...)
	}
	return digits
}

// areThousands reports whether digits are in groups of three or, as in India, the last group has three digits and the
// groups before it have two. The first group may be shorter.
func areThousands(groups [][]byte) bool {
	first, middle, last := groups[0], groups[1:len(groups)-1], groups[len(groups)-1]
	size := 3
	if len(middle) > 0 {
		size = len(middle[0])
	}
	if len(first) == 0 || len(first) > size || size != 2 && size != 3 || len(last) != 3 {
		return false
	}
	for _, group := range middle {
		if len(group) != size {
			return false
		}
	}
	return true
}

// SpelledMissing reports whether a cell is one of the known spellings of a missing
// number, which a report may repeat.
func SpelledMissing(cell string) bool { return missingSpellings[strings.ToLower(cell)] }
