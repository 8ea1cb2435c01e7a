package rule

import "math/bits"

// Truths stores the results of many conditions as bits. Most conditions of a
// policy fail for most applications, and Next can skip 64 failed conditions at
// a time.
type Truths struct {
	words []truthWord
}

// truthWord stores the results of 64 conditions. If neither bit of a condition
// is set, the condition fails.
type truthWord struct{ holds, unknown uint64 }

func (w *truthWord) put(bit uint64, t Truth) {
	switch t {
	case Holds:
		w.holds |= bit
	case Unknown:
		w.unknown |= bit
	case Fails:
	}
}

// Reset removes all results and keeps the allocated memory for reuse.
func (t *Truths) Reset() { t.words = t.words[:0] }

// reset resizes t to n results, sets them all to Fails, and returns the words.
func (t *Truths) reset(n int) []truthWord {
	t.words = t.words[:0]
	for range (n + 63) / 64 {
		t.words = append(t.words, truthWord{})
	}
	return t.words
}

// At returns the result of condition i, or Fails if it was not evaluated.
func (t *Truths) At(i int) Truth {
	if i>>6 >= len(t.words) {
		return Fails
	}
	switch w, bit := &t.words[i>>6], uint64(1)<<(i&63); {
	case w.holds&bit != 0:
		return Holds
	case w.unknown&bit != 0:
		return Unknown
	default:
		return Fails
	}
}

// Next returns the first condition at or after i that does not fail, or -1 if
// there is none.
func (t *Truths) Next(i int) int {
	for at := i >> 6; at < len(t.words); at++ {
		w := &t.words[at]
		if rest := (w.holds | w.unknown) >> (i & 63); rest != 0 {
			return i + bits.TrailingZeros64(rest)
		}
		i = (at + 1) << 6
	}
	return -1
}
