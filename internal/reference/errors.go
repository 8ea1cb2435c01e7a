package reference

import (
	"maps"
	"slices"
)

// errorPage explains one error code to whoever got it. Its page is the type of
// the problem.
type errorPage struct {
	Code, Title string
	Status      int
	// Meaning says what the code says, Cause why it happens, Mend what to do.
	Meaning, Cause, Mend string
}

// Title is the title of a problem with this code. A code without a page
// is a mistake that a test finds; it still has a title.
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

// Codes returns the codes that have a page, of problems and of what is in them.
func Codes() []string { return slices.Collect(maps.Keys(errorPagesByCode)) }
