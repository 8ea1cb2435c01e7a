package report

import (
	"strings"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// Bounds of a bureau report. Whoever has more accounts than this is no one
// person.
const (
	MaxAccounts  = 1_000
	MaxEnquiries = 5_000
	MaxMonths    = 120 // of one account's payment history
)

// layout is where one bureau's own report keeps what a history is made of.
// What accounts and enquiries consist of is the same for all: their members
// are told apart by name.
type layout struct {
	// native finds the part of the report that the paths below start from;
	// Missing when the report is in the common shape.
	native    func(v wire.Value) wire.Value
	accounts  []string // paths, the first that is there counts
	enquiries []string
	dates     []string // of the date of the report
	none      string   // path of a number of accounts, which can say that there are none
	inside    []string // members that hold the list where it is an object
	within    []string // members of a list's element that hold the account, one in another
	reasons   map[int]Product
	summaries [4]string // paths of the enquiries counted in the last 7, 30, 90 and 180 days
	scores    []string
	preferred func(score wire.Value) bool // picks one of several scores
	score     []string                    // names of the value inside a score
	// microfinance are paths, from the report itself, of a list of microfinance
	// accounts that is kept beside the accounts.
	microfinance []string
	minusOne     bool // an amount of -1 is one that was not given
}

// layouts are the layouts of the bureaus that have one of their own.
var layouts = map[string]*layout{
	"experian": &experian,
	"cibil":    &cibil,
	"equifax":  &equifax,
	"crif":     &crif,
}

// ReadBureau reads the report of a bureau, given by its canonical name, from
// the object under the bureau's key: the common shape of any bureau, or the
// bureau's own layout where it has a known one. asOf is the day of the
// request; a report, an account or an enquiry from later than the day after it
// is a fault. What is sloppy but clear is read with a warning, one of each
// kind; so is an account that leaves out a figure which others state, told for
// the first few accounts of each kind. The answer is nil when the report tells
// nothing of accounts, enquiries or its own date.
//
// Members that are not known are left alone.
func ReadBureau(bureau string, v wire.Value, asOf civil.Day, faults, warnings *fault.List) *History {
	r := bureauReader{faults: faults, asOf: asOf, newest: (asOf + 1).Month(), layout: layouts[bureau]}
	h := &History{Reported: civil.NoDay, Last7: NoCount, Last30: NoCount, Last90: NoCount, Last180: NoCount}
	var native wire.Value
	if r.layout != nil {
		native = r.layout.native(v)
		r.minusOne = r.layout.minusOne && native.Given()
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
	r.notes.tell(warnings)
	r.strangers.tell(warnings)
	r.gaps.tell(warnings)
	if !h.HasAccounts && !h.HasEnquiries && len(h.Microfinance) == 0 && !h.Reported.Known() &&
		h.Last7 == NoCount && h.Last30 == NoCount && h.Last90 == NoCount && h.Last180 == NoCount {
		return nil
	}
	return h
}

// Score finds the score in a bureau's own layout; Missing when there is none.
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

// pick chooses among several scores, the first when none is preferred.
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

// ScoreNumber reads a score as bureaus write it: 742, "742", "00742" and, for
// no history, "000-1".
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

// reportDate reads the date of the report, the common member first.
func (r *bureauReader) reportDate(v, native wire.Value, h *History) {
	r.native = false
	given := v.Get("reportDate")
	if !given.Given() && native.Given() {
		r.native = true
		for _, path := range r.layout.dates {
			if given = at(native, path); isScalar(given) {
				break
			}
			if given = at(v, path); isScalar(given) {
				break
			}
		}
	}
	h.Reported = r.pastDate(given)
	r.reported = h.Reported
}

// list finds a list of the report, in the common shape first, and says in
// which shape it was found.
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
	r.native = own.Given() && (!common.Given() || same(own, common))
	switch {
	case r.native:
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

// elements calls read for each element of a list; in a bureau's own layout an
// object stands for a list of one, as it does in reports turned from XML.
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

// summaries reads the enquiries that a bureau only counts.
func (r *bureauReader) summaries(native wire.Value, h *History) {
	if !native.Given() {
		return
	}
	r.native = true
	for i, to := range []*int32{&h.Last7, &h.Last30, &h.Last90, &h.Last180} {
		if path := r.layout.summaries[i]; path != "" {
			if n, ok := r.count(at(native, path)); ok {
				*to = n
			}
		}
	}
}
