package report

import (
	"strings"

	"verdict/internal/wire"
)

// marks are the words by which a member that can only be set or not is read,
// squashed. A mark of its own for none says so where nothing else does.
var marks = map[string]bool{
	"y": true, "yes": true, "true": true, "t": true, "filed": true, "reported": true, "declared": true,
	"n": false, "no": false, "false": false, "f": false, "none": false, "nil": false, "notfiled": false,
	"notapplicable": false, "na": false, "notreported": false, "clear": false, "restructured": false,
}

// wilfulMarks are the short words for a wilful default, squashed.
var wilfulMarks = map[string]bool{"w": true, "wd": true, "default": true, "defaulter": true}

// suit reads what is told of a suit or a wilful default: true or false, a word,
// a code or a phrase. yes is what a bare yes says. What cannot be understood
// counts as told: taken for none, a filed suit would go unseen.
func (r *bureauReader) suit(v wire.Value, yes Adverse) standing {
	told := standing{adverse: yes, running: true}
	if v.Kind() == wire.Bool {
		if v.IsTrue() {
			return told
		}
		return standing{}
	}
	text := r.code(v)
	if text == "" {
		return standing{}
	}
	s, known := readSuit(text, yes)
	if !known {
		r.notes.add(unknownSuit, v)
		return told
	}
	return s
}

// readSuit reads a text on suits. known is false when it speaks of none.
func readSuit(text string, yes Adverse) (s standing, known bool) {
	if code, ok := codeOf(text); ok {
		if s, known = suits[code]; code == 1 {
			s.adverse = yes
		}
		return s, known || code == clearStatus
	}
	if strings.Trim(text, "*-") == "" {
		return standing{}, true
	}
	var buf [maxName]byte
	squashed := string(squash(buf[:0], text))
	if set, ok := marks[squashed]; ok {
		if set {
			return standing{adverse: yes, running: true}, true
		}
		return standing{}, true
	}
	if wilfulMarks[squashed] {
		return standing{adverse: Wilful, running: true}, true
	}
	if s, known = equifaxCodes[strings.ToLower(text)]; known {
		return s, true
	}
	s, known = phrase(text)
	return s, known && (s.adverse != 0 || deniesSuit(squashed) || strings.Contains(squashed, "clear"))
}

// clearStatus is the code of an account against which nothing is noted.
const clearStatus = 99

// deniesSuit reports whether a phrase, squashed, says that there is none.
func deniesSuit(squashed string) bool {
	for _, w := range noSuitWords {
		if strings.Contains(squashed, w) {
			return true
		}
	}
	return false
}

// facility reads the status of a credit facility. One that is only set says that
// the account was written off.
func (r *bureauReader) facility(v wire.Value) standing {
	var buf [maxName]byte
	word := v.Kind() == wire.String && len(v.Text()) <= len(" true ")
	switch {
	case v.Kind() == wire.Bool && !v.IsTrue():
		return standing{}
	case v.Kind() == wire.Bool, word && marks[string(squash(buf[:0], v.Text()))]:
		return facilities[facilityWrittenOff]
	}
	return r.status(v, facilities)
}

const facilityWrittenOff = 2
