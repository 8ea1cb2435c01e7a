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
	b.get(at).want(http.StatusOK).has("employers", "The list employers has 2 entries now. This is version 1.")
	b.upload(at+"/file", "value\nAcme\n", "name", "employers", "type", "").want(http.StatusSeeOther)
	b.upload(at+"/file", "value\n12\n", "name", "employers", "type", "number").want(http.StatusUnprocessableEntity).
		has("the list has the type text and keeps it")
	b.upload(at+"/file", "value\nAcme\n \"x\n", "name", "employers", "type", "").want(http.StatusUnprocessableEntity).
		has("/entries/1")
	b.upload(at+"/file", "employer\nAcme\n", "name", "employers", "type", "").want(http.StatusUnprocessableEntity).
		has("the columns value")
	b.upload(at+"/file", "value\nAcme\n", "name", "others", "type", "foo").want(http.StatusUnprocessableEntity).
		has("must be one of text, number, hashed")
	b.upload(at+"/file", "value\nAcme\n", "name", "Not a name", "type", "text").want(http.StatusUnprocessableEntity)
	b.get(at+"/employers").want(http.StatusOK).has("Acme", "no policy", "Add an entry")
	b.post(at+"/employers/lookup", "sought", "ACME").want(http.StatusOK).has("<strong>ACME</strong> is in the list.")
	b.post(at+"/employers/lookup", "sought", "Initech").want(http.StatusOK).
		has("<strong>Initech</strong> is not in the list.")
	b.post(at+"/employers/lookup", "sought", "").want(http.StatusUnprocessableEntity).
		has("must be the value to look up")
	b.post(at+"/nobody/lookup", "sought", "x").want(http.StatusNotFound)
	b.post(at+"/employers/add", "value", "Initech", "expires_at", "2020-01-31").want(http.StatusSeeOther)
	b.get(at+"/employers").want(http.StatusOK).has("The entry was saved. This is version 3.", "(expired)")
	b.post(at+"/employers/lookup", "sought", "initech").want(http.StatusOK).has("is not in the list any more")
	b.post(at+"/employers/add", "value", "x", "expires_at", "soon").want(http.StatusUnprocessableEntity).
		has("must be a date")
	b.post(at+"/employers/add", "value", "\u200b").want(http.StatusUnprocessableEntity).has("must not be blank")
	b.post(at+"/employers/remove", "value", "acme").want(http.StatusSeeOther)
	b.get(at + "/employers").want(http.StatusOK).has("The entry was removed. This is version 4.").hasNot("Acme")
	b.get(at + "/nobody").want(http.StatusNotFound)
	b.post(at + "/employers/delete").want(http.StatusSeeOther)
	b.get(at).want(http.StatusOK).has("No list yet")
	b.upload("/console/live/lists/file", "value\nAcme\n", "name", "employers", "type", "text").
		want(http.StatusUnprocessableEntity).has("LIVE")
	b.upload("/console/live/lists/file", "value\nAcme\n", "name", "employers", "type", "text", "confirm", "LIVE").
		want(http.StatusSeeOther)
}
