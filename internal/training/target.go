package training

import (
	"bytes"
	"maps"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/sheet"
)

// spelling maps texts to outcomes.
type spelling struct {
	known map[string]sheet.Outcome // by text in lower case
	rest  sheet.Outcome            // outcome of any other text
}

// newSpelling returns the spelling for the given texts. If neither bads nor goods
// are given, it uses the default spellings. If only bads or only goods are given,
// every other text means the opposite, except for the default spellings of a missing
// or an indeterminate outcome. A given text overrides a default spelling.
func newSpelling(bads, goods, indeterminates []string) spelling {
	s := spelling{known: sheet.DefaultOutcomes(), rest: sheet.UnknownOutcome}
	if len(bads) > 0 || len(goods) > 0 {
		maps.DeleteFunc(s.known, func(_ string, o sheet.Outcome) bool { return o == sheet.Good || o == sheet.Bad })
	}
	switch {
	case len(bads) > 0 && len(goods) == 0:
		s.rest = sheet.Good
	case len(goods) > 0 && len(bads) == 0:
		s.rest = sheet.Bad
	}
	s.add(indeterminates, sheet.Indeterminate)
	s.add(goods, sheet.Good)
	s.add(bads, sheet.Bad)
	return s
}

func (s *spelling) add(texts []string, o sheet.Outcome) {
	for _, text := range texts {
		s.known[strings.ToLower(strings.TrimSpace(text))] = o
	}
}

func (s *spelling) read(cell []byte) sheet.Outcome {
	cell = bytes.TrimSpace(cell)
	if len(cell) == 0 {
		return sheet.NoOutcome
	}
	if o, ok := s.known[string(cell)]; ok {
		return o
	}
	if o, ok := s.known[strings.ToLower(string(cell))]; ok {
		return o
	}
	return s.rest
}

// An OutcomeError is the refusal of a row whose outcome has no known spelling. Its text does not contain the value,
// because a service that sends the text must not repeat what was submitted. A command shows the value.
type OutcomeError struct {
	Value   string
	Line    int64 // the line of the file where the row begins
	refusal error
}

func (e *OutcomeError) Error() string { return e.refusal.Error() }

// Unwrap returns the refusal without the value.
func (e *OutcomeError) Unwrap() error { return e.refusal }

// unspeltAt returns the error for a row whose outcome has no known spelling.
func unspeltAt(row int64, cell []byte) error {
	var faults fault.List
	faults.Add("/bad_values", fault.CodeInvalidField,
		"the outcome of row %d has an unknown spelling: give the spellings of a bad outcome", row)
	return &OutcomeError{Value: string(bytes.TrimSpace(cell)), refusal: faults.Err()}
}
