package console

import (
	"fmt"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/list"
	"verdict/internal/listdesk"
	"verdict/internal/operation"
	"verdict/internal/tenant"
)

// lookedUp is a value that was looked up in a list, and what was found.
type lookedUp struct {
	Value string
	listdesk.Membership
}

// one renders the page of a single list, with a form that looks a value up. It shows the entries only to people who
// may change them.
func (p *listPages) one(v *visit) error { return p.draw(v, nil) }

// lookUp looks a value up and shows the answer. The form is posted, so that the value is not in the address, which the
// access logs of proxies contain.
func (p *listPages) lookUp(v *visit) error {
	value := v.form.Value("sought")
	answer, err := p.lists.Contains(v.ctx, v.caller(), v.id("name"), value)
	if err != nil {
		return v.redraw(mapPointers(err, func(string) string { return "/sought" }), p.one)
	}
	return p.draw(v, &lookedUp{value, answer})
}

// draw renders the page of a list. asked is the value that was looked up, or nil if none was.
func (p *listPages) draw(v *visit, asked *lookedUp) error {
	name := v.id("name")
	found, err := p.lists.List(v.ctx, v.caller(), name)
	if err != nil {
		return err
	}
	var entries listdesk.EntryPage
	if v.caller().Scopes.Has(tenant.PolicyWrite) {
		if entries, err = p.lists.Entries(v.ctx, v.caller(), name, v.listing()); err != nil {
			return err
		}
	}
	return v.render("list", "List "+name, struct {
		List    listdesk.List
		Asked   *lookedUp
		Entries []listdesk.Entry
		Pager   pager
		Numbers bool
	}{found, asked, entries.Data, v.pager(entries.NextCursor), found.Type == list.Number})
}

// add adds one entry, or changes when an entry expires.
func (p *listPages) add(v *visit) error {
	var faults fault.List
	entry := listdesk.NewEntry{Value: v.form.Value("value")}
	if expires := day(&faults, "/expires_at", v.form.Value("expires_at")); !expires.IsZero() {
		entry.ExpiresAt = expires.AddDate(0, 0, 1) // the entry applies until the end of that day
	}
	if err := faults.Err(); err != nil {
		return v.redraw(err, p.one)
	}
	return p.change(v, listdesk.Patch{Add: []listdesk.NewEntry{entry}}, "The entry was saved.")
}

// removeEntry removes one entry.
func (p *listPages) removeEntry(v *visit) error {
	entry := listdesk.NewEntry{Value: v.form.Value("value")}
	return p.change(v, listdesk.Patch{Remove: []listdesk.NewEntry{entry}}, "The entry was removed.")
}

func (p *listPages) change(v *visit, patch listdesk.Patch, done string) error {
	err := v.confirmed()
	var changed listdesk.Changed
	if err == nil {
		changed, err = p.lists.Change(v.ctx, v.caller(), v.id("name"), patch, operation.AnyVersion)
	}
	if err != nil {
		return v.redraw(inEntry(err), p.one)
	}
	if len(patch.Remove) > 0 && changed.Removed == 0 {
		done = "The entry was no longer in the list."
	}
	return v.done(fmt.Sprintf("%s This is version %d.", done, changed.Version), "/lists/"+changed.Name)
}

// inEntry moves the faults of the entry to its field in the form.
func inEntry(err error) error {
	return fault.MapItems(err, func(item fault.Item) fault.Item {
		if strings.HasPrefix(item.Pointer, "/add/") || strings.HasPrefix(item.Pointer, "/remove/") {
			item.Pointer = "/value"
		}
		return item
	})
}
