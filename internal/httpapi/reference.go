package httpapi

import "verdict/internal/reference"

// ReferencePart returns a part of the documentation without the frame of its page, for
// the console. The composition root passes it to the console, because httpapi and
// console do not import each other. It returns false if there is no such part.
func (a *API) ReferencePart(anchor string) (reference.Part, bool, error) { return a.pages.Part(anchor) }
