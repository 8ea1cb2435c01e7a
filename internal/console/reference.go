package console

import (
	"html/template"

	"verdict/internal/tenant"
)

func (c *Console) referencePages() []page {
	return []page{{pattern: "GET /console/{env}/reference", handle: c.reference, scope: tenant.Read}}
}

// reference is the description of the API in the frame of the console.
func (c *Console) reference(v *visit) error {
	if c.options.Reference == nil {
		return errNowhere
	}
	piece, err := c.options.Reference()
	if err != nil {
		return err
	}
	return v.render("reference", "API reference", struct{ Text template.HTML }{piece})
}
