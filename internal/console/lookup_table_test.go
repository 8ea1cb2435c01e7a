package console_test

import (
	"net/http"
	"testing"

	"verdict/internal/tenant"
)

// TestTablePages uploads tables, names a column in the condition editor, and deletes a table.
func TestTablePages(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	const at = "/console/sandbox/tables"
	const rows = "employment_type,monthly_income.gte,monthly_income.lt,max_ltv\n" +
		"SALARIED,,50000,0.7\nSALARIED,50000,,0.8\n"
	b.get(at).want(http.StatusOK).has("No table yet")
	b.upload(at+"/file", rows, "name", "limits").want(http.StatusUnprocessableEntity).has("A new table needs keys")
	b.upload(at+"/file", rows, "name", "limits", "keys", "employment_type,monthly_income:range", "columns",
		"max_ltv:number").want(http.StatusSeeOther)
	b.get(at).want(http.StatusOK).has("The table limits has 2 rows. This is version 1.",
		"table.limits.max_ltv (number)", "monthly_income (range)")
	b.get(at+"/limits").want(http.StatusOK).has("below ₹50,000", "₹50,000 or more", "0.7", "no policy",
		"the columns are absent")
	b.post(at+"/limits/lookup", "key0", "salaried", "key1", "60000").want(http.StatusOK).
		has("A row matches.", "table.limits.max_ltv", "0.8")
	b.post(at+"/limits/lookup", "key0", "RETIRED", "key1", "60000").want(http.StatusOK).has("no default")
	b.post(at+"/limits/lookup", "key0", "SALARIED", "key1", "much").want(http.StatusUnprocessableEntity).
		has("must be a number")
	b.get(at + "/nobody").want(http.StatusNotFound)
	b.post(at+"/nobody/lookup", "key0", "x").want(http.StatusNotFound)
	b.upload(at+"/file", rows, "name", "limits").want(http.StatusSeeOther)
	b.upload(at+"/file", rows+"SALARIED,60000,70000,1\n", "name", "limits").want(http.StatusUnprocessableEntity).
		has("/rows/1/keys", "/rows/2/keys")
	b.upload(at+"/file", rows, "name", "limits", "keys", "no_field", "columns", "max_ltv:number").
		want(http.StatusUnprocessableEntity).has("not a field of the request")
	b.post("/console/sandbox/policies/condition", "condition",
		`{"op":"lt","field":"table.limits.max_ltv","value":0.5}`, "semantics", "2").want(http.StatusOK).
		has("table.limits.max_ltv < 0.5")
	b.post("/console/sandbox/policies/condition", "condition",
		`{"op":"lt","field":"table.limits.other","value":0.5}`, "semantics", "2").want(http.StatusOK).
		has("not a column of the table")
	b.edit(b.active(tenant.Sandbox), "").page.has(`value="table.limits.max_ltv"`, "column of the table limits")
	b.post(at + "/limits/delete").want(http.StatusSeeOther)
	b.get(at).want(http.StatusOK).has("No table yet")
	b.upload("/console/live/tables/file", rows, "name", "limits", "keys", "employment_type,monthly_income:range",
		"columns", "max_ltv:number").want(http.StatusUnprocessableEntity).has("LIVE")
}
