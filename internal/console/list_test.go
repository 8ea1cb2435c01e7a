package console_test

import (
	"net/http"
	"testing"
)

// TestListPages uploads lists and deletes them.
func TestListPages(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	const at = "/console/sandbox/lists"
	b.get(at).want(http.StatusOK).has("No list yet")
	b.upload(at+"/file", "value\nAcme\nGlobex\n", "name", "employers", "type", "").want(http.StatusSeeOther)
	b.get(at).want(http.StatusOK).has("employers", "The list employers has 2 entries. This is version 1.")
	b.upload(at+"/file", "value\nAcme\n", "name", "employers", "type", "").want(http.StatusSeeOther)
	b.upload(at+"/file", "value\n12\n", "name", "employers", "type", "number").want(http.StatusUnprocessableEntity).
		has("the list has the type text and keeps it")
	b.upload(at+"/file", "value\nAcme\n \"x\n", "name", "employers", "type", "").want(http.StatusUnprocessableEntity).
		has("/entries/1")
	b.upload(at+"/file", "employer\nAcme\n", "name", "employers", "type", "").want(http.StatusUnprocessableEntity).
		has("the columns value")
	b.upload(at+"/file", "value\nAcme\n", "name", "Not a name", "type", "text").want(http.StatusUnprocessableEntity)
	b.post(at + "/employers/delete").want(http.StatusSeeOther)
	b.get(at).want(http.StatusOK).has("No list yet")
	b.upload("/console/live/lists/file", "value\nAcme\n", "name", "employers", "type", "text").
		want(http.StatusUnprocessableEntity).has("LIVE")
	b.upload("/console/live/lists/file", "value\nAcme\n", "name", "employers", "type", "text", "confirm", "LIVE").
		want(http.StatusSeeOther)
}
