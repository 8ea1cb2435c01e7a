package training

import (
	"strings"
	"unicode/utf8"

	"verdict/internal/engine"
	"verdict/internal/field"
)

// maxLabel is how many bytes a factor's label has.
const maxLabel = 120

// setReasonCode sets the codes under which an applicant is told that a factor
// cost points: that of the catalogue's field where it is true, else one of the
// factor's own. Factors whose names make the same code are numbered; taken has
// the codes of the factors before this one.
func setReasonCode(f *engine.Factor, taken map[string]bool) {
	if f.DefaultCodes(field.Catalogue()); f.ReasonCode == "" {
		f.ReasonCode = engine.UniqueCode(engine.FactorCode(f.Name), taken)
		taken[f.ReasonCode] = true
	}
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
