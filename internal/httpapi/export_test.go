package httpapi

import "net/http"

// AddFailingPage adds a page of the documentation that cannot be rendered.
func (a *API) AddFailingPage(pattern string, failure error) {
	a.docs.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) { pageFailed(w, failure) })
}

// StreamMemory is the memory that a stream takes before its first application is decided.
const StreamMemory = streamMemory
