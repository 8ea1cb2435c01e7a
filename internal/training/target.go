package training

import (
	"bytes"
	"slices"
	"strings"

	"verdict/internal/fault"
)

// The default spellings of an outcome.
var (
	usualBad  = []string{"1", "1.0", "bad", "b", "y", "yes", "true", "default", "defaulted"}
	usualGood = []string{"0", "0.0", "good", "g", "n", "no", "false", "paid", "performing"}
)

// usualIndeterminate lists the spellings of an outcome that is neither good nor
// bad: arrears that are too short to be bad and too long to be good.
// usualUnlabelled lists the spellings of a missing outcome. The options may
// define any of these texts as good or bad instead.
var (
	usualIndeterminate = []string{"indeterminate", "indeterm", "indet", "indeterminant"}
	usualUnlabelled    = []string{"na", "n/a", "#n/a", "nan", "null"}
)

// outcome is the outcome of a row, read from the target column.
type outcome uint8

const (
	unlabelled outcome = iota
	good
	bad
	indeterminate
	unspelt // the text matches none of the spellings
)

// spelling maps texts to outcomes.
type spelling struct {
	known map[string]outcome
	rest  outcome // outcome of any other text
}

// newSpelling returns the spelling for the given texts. If neither bads nor goods
// are given, it uses the default spellings. If only bads or only goods are given,
// every other text means the opposite.
func newSpelling(bads, goods, indeterminates []string) spelling {
	s := spelling{known: map[string]outcome{}, rest: unspelt}
	for _, text := range usualUnlabelled {
		s.known[text] = unlabelled
	}
	for _, text := range slices.Concat(usualIndeterminate, indeterminates) {
		s.known[strings.ToLower(strings.TrimSpace(text))] = indeterminate
	}
	switch {
	case len(bads) == 0 && len(goods) == 0:
		bads, goods = usualBad, usualGood
	case len(goods) == 0:
		s.rest = good
	case len(bads) == 0:
		s.rest = bad
	}
	for _, g := range goods {
		s.known[strings.ToLower(strings.TrimSpace(g))] = good
	}
	for _, b := range bads {
		s.known[strings.ToLower(strings.TrimSpace(b))] = bad
	}
	return s
}

func (s *spelling) read(cell []byte) outcome {
	cell = bytes.TrimSpace(cell)
	if len(cell) == 0 {
		return unlabelled
	}
	if o, ok := s.known[string(cell)]; ok {
		return o
	}
	if o, ok := s.known[strings.ToLower(string(cell))]; ok {
		return o
	}
	return s.rest
}

// unspeltAt returns the error for a row whose outcome has no known spelling.
func unspeltAt(row int64) error {
	var faults fault.List
	faults.Add("/bad_values", fault.CodeInvalidField,
		"the outcome of row %d has an unknown spelling: give the spellings of a bad outcome", row)
	return faults.Err()
}
