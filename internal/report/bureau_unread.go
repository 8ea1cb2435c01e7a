package report

import (
	"strings"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// maxDepth is the maximum depth to which a report is searched for unread lists.
const maxDepth = 8

// unread adds a notice for lists of accounts and enquiries that were not read,
// such as those of a second report.
func (r *bureauReader) unread(v wire.Value, depth int) {
	if depth == 0 {
		return
	}
	for _, element := range v.Elements() {
		r.unread(element, depth-1)
	}
	for name, m := range v.Members() {
		switch {
		case !isList(m) || m.Len() == 0 || r.wasRead(m), isNamed(name, "noncreditcaps"):
		case r.layout.lists(name):
			r.notes.add(unreadList, m)
			return // one notice is enough for this object
		default:
			r.unread(m, depth-1)
		}
	}
}

func (r *bureauReader) wasRead(v wire.Value) bool {
	for _, list := range r.found {
		if same(list, v) {
			return true
		}
	}
	return false
}

// lists reports whether name is the name of a list of accounts or enquiries.
func (l *layout) lists(name string) bool {
	for _, paths := range [][]string{l.accounts, l.enquiries} {
		for _, path := range paths {
			if isNamed(name, path[strings.LastIndexByte(path, '.')+1:]) {
				return true
			}
		}
	}
	return false
}

// spellings maps each squashed name on the paths of accounts and enquiries to the
// spelling that the bureau uses.
var spellings = map[string]string{
	"caisaccount": "CAIS_Account", "caisaccountdetails": "CAIS_Account_DETAILS", "caps": "CAPS",
	"capsapplicationdetails": "CAPS_Application_Details", "accounts": "accounts", "enquiries": "enquiries",
	"retailaccountdetails": "RetailAccountDetails", "responses": "RESPONSES", "reportdata": "REPORT-DATA",
	"standarddata": "STANDARD-DATA", "tradelines": "TRADELINES", "inquiryhistory": "INQUIRY-HISTORY",
}

// Misspelt warns about members of a bureau's own layout that were probably meant to be a list of accounts or
// enquiries. Such a member is in the object that should contain the list and has a similar name. The function meant
// returns the known name for which a misspelt name probably stands, or "".
func Misspelt(bureau string, v wire.Value, meant func(name string, known []string) string, warnings *fault.List) {
	l := layouts[bureau]
	if l == nil {
		return
	}
	native := l.native(v)
	for _, paths := range [][]string{l.accounts, l.enquiries} {
		var at wire.Value
		var name string
		for i, path := range paths {
			object, missing := lead(native, path)
			if missing == "" {
				at = wire.Value{}
				break
			}
			if i == 0 {
				at, name = object, missing
			}
		}
		misspelt(at, name, meant, warnings)
	}
}

// lead follows a path as far as it exists. It returns the last object on the path, and the next name of the path,
// which that object does not have. missing is "" if the whole path exists.
func lead(v wire.Value, path string) (object wire.Value, missing string) {
	for path != "" {
		name, rest, _ := strings.Cut(path, ".")
		next := member(v, name)
		if !next.Given() {
			return v, name
		}
		v, path = next, rest
	}
	return v, ""
}

// misspelt warns about the first non-empty list in the object v that has an unknown
// name similar to name.
func misspelt(v wire.Value, name string, meant func(name string, known []string) string, warnings *fault.List) {
	for given, m := range v.Members() {
		var buf [maxName]byte
		squashed := string(squash(buf[:0], given))
		if isList(m) && m.Len() > 0 && spellings[squashed] == "" && meant(squashed, []string{name}) != "" {
			text := "is not a known member of this layout and was not read"
			warnings.AddItem(fault.Unknown(m.Pointer(), text, spellings[name], false))
			return
		}
	}
}
