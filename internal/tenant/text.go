package tenant

import "unicode"

const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
)

const unprintableDetail = "must not contain control characters, line breaks or invisible formatting"

// printable reports whether a text is safe to display on one line, in a log or on
// a page. It must not contain control characters, line breaks, invalid UTF-8, or
// formatting characters that change how the text is displayed. The two joiners are
// allowed, because names in Indian scripts need them.
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

// visible returns the number of characters without the joiners, which are invisible.
func visible(text string) int {
	n := 0
	for _, r := range text {
		if r != zeroWidthNonJoiner && r != zeroWidthJoiner {
			n++
		}
	}
	return n
}
