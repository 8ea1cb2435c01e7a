package fault

import (
	"slices"
	"strings"
)

// Suggest returns the known name that was probably meant by an unknown one, or ""
// if none is similar. It always finds a name that differs only in case. If
// skipHints is set, it does not search for other names.
func Suggest(name string, known []string, skipHints bool) (nearest string, caseOnly bool) {
	for _, candidate := range known {
		if len(candidate) == len(name) && strings.EqualFold(candidate, name) {
			return candidate, true
		}
	}
	if skipHints {
		return "", false
	}
	nearest, _ = Nearest(name, slices.Values(known))
	return nearest, false
}

// shortName is the length up to which a name must be very similar to be suggested.
const shortName = 3

// Nearest returns the candidate with the smallest edit distance. The distance may be at most a third of the name's
// length, or two if that is more; a name of at most three letters may have one edit, or two swapped neighbours.
// The distance must also be less than the length of either name, so that "==" does not suggest "or". If several
// candidates have the same distance, Nearest returns the candidate with the largest result of alike, so that "neq"
// suggests "ne" and not "eq". If these results are equal too, it returns the first candidate. It returns false if no
// candidate is close enough.
func Nearest(name string, candidates func(func(string) bool)) (string, bool) {
	const longest = 128 // no known name is longer; the limit avoids quadratic work
	if len(name) > longest {
		return "", false
	}
	best, bestDistance := "", max(2, len(name)/3)
	var row [longest + 1]int
	for candidate := range candidates {
		d := distance(name, candidate, bestDistance+1, row[:])
		if d > bestDistance || d >= min(len(name), len(candidate)) ||
			d > 1 && len(name) <= shortName && !swapped(name, candidate) {
			continue
		}
		if best == "" || d < bestDistance || alike(name, candidate) > alike(name, best) {
			best, bestDistance = candidate, d
		}
	}
	return best, best != ""
}

// swapped reports whether two names differ only in the order of two neighbouring letters.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// alike returns a measure of similarity: the number of bytes that two names
// have in common at the end, plus twice the number at the beginning, where
// typing errors are rare.
func alike(a, b string) (n int) {
	shorter := min(len(a), len(b))
	for i := 0; i < shorter && a[i] == b[i]; i++ {
		n += 2
	}
	for i := 1; i <= shorter && a[len(a)-i] == b[len(b)-i]; i++ {
		n++
	}
	return n
}

// distance returns the Levenshtein distance. If the distance is not below limit,
// the result is only known to be at least limit.
func distance(a, b string, limit int, row []int) int {
	if len(b) >= len(row) || len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	row = row[:len(b)+1]
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal, least := row[0], i
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost = 1 + min(diagonal, row[j], row[j-1])
			}
			diagonal, row[j] = row[j], cost
			least = min(least, cost)
		}
		if least >= limit {
			return limit
		}
	}
	return row[len(b)]
}
