package console

import (
	"regexp"
	"strings"
)

var plainDecimal = regexp.MustCompile(`^(-?)([0-9]+)(?:\.([0-9]+))?$`)

// shareOf returns a ratio in percent, such as "50 %" for "0.5". It returns a text that is not a plain decimal
// unchanged. It only moves the decimal point, so no digit is lost.
func shareOf(ratio string) string {
	if moved, ok := movePoint(ratio, 2); ok {
		return moved + " %"
	}
	return ratio
}

// ratioOf returns the ratio that a person typed: "0.5" for "50 %", and any text that does not end with "%" unchanged. A
// number without "%" is thus a ratio, as in the document.
func ratioOf(typed string) string {
	number, isPercent := strings.CutSuffix(strings.TrimSpace(typed), "%")
	if moved, ok := movePoint(strings.TrimSpace(number), -2); ok && isPercent {
		return moved
	}
	return typed
}

// movePoint moves the decimal point of a number to the right, or to the left if by is negative. It reports false if the
// text is not a plain decimal.
func movePoint(text string, by int) (string, bool) {
	found := plainDecimal.FindStringSubmatch(text)
	if found == nil {
		return "", false
	}
	digits, at := found[2]+found[3], len(found[2])+by
	if at <= 0 {
		digits, at = strings.Repeat("0", 1-at)+digits, 1
	}
	if at > len(digits) {
		digits += strings.Repeat("0", at-len(digits))
	}
	whole, rest := strings.TrimLeft(digits[:at], "0"), strings.TrimRight(digits[at:], "0")
	if whole == "" {
		whole = "0"
	}
	if rest != "" {
		rest = "." + rest
	}
	return found[1] + whole + rest, true
}
