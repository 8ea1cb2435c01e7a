package training

import (
	"strings"
	"unicode/utf8"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// Bounds of what a factor carries for people.
const (
	maxReasonCode = 64
	maxLabel      = 120
)

// reasonCode is the code under which an applicant is told that a factor cost
// points: that of the catalogue's field, or one of the factor's own.
func reasonCode(ref rule.Ref, factor string) string {
	if ref.ID >= 0 {
		if code := field.Catalogue().Field(ref.ID).ReasonCode; code != "" {
			return code
		}
	}
	code := []byte("FACTOR_")
	for i := range len(factor) {
		c := factor[i]
		switch {
		case 'a' <= c && c <= 'z':
			c -= 'a' - 'A'
		case 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		default:
			c = '_'
		}
		code = append(code, c)
	}
	return string(code[:min(len(code), maxReasonCode)])
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
