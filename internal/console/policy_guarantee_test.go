package console_test

import (
	"net/http"
	"testing"

	"verdict/internal/tenant"
)

// guaranteed has the members of a draft with two guarantees. The default policy keeps the first and violates the
// second.
const guaranteed = `"guarantees":[
	{"id":"G_MINORS","text":"Nobody under <21> gets an offer","when":{"op":"lt","field":"age","value":21},
	 "never":{"op":"ne","field":"status","value":"DECLINED"}},
	{"id":"G_SENIORS","text":"Nobody over 55 is approved","when":{"op":"gt","field":"age","value":55},
	 "never":{"op":"eq","field":"status","value":"APPROVED"}}]`

// TestPolicyGuarantees shows the guarantees of a version with the results of their proofs, on the page of the version,
// in the editor and in the comparison with another version.
func TestPolicyGuarantees(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	plain := b.draft(tenant.Sandbox, `"limit_step":500`)
	b.get("/console/sandbox/policies/" + plain).want(http.StatusOK).hasNot("Guarantees")
	id := b.draft(tenant.Sandbox, guaranteed)
	b.get("/console/sandbox/policies/"+id).want(http.StatusOK).hasNot("<21>").has(
		`id="at-guarantees"`, "Nobody under &lt;21&gt; gets an offer", "proved", "It holds for every applicant",
		"Nobody over 55 is approved", "refuted", "It does not hold: the applicant", `id="at-guarantees-1"`,
		"It says nothing about applicants without age.")
	cannot := "This version cannot be activated: it violates its guarantee"
	b.get("/console/sandbox/policies/"+id).want(http.StatusOK).
		has(cannot, `<a href="#at-guarantees-1">G_SENIORS</a>`, `<a href="#at-guarantees">Guarantees`).
		hasNot("/activate\"", "acknowledge")
	live := b.post("/console/sandbox/policies/" + id + "/promote").want(http.StatusSeeOther).header.Get("Location")
	b.get(live).want(http.StatusOK).has(cannot).hasNot("/activate\"", `name="acknowledge"`, "Fix each error")
	b.get("/console/sandbox/policies/" + plain).want(http.StatusOK).has("/activate\"").hasNot(cannot)
	b.get("/console/sandbox/policies/"+id+"/change").want(http.StatusOK).has("This version cannot be activated",
		"Nobody over 55 is approved", "G_SENIORS", "It does not hold").hasNot("G_MINORS", "is not proved")
	b.get("/console/sandbox/policies/" + plain + "/change").want(http.StatusOK).hasNot("cannot be activated")
	b.get("/console/sandbox/policies/"+id+"/edit").want(http.StatusOK).has(`id="at-guarantees"`, "G_SENIORS")
	b.get("/console/sandbox/policies/compare?a="+plain+"&b="+id).want(http.StatusOK).has("Guarantees", "G_MINORS")
}
