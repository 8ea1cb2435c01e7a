package tenant

import "unicode"

const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
)

const unprintableDetail = "must not hold control characters, line breaks or invisible formatting"

// printable reports whether a text is safe to show on one line, in a log or on
// a page: without control characters, line breaks and the formatting
// characters that make a text read otherwise than it is. The two joiners stay,
// because the names of Indian scripts are written with them.
func printable(text string) bool {
	for _, r := range text {
		switch {
		case r == zeroWidthNonJoiner, r == zeroWidthJoiner:
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp), r == unicode.ReplacementChar:
			return false
		}
	}
	return true
}

// visible counts the characters of a text, without the joiners, which show
// nothing by themselves.
func visible(text string) int {
	n := 0
	for _, r := range text {
		if r != zeroWidthNonJoiner && r != zeroWidthJoiner {
			n++
		}
	}
	return n
}
