package report

import (
	"strings"

	"verdict/internal/wire"
)

// marks maps squashed words for yes and no, which a suit member may hold, to
// true and false.
var marks = map[string]bool{
	"y": true, "yes": true, "true": true, "t": true, "filed": true, "reported": true, "declared": true,
	"n": false, "no": false, "false": false, "f": false, "none": false, "nil": false, "notfiled": false,
	"notapplicable": false, "na": false, "notreported": false, "clear": false, "restructured": false,
}

// wilfulMarks are short squashed words for a wilful default.
var wilfulMarks = map[string]bool{"w": true, "wd": true, "default": true, "defaulter": true}

// suit reads a member about suits or wilful defaults: true or false, a word, a
// code or a phrase. The argument yes is the adverse note that a plain "yes"
// means. A value that cannot be understood also counts as "yes"; if it counted as
// "no", a filed suit could go unnoticed.
func (r *scalarReader) suit(v wire.Value, yes Adverse) standing {
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

// readSuit reads a text about suits. known is false if the text does not say
// whether there is a suit.
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

// clearStatus is the code of an account without adverse notes.
const clearStatus = 99

// deniesSuit reports whether a squashed phrase says that there is no suit or
// wilful default.
func deniesSuit(squashed string) bool {
	for _, w := range noSuitWords {
		if strings.Contains(squashed, w) {
			return true
		}
	}
	return false
}

// facility reads a credit facility status. A plain "yes" means that the account
// was written off.
func (r *scalarReader) facility(v wire.Value) standing {
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
