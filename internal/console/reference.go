package console

import (
	"html/template"

	"verdict/internal/tenant"
)

// ReferencePart is a page of the API reference: HTML fragments of the text and of the contents. The links between the
// parts are relative to the addresses that referencePages gives them.
type ReferencePart struct {
	Title          string
	Text, Contents template.HTML
}

// referencePages serves the API reference in the layout of the console, each part on a page of its own. One page
// with the whole reference would have several hundred kilobytes even if it were compressed.
type referencePages struct {
	part func(anchor string) (ReferencePart, bool, error) // nil if the console has no reference
}

func (p *referencePages) routes() []page {
	return []page{
		{pattern: "GET /console/{env}/reference", handle: p.show, scope: tenant.Read},
		{pattern: "GET /console/{env}/reference/{anchor}", handle: p.show, scope: tenant.Read},
	}
}

// show renders the part of the API reference that the address names; the first part if it names none.
func (p *referencePages) show(v *visit) error {
	if p.part == nil {
		return errNotFound
	}
	part, found, err := p.part(v.id("anchor"))
	if err != nil {
		return err
	}
	if !found {
		return errNotFound
	}
	return v.render("reference", part.Title, struct {
		ReferencePart

		First bool
	}{part, v.id("anchor") == ""})
}
