package reference

import (
	"maps"
	"slices"
)

// errorPage explains one error code. The path of the page is the "type" of a
// problem with this code.
type errorPage struct {
	Code, Title string
	Status      int
	Meaning     string // what the code means
	Cause       string // why it happens
	Fix         string // what to do
}

// Title returns the title of a problem with this code. A code without a page has
// the title "Error"; tests check that every code has a page.
func Title(code string) string {
	if page, ok := errorPagesByCode[code]; ok {
		return page.Title
	}
	return "Error"
}

var errorPagesByCode = func() map[string]errorPage {
	byCode := make(map[string]errorPage, len(errorPages)+len(itemPages))
	for _, list := range [][]errorPage{itemPages, errorPages} {
		for _, page := range list {
			byCode[page.Code] = page
		}
	}
	return byCode
}()

// Codes returns the codes that have a page: codes of problems, and codes of
// entries in their "errors".
func Codes() []string { return slices.Collect(maps.Keys(errorPagesByCode)) }
