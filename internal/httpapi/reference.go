package httpapi

import "html/template"

// Reference returns the documentation without the frame of its page, for the
// console. The composition root passes it to the console, because httpapi and
// console do not import each other.
func (a *API) Reference() (template.HTML, error) { return a.pages.Piece() }

// ReferenceContents returns the contents of the documentation, as links to its anchors.
func (a *API) ReferenceContents() (template.HTML, error) { return a.pages.Contents() }
