package list

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Normal appends the normal form of a text to dst: Unicode's NFKC, case folded, without space at its ends and with
// single spaces inside. Two texts are equal in a list if their normal forms are. The normal form of a normal form is
// the same text.
func Normal(dst []byte, text string) []byte {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return spaced(dst, folded(text))
		}
	}
	return spaced(dst, text)
}

// maxFolds limits how often folded repeats itself. Unicode needs two rounds for a few characters.
const maxFolds = 4

// folded applies NFKC and case folding until neither changes the text. One round is not enough: folding can give a
// text that NFKC changes again.
func folded(text string) string {
	fold := cases.Fold()
	for range maxFolds {
		next := norm.NFKC.String(fold.String(norm.NFKC.String(text)))
		if next == text {
			break
		}
		text = next
	}
	return text
}

// spaced appends the words of a text to dst, separated by single spaces, with ASCII letters in lower case.
func spaced(dst []byte, text string) []byte {
	start, gap := len(dst), false
	for _, r := range text {
		if unicode.IsSpace(r) {
			gap = true
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
