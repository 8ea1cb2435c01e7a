package console

import (
	"html/template"

	"verdict/internal/tenant"
)

// referencePages are one page: the description of the API in the frame of the console.
type referencePages struct {
	text func() (template.HTML, error) // nil when the console has none
}

func (p *referencePages) routes() []page {
	return []page{{pattern: "GET /console/{env}/reference", handle: p.reference, scope: tenant.Read}}
}

// reference is the description of the API in the frame of the console.
func (p *referencePages) reference(v *visit) error {
	if p.text == nil {
		return errNowhere
	}

	piece, err := p.text()
	if err != nil {
		return err
	}

	return v.render("reference", "API reference", struct{ Text template.HTML }{piece})
}
