package httpapi

import "html/template"

// Reference is the documentation without the frame of its page, for the
// console: adapters do not import each other, so whoever composes them hands it
// on.
func (a *API) Reference() (template.HTML, error) { return a.pages.Piece() }
