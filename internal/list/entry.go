package list

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"verdict/internal/fault"
	"verdict/internal/rule"
)

// The limits of a list.
const (
	MaxEntries = 1_000_000
	MaxValue   = 256 // bytes of one value
)

// NewEntry returns the entry of a value in a list. If the value cannot be in the list, it returns the code of the
// fault and a detail that does not contain the value.
func (k *Keyer) NewEntry(value string, expiresMicros int64) (e Entry, code, detail string) {
	e = Entry{Value: strings.TrimSpace(value), ExpiresMicros: expiresMicros}
	switch {
	case !utf8.ValidString(value) || strings.ContainsRune(value, 0):
		return e, fault.CodeInvalidCharacter, "must be UTF-8 text without NUL"
	case e.Value == "":
		return e, fault.CodeRequired, "must not be blank"
	case len(e.Value) > MaxValue:
		return e, fault.CodeOutOfRange, "must have at most 256 bytes"
	}
	switch k.Type {
	case Number:
		n, code, detail := ParseNumber(e.Value)
		if code != "" {
			return e, code, detail
		}
		e.Value, e.Key = n.String(), k.Of(rule.Num(n))
	case Hashed:
		digest, err := hex.DecodeString(e.Value)
		if err != nil || len(digest) != sha256.Size {
			return e, fault.CodeWrongType, "must be a SHA-256 hash: 64 hexadecimal digits"
		}
		e.Value, e.Key = strings.ToLower(e.Value), k.OfDigest(digest)
	default:
		if len(Normal(nil, e.Value)) == 0 {
			return e, fault.CodeRequired, "must not be blank"
		}
		e.Key = k.Of(rule.Str(e.Value))
	}
	return e, "", ""
}

// ParseNumber reads a number as JSON writes it, except that it may begin with zeros. If the text is not a number, or
// not one that facts can have, it returns the code of the fault and a detail.
func ParseNumber(text string) (n rule.Number, code, detail string) {
	if !isNumber(text) {
		return 0, fault.CodeWrongType,
			"must be a number such as 50000 or -0.5, without separators, currency or percent sign"
	}
	n, exact, ok := rule.ParseNumber(text)
	switch {
	case !ok:
		return 0, fault.CodeWrongType, "must be a number between -" + rule.MaxNumber.String() + " and " +
			rule.MaxNumber.String()
	case !exact:
		return 0, fault.CodeOutOfRange, "must have at most 6 decimals"
	}
	return n, "", ""
}

// isNumber reports whether a text is a number: digits, and perhaps a sign, decimals and an exponent.
func isNumber(text string) bool {
	rest, ok := withoutDigits(strings.TrimPrefix(text, "-"))
	if decimals, has := strings.CutPrefix(rest, "."); ok && has {
		rest, ok = withoutDigits(decimals)
	}
	if ok && rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
		exponent := rest[1:]
		if exponent != "" && (exponent[0] == '+' || exponent[0] == '-') {
			exponent = exponent[1:]
		}
		rest, ok = withoutDigits(exponent)
	}
	return ok && rest == ""
}

// withoutDigits returns the text after the digits at its beginning, and whether there are any.
func withoutDigits(text string) (rest string, ok bool) {
	rest = strings.TrimLeft(text, "0123456789")
	return rest, len(rest) < len(text)
}

// Sort sorts entries by key and removes repetitions. If several entries have the same key, it keeps the first, with
// the latest of their expiries. It returns the number of entries that it removed.
func Sort(entries []Entry) (sorted []Entry, repeated int) {
	slices.SortStableFunc(entries, func(a, b Entry) int { return a.Key.Compare(b.Key) })
	sorted = entries[:0]
	for _, e := range entries {
		if n := len(sorted); n > 0 && sorted[n-1].Key == e.Key {
			sorted[n-1].ExpiresMicros = later(sorted[n-1].ExpiresMicros, e.ExpiresMicros)
			continue
		}
		sorted = append(sorted, e)
	}
	return sorted, len(entries) - len(sorted)
}

// later returns the later of two expiries. 0 means never and is the latest.
func later(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	return max(a, b)
}

// Group returns the indexes of the entries in the order of their chunks. Those of chunk i are order[starts[i]] to
// order[starts[i+1]-1], in the order of the entries.
func (d Directory) Group(entries []Entry) (order, starts []int32) {
	starts = make([]int32, d.Len()+1)
	for i := range entries {
		starts[d.Index(entries[i].Key)+1]++
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	next := slices.Clone(starts)
	order = make([]int32, len(entries))
	for i := range entries {
		at := &next[d.Index(entries[i].Key)]
		order[*at] = int32(i) // a list has at most MaxEntries entries
		*at++
	}
	return order, starts
}

// Merged returns the entries of a chunk after a change: with the entries of add, which replace entries of the same
// key, and without the entries whose keys are in remove. All three arguments must be sorted. added is the number of
// entries whose keys are new, and removed is the number of removed entries that the chunk had.
func Merged(entries, add []Entry, remove []Key) (merged []Entry, added, removed int) {
	merged = make([]Entry, 0, len(entries)+len(add))
	for len(entries) > 0 || len(add) > 0 {
		switch order := compareFirst(entries, add); {
		case order > 0:
			merged, add, added = append(merged, add[0]), add[1:], added+1
		case order == 0:
			merged, entries, add = append(merged, add[0]), entries[1:], add[1:]
		default:
			if _, found := slices.BinarySearchFunc(remove, entries[0].Key, Key.Compare); found {
				removed++
			} else {
				merged = append(merged, entries[0])
			}
			entries = entries[1:]
		}
	}
	return merged, added, removed
}

// compareFirst compares the keys of the first entries of two lists, of which at least one is not empty. The end of a
// list counts as the largest key.
func compareFirst(a, b []Entry) int {
	if len(a) == 0 || len(b) == 0 {
		return cmp.Compare(len(b), len(a))
	}
	return a[0].Key.Compare(b[0].Key)
}
