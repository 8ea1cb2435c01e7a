package console_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"verdict/internal/offer"
	"verdict/internal/tenant"
)

// TestOfferPages saves the lender profile and reads the documents of decisions.
func TestOfferPages(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	const at = "/console/sandbox/lender"
	id := b.decide(tenant.Sandbox, "A-1")
	decision := "/console/sandbox/decisions/" + id
	b.get(decision).want(http.StatusOK).has(`href="/console/sandbox/lender"`).hasNot(decision + "/kfs")
	b.get(decision + "/kfs").want(http.StatusConflict).has("lender")

	b.get(at).want(http.StatusOK).has("No profile is stored yet")
	b.post(at, "version", "0", "name", "Asha <b>Finance</b>").want(http.StatusUnprocessableEntity).
		has("Is required: the address", `value="Asha &lt;b&gt;Finance&lt;/b&gt;"`)
	fields := map[string]string{
		"version": "0", "name": "Asha <b>Finance</b>", "address": "12 Lake Road\r\nPune", "cooling_off_days": "3",
		"transferable": "no", "grievance_name": "Officer", "grievance_phone": "020 5550",
		"grievance_email": "a@example.in",
		"recovery_agents": "Sahyog | 020 | help@example.in", "holidays": "2026-12-25", "text_hi_name": "आशा फ़ाइनेंस",
		"text_en_penal_charges": "2 % a month",
	}
	b.post(at, pairs(fields)...).want(http.StatusSeeOther)
	b.get(at).want(http.StatusOK).has("Version 1", "In Hindi the documents contain a general text",
		"Penal charges for late payment.", "@",
		"Sahyog | 020 | help@example.in", "आशा फ़ाइनेंस", "1 of 1 filled in", "1 of 17 filled in", "nothing filled in").
		hasNot("<details open>")
	broken := maps.Clone(fields)
	broken["version"], broken["recovery_agents"] = "1", "Sahyog"
	b.post(at, pairs(broken)...).want(http.StatusUnprocessableEntity).
		has("<details open><summary><h2>Recovery agents")
	b.post(at, pairs(fields)...).want(http.StatusPreconditionFailed)
	b.post("/console/live/lender", pairs(fields)...).want(http.StatusUnprocessableEntity).has("LIVE")

	b.get(decision).want(http.StatusOK).has(decision+"/kfs?lang=hi", decision+"/letter?lang=en")
	for lang, title := range map[string]string{"en": "Key Facts Statement", "hi": "मुख्य तथ्य विवरण"} {
		page := b.get(decision+"/kfs?lang="+lang).want(http.StatusOK).has(title, `<html lang="`+lang+`">`)
		if got := page.header.Get("Content-Security-Policy"); got != offer.ContentPolicy {
			t.Errorf("the policy of the page is %s", got)
		}
		if strings.Contains(page.body, "<b>Finance") {
			t.Error("markup in the name is not escaped")
		}
		b.get(decision + "/letter?lang=" + lang).want(http.StatusOK).has(`<html lang="` + lang + `">`)
	}
	b.get(decision + "/kfs?lang=xx").want(http.StatusUnprocessableEntity)
	b.get(decision + "/kfs?disbursed_on=2000-01-01").want(http.StatusUnprocessableEntity)
	b.get("/console/live/decisions/" + id + "/kfs").want(http.StatusNotFound)
}

// pairs returns the fields of a form as a list of names and values.
func pairs(fields map[string]string) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		list = append(list, name, fields[name])
	}
	return list
}
