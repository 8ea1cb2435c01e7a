package console

import (
	"html/template"

	"verdict/internal/tenant"
)

// referencePages serves the API reference in the layout of the console.
type referencePages struct {
	text     func() (template.HTML, error) // nil if the console has no reference
	contents func() (template.HTML, error)
}

func (p *referencePages) routes() []page {
	return []page{{pattern: "GET /console/{env}/reference", handle: p.reference, scope: tenant.Read}}
}

// reference renders the API reference.
func (p *referencePages) reference(v *visit) error {
	if p.text == nil {
		return errNotFound
	}

	piece, err := p.text()
	if err != nil {
		return err
	}

	contents, err := p.contents()
	if err != nil {
		return err
	}

	return v.render("reference", "API reference", struct{ Text, Contents template.HTML }{piece, contents})
}
