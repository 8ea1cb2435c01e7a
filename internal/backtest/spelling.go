package backtest

import (
	"bytes"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/sheet"
)

// spellings maps the text of an outcome cell, in lower case, to its label.
type spellings struct {
	labels    map[string]label
	otherwise label // label of any other text; if it is unlabelled, any other text is an error
}

func newSpellings(s *Setup, faults *fault.List) spellings {
	out := spellings{labels: map[string]label{}}
	switch {
	case len(s.Bad) == 0 && len(s.Good) == 0:
		for text, outcome := range sheet.DefaultOutcomes() {
			out.labels[text] = labelOf(outcome)
		}
	case len(s.Good) == 0:
		out.otherwise = good
	case len(s.Bad) == 0:
		out.otherwise = bad
	}
	for _, text := range s.Bad {
		out.labels[lowered(text)] = bad
	}
	for _, text := range s.Good {
		if out.labels[lowered(text)] == bad {
			faults.Add("/good_values", fault.CodeDuplicate, "has a spelling that is also in bad_values")
		}
		out.labels[lowered(text)] = good
	}
	return out
}

// labelOf returns the label of an outcome. A loan that is neither good nor bad does not count in any bad rate, so
// it is unlabelled.
func labelOf(o sheet.Outcome) label {
	switch o {
	case sheet.Good:
		return good
	case sheet.Bad:
		return bad
	default:
		return unlabelled
	}
}

func lowered(s string) string { return string(lower(nil, bytes.TrimSpace([]byte(s)))) }

// lower appends a text with its ASCII letters in lower case.
func lower(dst, text []byte) []byte {
	for _, c := range text {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

// trimmed returns a cell without surrounding spaces.
func trimmed(cell []byte) []byte {
	if len(cell) > 0 && cell[0] > ' ' && cell[len(cell)-1] > ' ' {
		return cell
	}
	return bytes.TrimSpace(cell)
}

// labeller reads outcomes. It first compares a text with the first spelling that
// it saw of each label, because most files use only one spelling.
type labeller struct {
	spellings *spellings
	first     [3]string
	buf       [maxSpelling]byte
}

func (r *labeller) read(cell []byte) (l label, code string) {
	switch {
	case len(cell) == 0:
		return unlabelled, ""
	case string(cell) == r.first[good]:
		return good, ""
	case string(cell) == r.first[bad]:
		return bad, ""
	}
	text := trimmed(cell)
	if len(text) == 0 {
		return unlabelled, ""
	}
	known := false
	if len(text) <= maxSpelling {
		l, known = r.spellings.labels[string(lower(r.buf[:0], text))]
	}
	if !known {
		l = r.spellings.otherwise
	}
	switch {
	case !known && l == unlabelled:
		return unlabelled, fault.CodeUnknownOutcome
	case r.first[l] == "":
		r.first[l] = string(cell)
	}
	return l, ""
}

// statuses maps the text of a status cell, in lower case, to the decision that the lender made at the time of
// the application.
var statuses = map[string]engine.Status{
	"approved": engine.Approved, "approve": engine.Approved, "accepted": engine.Approved,
	"referred": engine.Referred, "refer": engine.Referred, "review": engine.Referred,
	"declined": engine.Declined, "decline": engine.Declined, "rejected": engine.Declined, "reject": engine.Declined,
}

const noStatus = -1

func readStatus(cell, buf []byte) (status int, code string) {
	text := trimmed(cell)
	if len(text) == 0 {
		return noStatus, ""
	}
	if len(text) <= maxSpelling {
		if s, ok := statuses[string(lower(buf[:0], text))]; ok {
			return int(s), ""
		}
	}
	return noStatus, fault.CodeUnknownStatus
}

// Weights are decimals with four places, stored as integers.
const (
	weightPlaces = 4
	weightUnit   = 10_000
	maxWeight    = 10_000 * weightUnit
)

// readWeight reads a weight above 0 and up to 10,000. A blank cell means 1.
func readWeight(cell []byte) (weight int64, code string) {
	text := trimmed(cell)
	if len(text) == 0 {
		return weightUnit, ""
	}
	digits, places, point := 0, 0, false
	for _, c := range text {
		switch {
		case c == '.' && !point:
			point = true
			continue
		case c < '0' || c > '9' || point && places == weightPlaces && c != '0':
			return 0, fault.CodeBadWeight
		case point && places == weightPlaces:
			continue
		case point:
			places++
		}
		digits++
		if weight = 10*weight + int64(c-'0'); weight > maxWeight {
			return 0, fault.CodeBadWeight
		}
	}
	for ; places < weightPlaces; places++ {
		weight *= 10
	}
	if digits == 0 || weight <= 0 || weight > maxWeight {
		return 0, fault.CodeBadWeight
	}
	return weight, ""
}

// maxMonth is the maximum month on book.
const maxMonth = 600

// readMonth reads a month on book, from 1. It returns 0 for a blank cell.
func readMonth(cell []byte) (month int64, code string) {
	text := trimmed(cell)
	if len(text) == 0 {
		return 0, ""
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, fault.CodeBadMonth
		}
		if month = 10*month + int64(c-'0'); month > maxMonth {
			return 0, fault.CodeBadMonth
		}
	}
	if month == 0 {
		return 0, fault.CodeBadMonth
	}
	return month, ""
}
