package console_test

import (
	"net/http"
	"strings"
	"testing"

	"verdict/internal/console/consoletest"
	"verdict/internal/operation"
	"verdict/internal/tenant"
)

// batchPath returns the path of the batch to which an answer leads.
func batchPath(t *testing.T, location string) (path, id string) {
	t.Helper()
	id, found := strings.CutPrefix(location, "/console/sandbox/batches/")
	if !found {
		t.Fatalf("the answer leads to %q", location)
	}
	return location, id
}

// TestBatchPages starts batches with files, opens their pages and cancels one.
func TestBatchPages(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	const at = "/console/sandbox/batches"
	b.get(at).want(http.StatusOK).has("No batch found")
	b.get(at+"/new").want(http.StatusOK).has("New batch", "1,00,00,000 rows")
	const decisions, evaluate = "POST /v1/decisions", "POST /v1/evaluate"
	run := func(id string) {
		t.Helper()
		if err := b.service.RunChunk(t.Context(), operation.Chunk{
			TenantID: b.who(tenant.Sandbox).TenantID, Environment: "sandbox", JobID: id, Number: 1,
		}); err != nil {
			t.Fatal(err)
		}
	}

	csv := "applicant_id,monthly_income,foir,score\nA-1,85000,0.32,742\nA-2,85000,32,742\nA-3,85000,0.32,500\n"
	path, id := batchPath(t, b.upload(at+"/file", csv, "endpoint", decisions, "strict", "").
		want(http.StatusSeeOther).header.Get("Location"))
	b.get(path).want(http.StatusOK).has("Waiting to start", "0 of 3 rows", "Cancel the batch")
	run(id)
	b.get(path).want(http.StatusOK).has("Completed", "Approved", "Declined", "Unsecured personal loan",
		"Rows that were not decided", "invalid_field", `<tr id="row-2">`, "<code>applicant.foir</code>", "What to do:",
		"out_of_range", "ratio or percentage", "Results as CSV").hasNot("Cancel the batch")
	b.get(at).want(http.StatusOK).has(id[len(id)-4:], "Completed")
	results := b.get(path + "/results.csv").want(http.StatusOK)
	lines := strings.Split(strings.TrimSpace(results.body), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[1], "1,dec_") ||
		!strings.HasPrefix(lines[2], "2,,,,,,invalid_field,") || !strings.Contains(lines[3], ",DECLINED,") {
		t.Errorf("the results are %q", lines)
	}

	path, id = batchPath(t, b.upload(at+"/file", "score,shoe_size,<b>\n742,42,x\n", "endpoint", decisions).
		want(http.StatusSeeOther).header.Get("Location"))
	b.get(path).want(http.StatusOK).has("were left out: shoe_size, &lt;b&gt;.")
	b.get(path).want(http.StatusOK).hasNot("left out")
	run(id)
	b.upload(at+"/file", "monthly_incme,foir,score\n85000,0.32,742\n", "endpoint", decisions).
		want(http.StatusUnprocessableEntity).has("monthly_incme (did you mean monthly_income?)", "nothing was decided")
	many := "score," + strings.Repeat("आ", 20) + ",x" + strings.Repeat("आ", 60) + strings.Repeat(",", 9) +
		"\n742" + strings.Repeat(",", 11) + "\n"
	path, id = batchPath(t, b.upload(at+"/file", many, "endpoint", decisions).
		want(http.StatusSeeOther).header.Get("Location"))
	b.get(path).want(http.StatusOK).has("were left out: "+strings.Repeat("आ", 20)+", x", "by its whole path")
	run(id)

	ndjson := "\n {\"bureau\":\"cibil\",\"report\":{\"cibil\":{\"scoreData\":{\"score\":781}}}}\n"
	path, id = batchPath(t, b.upload(at+"/file", ndjson, "endpoint", evaluate, "strict", "1").
		want(http.StatusSeeOther).header.Get("Location"))
	run(id)
	b.get(path).want(http.StatusOK).has(evaluate, "Completed").hasNot("Rows that were not decided")

	path, id = batchPath(t, b.upload(at+"/file", csv, "endpoint", decisions, "strict", "").
		want(http.StatusSeeOther).header.Get("Location"))
	b.post(path + "/delete").want(http.StatusConflict).has("cancel it first")
	b.post(path + "/cancel").want(http.StatusSeeOther)
	b.get(path).want(http.StatusOK).has("is being cancelled", "Cancelling").hasNot("Delete the batch")
	run(id)
	b.get(path).want(http.StatusOK).has("Cancelled", "batch_cancelled", "Delete the batch")
	b.post(path + "/cancel").want(http.StatusSeeOther)
	b.colleague(tenant.RoleViewer).get(path).want(http.StatusOK).hasNot("Delete the batch")
	b.post(path + "/delete").want(http.StatusSeeOther)
	b.get(at).want(http.StatusOK).has("The batch and its results were deleted")
	b.get(path).want(http.StatusNotFound)
	b.post(path + "/delete").want(http.StatusNotFound)

	for _, wrong := range []struct{ file, endpoint, says string }{
		{csv, evaluate, "send evaluate requests as lines of JSON"},
		{csv, "", "Choose what the rows are"},
		{"", decisions, ""},
		{"score,foir\n742\n", decisions, "look at line 2. Give the row as many cells"},
		{"score\n", decisions, "There are no rows to decide"},
	} {
		b.upload(at+"/file", wrong.file, "endpoint", wrong.endpoint).want(http.StatusUnprocessableEntity).
			has(wrong.says)
	}
	b.upload(at+"/file", "score,employer\n742,Fraud Co\n", "endpoint", decisions, "strict", "1").
		want(http.StatusUnprocessableEntity).has("employer", "by its whole path")
	b.upload("/console/live/batches/file", csv, "endpoint", decisions).want(http.StatusUnprocessableEntity).has("LIVE")
	b.get(at + "/bat_1").want(http.StatusNotFound)
	b.get(at + "/bat_1/results.csv").want(http.StatusNotFound)
}

// TestUndecidedRows opens the rows of a batch that were not decided, page by page.
func TestUndecidedRows(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	rows := strings.Repeat("no JSON\n", 60)
	path, id := batchPath(t, b.upload("/console/sandbox/batches/file", "{}\n"+rows, "endpoint", "POST /v1/decisions").
		want(http.StatusSeeOther).header.Get("Location"))
	err := b.service.RunChunk(t.Context(), operation.Chunk{
		TenantID: b.who(tenant.Sandbox).TenantID, Environment: "sandbox", JobID: id, Number: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	b.get(path).want(http.StatusOK).has("60 <code>malformed_json</code>", path+"?from=50#problems")
	b.get(path+"?from=50").want(http.StatusOK).has("61", path+"#problems").hasNot(`rel="next"`)
	b.get(path + "?from=nonsense").want(http.StatusOK).has("malformed_json")
}

// TestLoansOfApplicant checks that the loans of an applicant are shown beside the decisions, but only to people who may
// read facts.
func TestLoansOfApplicant(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	b.decide(tenant.Sandbox, "A-1")
	loans := consoletest.NewExamples(b.service, b.who(tenant.Sandbox)).Loans(t)
	b.get(loans.Path).want(http.StatusOK).has("Loans of this applicant", "personal_loan", "₹4,12,350.50", "₹14,170",
		"&lt;i&gt;two wheeler&lt;/i&gt;", "Closed")
	b.get("/console/sandbox/decisions?q=nobody").want(http.StatusOK).hasNot("Loans of this applicant")
	b.get("/console/sandbox/decisions").want(http.StatusOK).hasNot("Loans of this applicant")
	viewer := b.colleague(tenant.RoleViewer)
	viewer.get(loans.Path).want(http.StatusOK).hasNot("Loans of this applicant")
}
