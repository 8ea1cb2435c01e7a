package training

import (
	"strings"
	"unicode/utf8"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// maxLabel is how many bytes a factor's label has.
const maxLabel = 120

// reasonCode is the code under which an applicant is told that a factor cost
// points: that of the catalogue's field, or one of the factor's own.
// Factors whose names make the same code are numbered; taken has the codes of
// the factors before this one.
func reasonCode(ref rule.Ref, factor string, taken map[string]bool) string {
	if ref.ID >= 0 {
		if code := field.Catalogue().Field(ref.ID).ReasonCode; code != "" {
			return code
		}
	}
	code := engine.UniqueCode(engine.FactorCode(factor), taken)
	taken[code] = true
	return code
}

// labelOf makes the name of a column readable: "PAY_0" is "Pay 0", "loanAmount"
// is "Loan amount". A name without a letter or digit stays as it is.
func labelOf(column string) string {
	label := strings.Join(words(column), " ")
	if label == "" {
		return column
	}
	first, size := utf8.DecodeRuneInString(label)
	label = strings.ToUpper(string(first)) + label[size:]
	for len(label) > maxLabel {
		_, size := utf8.DecodeLastRuneInString(label)
		label = label[:len(label)-size]
	}
	return label
}
