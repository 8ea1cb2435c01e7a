package document

import (
	"strings"

	"verdict/internal/fault"
	"verdict/internal/list"
	"verdict/internal/listdesk"
	"verdict/internal/operation"
	"verdict/internal/wire"
)

// ReadList reads the whole content of a list. The use case checks the values.
func ReadList(body wire.Value) (u listdesk.Upload, err error) {
	var faults fault.List
	f := wire.NewForm(body, &faults)
	if at := f.Choice("type", -1, list.Types()...); at >= 0 {
		u.Type = list.Type(list.Types()[at])
	}
	if f.Require("entries", "an array of objects with a value; an empty array empties the list") {
		u.Entries = readListEntries(f.Array("entries", list.MaxEntries), &faults)
	}
	f.Done()
	return u, faults.Err()
}

// readListEntries reads entries of a list: objects with a value and perhaps an expiry.
func readListEntries(array wire.Value, faults *fault.List) []listdesk.NewEntry {
	entries := make([]listdesk.NewEntry, 0, array.Len())
	for _, v := range array.Elements() {
		f := wire.NewForm(v, faults)
		e := listdesk.NewEntry{}
		if v.Kind() == wire.Object && f.Require("value", "the value of the entry") {
			e = readListValue(f.Get("value"), faults)
			e.ExpiresAt = readTime(&f, "expires_at")
		}
		f.Done()
		entries = append(entries, e)
	}
	return entries
}

// readListValue reads a value of a list, a text or a number.
func readListValue(v wire.Value, faults *fault.List) listdesk.NewEntry {
	switch v.Kind() {
	case wire.String:
		return listdesk.NewEntry{Value: strings.Clone(v.Text()), Form: listdesk.AsText}
	case wire.Number:
		return listdesk.NewEntry{Value: strings.Clone(v.Text()), Form: listdesk.AsNumber}
	default:
		faults.Add(v.Pointer(), fault.CodeWrongType, "must be a text, or a number in a list of numbers")
		return listdesk.NewEntry{}
	}
}

// ReadListPatch reads a change of some entries of a list. The use case checks the values.
func ReadListPatch(body wire.Value) (p listdesk.Patch, err error) {
	var faults fault.List
	f := wire.NewForm(body, &faults)
	p.Add = readListEntries(f.Array("add", listdesk.MaxPatch), &faults)
	for _, v := range f.Array("remove", listdesk.MaxPatch).Elements() {
		p.Remove = append(p.Remove, readListValue(v, &faults))
	}
	f.Done()
	return p, faults.Err()
}

// ReadListLookup reads the value to look up in a list. The use case checks it.
func ReadListLookup(body wire.Value) (value string, err error) {
	var faults fault.List
	f := wire.NewForm(body, &faults)
	if f.Require("value", "the value to look up") {
		value = readListValue(f.Get("value"), &faults).Value
	}
	f.Done()
	return value, faults.Err()
}

// WriteLists writes all lists of an environment.
func WriteLists(w *wire.Writer, lists []listdesk.List) {
	w.Object().Key("data").Array()
	for _, l := range lists {
		WriteList(w, l)
	}
	w.EndArray().EndObject()
}

// WriteList writes a list without its entries.
func WriteList(w *wire.Writer, l listdesk.List) {
	w.Object()
	writeList(w, &l)
	writeUsers(w, l.UsedBy)
	w.EndObject()
}

// writeUsers writes the rule sets that keep a list or a table from being deleted.
func writeUsers(w *wire.Writer, users []listdesk.User) {
	w.Key("used_by").Array()
	for _, u := range users {
		w.Object().Key("rule_set_id").String(u.RuleSetID).Key("policy_key").String(u.PolicyKey)
		w.Key("version").Int(u.Version).Key("name").String(u.Name).Key("status").String(u.Status).EndObject()
	}
	w.EndArray()
}

func writeList(w *wire.Writer, l *listdesk.List) {
	w.Key("name").String(l.Name).Key("type").String(string(l.Type)).Key("version").Int(l.Version)
	w.Key("entries").Int(l.Entries)
	w.Key("created_at").String(operation.Clock(l.CreatedMicros)).Key("created_by").String(l.CreatedBy)
	w.Key("updated_at").String(operation.Clock(l.UpdatedMicros)).Key("updated_by").String(l.UpdatedBy)
}

// WriteReplacedList writes a list after its entries were replaced.
func WriteReplacedList(w *wire.Writer, c listdesk.Changed) {
	w.Object()
	writeList(w, &c.List)
	writeReceived(w, &c)
	w.EndObject()
}

func writeReceived(w *wire.Writer, c *listdesk.Changed) {
	w.Key("received").Int(int64(c.Received)).Key("repeated").Int(int64(c.Repeated))
	w.Key("expired").Int(int64(c.Expired))
}

// WriteChangedList writes a list after some entries were added and removed.
func WriteChangedList(w *wire.Writer, c listdesk.Changed) {
	w.Object()
	writeList(w, &c.List)
	writeReceived(w, &c)
	w.Key("added").Int(int64(c.Added)).Key("removed").Int(int64(c.Removed)).Key("not_found").Int(int64(c.Missing))
	w.EndObject()
}

// WriteListEntries writes a page of the entries of a list.
func WriteListEntries(w *wire.Writer, p listdesk.EntryPage) {
	w.Object().Key("list").String(p.List).Key("version").Int(p.Version).Key("data").Array()
	for _, e := range p.Data {
		w.Object().Key("value")
		if p.Type == list.Number {
			w.Raw([]byte(e.Value)) // a number is stored as JSON writes it
		} else {
			w.String(e.Value)
		}
		optionalTime(w, "expires_at", e.ExpiresMicros)
		if e.Expired {
			w.Key("expired").Bool(true)
		}
		w.EndObject()
	}
	w.EndArray()
	writePagination(w, p.Limit, p.NextCursor)
	w.EndObject()
}

// WriteMembership writes whether a list contains a value.
func WriteMembership(w *wire.Writer, m listdesk.Membership) {
	w.Object().Key("list").String(m.List).Key("version").Int(m.Version).Key("contains").Bool(m.Contains)
	optionalTime(w, "expires_at", m.ExpiresMicros)
	w.EndObject()
}
