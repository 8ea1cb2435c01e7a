package report

import (
	"strings"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// pull identifies an enquiry: entries of a report with equal pulls count as one
// enquiry.
type pull struct {
	lender  string
	made    civil.Day
	product Product
}

// enquiry reads one enquiry. Several enquiries of one lender on one day for one product count once. It returns false
// for a repetition and for an enquiry without a readable date.
func (r *bureauReader) enquiry(v wire.Value, m *slotted, seen map[pull]bool) (Enquiry, bool) {
	e := Enquiry{Made: r.scalar.pastDate(m[slotDate]), AmountPaise: r.scalar.amount(m[slotAmount], false)}
	if text := r.scalar.code(m[slotType]); text != "" {
		codes := productsByCode
		if r.scalar.native && r.layout.reasons != nil {
			codes = r.layout.reasons
		}
		var known bool
		if e.Product, known = productOf(text, codes); !known {
			r.notes.add(unknownType, m[slotType])
		}
	}
	switch {
	case e.Made.Known():
	case !r.scalar.saysNothing(m[slotDate]):
		return e, r.scalar.native && r.undated(v) // the date is all zeros, or invalid and already reported
	case r.scalar.native:
		return e, r.undated(v)
	default:
		r.faults.Add(v.Pointer()+"/date", fault.CodeRequired, "is required: the day of the enquiry")
		return e, false
	}
	r.before(e.Made, m[slotDate])
	r.gaps.note(noPurpose, !r.scalar.saysNothing(m[slotType]), v)
	if lender := lenderOf(m[slotLender]); lender != "" {
		p := pull{lender: lender, made: e.Made, product: e.Product}
		if seen[p] {
			r.notes.add(repeatedEnquiry, v)
			return e, false
		}
		seen[p] = true
	}
	return e, true
}

// undated adds a notice that an enquiry has no date and is therefore in no time
// window. It returns false.
func (r *bureauReader) undated(v wire.Value) bool {
	r.notes.add(undatedEnquiry, v)
	return false
}

// lenderOf returns the lender's squashed name, or "" if the bureau hides it. A
// name of at most three letters is a category of lenders, which CRIF shows
// instead of the name.
func lenderOf(v wire.Value) string {
	if v.Kind() != wire.String {
		return ""
	}
	var buf [maxName]byte
	name := string(squash(buf[:0], v.Text()))
	if len(name) <= 3 || strings.Trim(name, "x") == "" || name == "notdisclosed" {
		return ""
	}
	return name
}
