package report

import (
	"strings"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// Limits on the size of a bureau report.
const (
	MaxAccounts  = 1_000
	MaxEnquiries = 5_000
	MaxMonths    = 120 // months of one account's payment history
)

// layout describes a bureau's own report: the paths of its accounts, enquiries,
// dates and scores. A report in the common shape, which all bureaus may use,
// needs no layout. The members of accounts and enquiries are found by name, with
// the same names for all bureaus. All paths and names are in squashed form (see
// squash).
type layout struct {
	// native returns the object that the paths below start from, or Missing if the
	// report is in the common shape.
	native    func(v wire.Value) wire.Value
	accounts  []string // paths; the first path that exists is used
	enquiries []string
	dates     []string // paths of the date of the report
	none      string   // path of the number of accounts; 0 means that the person has none
	inside    []string // names of the member that holds the list, if the list is inside an object
	within    []string // names of the nested members of a list's element that contain the account
	reasons   map[int]Product
	summaries [4]string // paths of the numbers of enquiries in the last 7, 30, 90 and 180 days
	scores    []string
	preferred func(score wire.Value) bool // reports whether a score is the one to use
	score     []string                    // names of the member with the value of a score
	// microfinance holds the paths of a separate list of microfinance accounts. These paths start at the report
	// itself.
	microfinance []string
	minusOne     bool // an amount of -1 means that no amount was given
}

// layouts maps bureaus to their own layouts.
var layouts = map[string]*layout{
	"experian": &experian,
	"cibil":    &cibil,
	"equifax":  &equifax,
	"crif":     &crif,
}

// bureauReader holds the state of reading one report.
type bureauReader struct {
	faults   *fault.List
	notes    noted
	scalar   scalarReader
	layout   *layout // nil when the bureau has no layout of its own
	asOf     civil.Day
	newest   civil.Month  // the last month that is not in the future
	reported civil.Day    // the date of the report
	small    bool         // the current list is the list of microfinance accounts
	payments []Payment    // backs the histories of all accounts
	slots    slotted      // members of the current account or enquiry
	months   months       // payment history of the current account
	found    []wire.Value // the lists that were read

	unknownMembers unknownMembers
	gaps           gaps // figures that some accounts omit
}

// ReadBureau reads the report of a bureau, given by its canonical name, from the object under the bureau's key. The
// report is in the common shape or, for a bureau with a layout, in the bureau's own layout. asOf is the day of the
// request; a report, account or enquiry dated more than a day after asOf is a fault. Irregular but clear values are
// read with one warning for each kind. If some accounts omit a figure that other accounts state, there is a warning
// for each of the first few such accounts. ReadBureau returns nil if the report contains none of the following: a
// list of accounts, a microfinance account, a list of enquiries, a statement that there are no accounts, a count of
// enquiries, a date.
//
// In the bureaus' own layouts unknown members are ignored. There is one exception: a list of accounts or enquiries
// that was not read causes a warning.
func ReadBureau(bureau string, v wire.Value, asOf civil.Day, faults, warnings *fault.List) *History {
	r := bureauReader{faults: faults, asOf: asOf, newest: (asOf + 1).Month(), layout: layouts[bureau]}
	r.scalar = scalarReader{faults: faults, notes: &r.notes, asOf: asOf}
	h := &History{Reported: civil.NoDay, Last7: NoCount, Last30: NoCount, Last90: NoCount, Last180: NoCount}
	var native wire.Value
	if r.layout != nil {
		native = r.layout.native(v)
		r.scalar.minusOne = r.layout.minusOne && native.Given()
	}
	r.reportDate(v, native, h)
	if list, ok := r.list(v, native, "accounts"); ok {
		h.HasAccounts = true
		r.accounts(list, h)
	} else if native.Given() && r.layout.none != "" {
		total := strings.TrimSpace(at(native, r.layout.none).Text())
		h.HasAccounts = total != "" && strings.Trim(total, "0") == ""
	}
	r.microfinance(v, h)
	if list, ok := r.list(v, native, "enquiries"); ok {
		h.HasEnquiries = true
		r.enquiries(list, h)
	}
	r.summaries(native, h)
	if native.Given() {
		r.found = append(r.found, v.Get("accounts"), v.Get("enquiries"))
		r.unread(v, maxDepth)
	}
	r.notes.warn(warnings)
	r.unknownMembers.warn(warnings)
	r.gaps.warn(warnings)
	if !h.HasAccounts && !h.HasEnquiries && len(h.Microfinance) == 0 && !h.Reported.Known() &&
		h.Last7 == NoCount && h.Last30 == NoCount && h.Last90 == NoCount && h.Last180 == NoCount {
		return nil
	}
	return h
}

// Score returns the score in a bureau's own layout, or Missing if there is none.
func Score(bureau string, v wire.Value) wire.Value {
	l := layouts[bureau]
	if l == nil {
		return wire.Value{}
	}
	native := l.native(v)
	if !native.Given() {
		return wire.Value{}
	}
	for _, path := range l.scores {
		score := pick(at(native, path), l.preferred)
		for _, name := range l.score {
			if value := member(score, name); isScalar(value) {
				return value
			}
		}
	}
	return wire.Value{}
}

// pick returns the preferred score of a list of scores, or the first score if none is preferred. It returns a value
// that is not a list unchanged.
func pick(list wire.Value, preferred func(wire.Value) bool) wire.Value {
	if list.Kind() != wire.Array {
		return list
	}
	var first wire.Value
	for _, score := range list.Elements() {
		if preferred != nil && preferred(score) {
			return score
		}
		if !first.Given() {
			first = score
		}
	}
	return first
}

// ScoreNumber parses a score as bureaus write it: 742, "742", "00742" and, for a
// person without a history, "000-1". ok is false for any other text.
func ScoreNumber(v wire.Value) (score int64, ok bool) {
	text := v.Text()
	for len(text) > 1 && text[0] == '0' {
		text = text[1:]
	}
	digits := text
	if len(text) > 1 && text[0] == '-' {
		digits = text[1:]
	}
	if len(digits) > 6 || !isDigits(digits) {
		return 0, false
	}
	score = int64(atoi(digits))
	if digits != text {
		score = -score
	}
	return score, true
}

// reportDate reads the date of the report. The member of the common shape takes
// precedence over that of the bureau's own layout.
func (r *bureauReader) reportDate(v, native wire.Value, h *History) {
	r.scalar.native = false
	given := v.Get("reportDate")
	if !given.Given() && native.Given() {
		r.scalar.native = true
		for _, path := range r.layout.dates {
			if given = at(native, path); isScalar(given) {
				break
			}
			if given = at(v, path); isScalar(given) {
				break
			}
		}
	}
	h.Reported = r.scalar.pastDate(given)
	r.reported = h.Reported
}

// list finds the named list of the report, and sets r.scalar.native if the list is in the bureau's own layout. If both
// shapes have the list, the common shape counts.
func (r *bureauReader) list(v, native wire.Value, name string) (wire.Value, bool) {
	common := v.Get(name)
	var own wire.Value
	if native.Given() {
		paths := r.layout.accounts
		if name == "enquiries" {
			paths = r.layout.enquiries
		}
		for _, path := range paths {
			if own = at(native, path); own.Given() {
				break
			}
		}
		r.found = append(r.found, own)
		for _, inner := range r.layout.inside {
			if list := member(own, inner); isList(list) {
				own = list
			}
		}
	}
	r.scalar.native = own.Given() && (!common.Given() || same(own, common))
	switch {
	case r.scalar.native:
		return own, isList(own)
	case own.Given():
		r.notes.add(sentTwice, own)
	}
	if common.Given() && common.Kind() != wire.Array {
		r.faults.Add(common.Pointer(), fault.CodeWrongType, "must be an array, but is %s", common.Kind())
		return wire.Value{}, false
	}
	return common, common.Given()
}

// elements calls read for each element of a list. An object counts as a list of
// one element, as in reports converted from XML.
func (r *bureauReader) elements(list wire.Value, most int, read func(i int, v wire.Value)) {
	if list.Kind() == wire.Object {
		read(0, list)
		return
	}
	if list.Len() > most {
		r.faults.Add(list.Pointer(), fault.CodeTooMany, "has more than %d entries", most)
		return
	}
	for i, v := range list.Elements() {
		if v.Kind() == wire.Object {
			read(i, v)
		} else {
			r.faults.Add(v.Pointer(), fault.CodeWrongType, "must be an object, but is %s", v.Kind())
		}
	}
}

// summaries reads the numbers of enquiries, which some bureaus state instead of a
// list.
func (r *bureauReader) summaries(native wire.Value, h *History) {
	if !native.Given() {
		return
	}
	r.scalar.native = true
	for i, to := range []*int32{&h.Last7, &h.Last30, &h.Last90, &h.Last180} {
		if path := r.layout.summaries[i]; path != "" {
			if n, ok := r.scalar.count(at(native, path)); ok {
				*to = n
			}
		}
	}
}
