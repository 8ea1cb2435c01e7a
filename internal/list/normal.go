package list

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Normal appends the normal form of a text to dst: Unicode's NFKC, case folded, without invisible characters, without
// space at its ends and with single spaces inside. Two texts are equal in a list if their normal forms are. The normal
// form of a normal form is the same text.
func Normal(dst []byte, text string) []byte {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return spaced(dst, folded(text))
		}
	}
	return spaced(dst, text)
}

// del is ASCII's control character DEL.
const del = 0x7f

// maxFolds limits how often folded repeats itself. Unicode needs two rounds for a few characters.
const maxFolds = 4

// folded removes invisible characters and applies NFKC and case folding until nothing changes the text. One round is
// not enough: folding can give a text that NFKC changes again. Invisible characters are removed first, because NFKC
// does not compose two characters that an invisible one separates.
func folded(text string) string {
	fold := cases.Fold()
	for range maxFolds {
		next := norm.NFKC.String(fold.String(norm.NFKC.String(strings.Map(visible, text))))
		if next == text {
			break
		}
		text = next
	}
	return text
}

// visible returns the character, or -1 if the character is invisible. Invisible characters must be removed, because
// somebody who is on a list could otherwise evade it with a zero-width space in the name. They are control
// characters and Unicode's default ignorable characters, such as joiners, variation selectors and the soft hyphen.
// White space counts as visible.
func visible(r rune) rune {
	if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		!unicode.IsSpace(r) {
		return -1
	}
	return r
}

// spaced appends the words of a text to dst, separated by single spaces, with ASCII letters in lower case and without
// ASCII's control characters.
func spaced(dst []byte, text string) []byte {
	start, gap := len(dst), false
	for _, r := range text {
		if unicode.IsSpace(r) {
			gap = true
			continue
		}
		if r < ' ' || r == del {
			continue
		}
		if gap && len(dst) > start {
			dst = append(dst, ' ')
		}
		gap = false
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}
