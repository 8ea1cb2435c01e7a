package rule

import "math/bits"

// Truths are the outcomes of many conditions, a bit each. Most conditions of a
// policy fail for most applications, and Next steps over all those at once.
type Truths struct {
	words []truthWord
}

// truthWord is the outcomes of 64 conditions; one that is in neither fails.
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

// Reset forgets all outcomes and keeps the memory.
func (t *Truths) Reset() { t.words = t.words[:0] }

// reset makes room for n outcomes, all failing.
func (t *Truths) reset(n int) []truthWord {
	t.words = t.words[:0]
	for range (n + 63) / 64 {
		t.words = append(t.words, truthWord{})
	}
	return t.words
}

// At is the outcome of a condition, Fails for one that was not evaluated.
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

// Next is the first condition, from number i on, that does not fail; -1 when
// all do.
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
