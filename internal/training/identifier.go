package training

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"verdict/internal/rule"
)

// identifiers lists common names of columns that only identify rows. A column
// with such a name is dropped, regardless of its values, unless the options
// include or map it.
var identifiers = []string{
	"id", "row", "index", "uuid", "guid", "ref", "applicant_id", "applicant.id", "row_id",
	"application_id", "application_no", "application_ref", "loan_id", "loan_no", "loan_ref", "sr_no", "serial_no",
	"unnamed: 0",
}

// identifierWords lists the last words of names that may be names of identifiers. Not every such column is an
// identifier: "customer_no" is one, but "branch_no" is not. So the values must be mostly unique too.
var identifierWords = []string{
	"id", "ids", "no", "num", "nr", "number", "ref", "reference", "uuid", "guid", "key", "serial", "identifier",
	"pan", "aadhaar", "mobile", "phone", "email", "msisdn", "account", "acct", "utr",
}

// Thresholds for recognising an identifier.
const (
	leastIdentified = 100  // a column with fewer values is never called an identifier
	nearlyUnique    = 0.95 // share of distinct values that suffices for any name
	mostlyUnique    = 0.5  // share of distinct values that suffices if the name is that of an identifier
	longDigits      = 9    // numbers of equal length with at least this many digits are probably not amounts
	sparse          = 3    // a row counter uses, on average, at least one of three consecutive numbers
)

// identifier returns the reason why a column only identifies rows, or "" if the
// column may predict the outcome.
func (s *surveyed) identifier() string {
	if s.known != nil || s.wanted || s.mapped || s.categorical || s.filled < leastIdentified {
		return ""
	}
	if s.texts == 0 && !s.whole {
		return "" // numbers with decimals are amounts
	}
	const remedy = "; to use the column, list it in \"include\""
	unique, n := s.uniqueShare()
	switch {
	case n < leastIdentified:
		return ""
	case s.texts*2 > s.filled && unique >= nearlyUnique:
		return "nearly every row has a different value" + remedy
	case s.texts == 0 && unique >= nearlyUnique && s.counts():
		return "it numbers the rows" + remedy
	case s.texts == 0 && unique >= nearlyUnique && s.digits() >= longDigits:
		return fmt.Sprintf("nearly every row has a different number, all of %d digits%s", s.digits(), remedy)
	case unique >= mostlyUnique && hasIdentifierName(s.name):
		return "its name is a usual name of an identifier, and most of its values are different" + remedy
	}
	return ""
}

// uniqueShare returns the share of distinct values among the values that were
// counted or sampled, and the number n of these values.
func (s *surveyed) uniqueShare() (share float64, n int64) {
	switch {
	case !s.endless:
		return float64(len(s.by)) / float64(s.filled), s.filled
	case s.texts > 0:
		return float64(maxCategories) / float64(s.filledAtEndless), s.filledAtEndless
	}
	sample := s.numbersOf()
	distinct := slices.Compact(slices.Sorted(slices.Values(sample)))
	return float64(len(distinct)) / float64(max(len(sample), 1)), int64(len(sample))
}

// numbersOf returns the numbers in the sample.
func (s *surveyed) numbersOf() []rule.Number {
	return slices.DeleteFunc(slices.Clone(s.sample), func(n rule.Number) bool { return n == absentNumber })
}

// counts reports whether the numbers look like a row counter: through the file
// they only rise or only fall, without large gaps.
func (s *surveyed) counts() bool {
	sample := s.numbersOf()
	if len(sample) == 0 {
		return false
	}
	span := float64(slices.Max(sample)-slices.Min(sample)) / float64(rule.One)
	return (s.rises != s.falls) && span <= float64(sparse)*float64(s.filled)
}

// digits returns the number of digits if all numbers have the same number of
// digits, otherwise 0.
func (s *surveyed) digits() int {
	sample := s.numbersOf()
	if len(sample) == 0 || slices.Min(sample) <= 0 {
		return 0
	}
	least, most := slices.Min(sample), slices.Max(sample)
	length := func(n rule.Number) int { return int(math.Floor(math.Log10(float64(n)/float64(rule.One)))) + 1 }
	if length(least) != length(most) {
		return 0
	}
	return length(least)
}

// hasIdentifierName reports whether the last word of a name is in
// identifierWords, or the first word is "id" or "ids".
func hasIdentifierName(name string) bool {
	list := words(name)
	if len(list) == 0 {
		return false
	}
	return slices.Contains(identifierWords, list[len(list)-1]) || slices.Contains(identifierWords[:2], list[0])
}

// words returns the words of a name in lower case. It splits the name at every
// character that is not a letter or digit, and before a capital letter that
// follows a small letter.
func words(name string) (list []string) {
	start := true
	small := false
	for _, c := range name {
		isLetter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= 0x80
		if !isLetter {
			start = true
			continue
		}
		capital := 'A' <= c && c <= 'Z'
		if start || capital && small {
			list = append(list, "")
			start = false
		}
		small = 'a' <= c && c <= 'z'
		list[len(list)-1] += strings.ToLower(string(c))
	}
	return list
}
