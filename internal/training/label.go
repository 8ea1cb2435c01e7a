package training

import (
	"strings"
	"unicode/utf8"

	"verdict/internal/engine"
	"verdict/internal/field"
)

// maxLabel is the maximum length of a factor's label, in bytes.
const maxLabel = 120

// setReasonCode sets the reason codes of a factor, which tell an applicant that
// the factor cost points. It uses the code of the catalogue's field if there is
// one, otherwise a code made from the factor's name. taken holds the codes that
// were made for earlier factors; if the new code is among them, a number is
// added to it.
func setReasonCode(f *engine.Factor, taken map[string]bool) {
	if f.DefaultCodes(field.Catalogue()); f.ReasonCode == "" {
		f.ReasonCode = engine.UniqueCode(engine.FactorCode(f.Name), taken)
		taken[f.ReasonCode] = true
	}
}

// labelOf makes the name of a column readable. For example, "PAY_0" becomes "Pay
// 0" and "loanAmount" becomes "Loan amount". A name without letters and digits
// stays unchanged.
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
