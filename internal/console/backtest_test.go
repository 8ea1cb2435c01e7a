package console_test

import (
	"bytes"
	"compress/gzip"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"verdict/internal/tenant"
)

// upload sends a form like a browser, with the file as its last part.
func (b *browser) upload(path, file string, pairs ...string) *answer {
	b.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for i := 0; i < len(pairs); i += 2 {
		if err := w.WriteField(pairs[i], pairs[i+1]); err != nil {
			b.Fatal(err)
		}
	}
	part, err := w.CreateFormFile("file", "rows.csv")
	if err != nil {
		b.Fatal(err)
	}
	if _, err := part.Write([]byte(file)); err != nil {
		b.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, b.url+path, &body)
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Content-Type", w.FormDataContentType())
	request.Header.Set("Origin", b.url)
	return b.do(request)
}

const rowsCSV = "loan,score,enquiries_6m,active_tradelines,max_dpd_12m,monthly_income,foir,requested_amount,outcome\n" +
	"L-1,760,1,4,0,90000,0.30,400000,good\n" +
	"L-2,640,6,2,35,30000,0.60,500000,bad\n" +
	"L-3,710,2,3,0,60000,0.35,300000,good\n" +
	"<script>alert(1)</script>,x,2,3,0,60000,0.35,300000,good\n"

// location checks that the answer is a redirect and returns its target below
// "/console/sandbox".
func (a *answer) location() string {
	a.Helper()
	a.want(http.StatusSeeOther)
	return strings.TrimPrefix(a.header.Get("Location"), "/console/sandbox")
}

func TestBacktestOfAFile(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	b.get("/console/sandbox/backtests/new").
		want(http.StatusOK).has(`name="file"`, `enctype="multipart/form-data"`, "The active policy")
	made := b.upload("/console/sandbox/backtests/file", rowsCSV, "outcome_column", "outcome",
		"id_column", "loan", "foir_unit", "")
	at := "/console/sandbox" + made.location()
	b.get(at).want(http.StatusOK).
		has("Succeeded", "Approval rate", "A CSV file", "<svg", `class="report"`, "/rows.csv").
		hasNot("<script>alert", "data-refresh", "http-equiv")
	b.get("/console/sandbox/backtests").
		want(http.StatusOK).has(strings.TrimPrefix(at, "/console/sandbox/backtests/"), "Succeeded")
	file := b.get(at+"/report.html").want(http.StatusOK).has("<!doctype html>", "Content-Security-Policy")
	if got := file.header.Get("Content-Disposition"); !strings.HasPrefix(got, "attachment;") {
		t.Errorf("the report is not a file to keep: %q", got)
	}
	b.get(at+"/rows.csv").want(http.StatusOK).has("L-1", "APPROVED")
	b.get(at + "/rows.csv?swapped=1").want(http.StatusUnprocessableEntity) // the backtest had no challenger
	b.post(at + "/cancel").want(http.StatusConflict).has("has already finished")
}

func TestBacktestOfAPackedFile(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(rowsCSV)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	made := b.upload("/console/sandbox/backtests/file", packed.String(), "outcome_column", "outcome")
	b.get("/console/sandbox" + made.location()).want(http.StatusOK).has("Succeeded")
}

func TestBacktestOfAFileRefused(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	for name, c := range map[string]struct {
		file   string
		fields []string
		status int
		says   []string
	}{
		"no such column": {
			rowsCSV,
			[]string{"outcome_column", `no"such<b>`},
			http.StatusUnprocessableEntity,
			[]string{`id="e-outcome_column"`, `value="no&#34;such&lt;b&gt;"`},
		},
		"no such policy": {
			rowsCSV, []string{"rule_set_id", "pol_1"}, http.StatusUnprocessableEntity, []string{`id="e-rule_set_id"`},
		},
		"no rows":         {"", nil, http.StatusUnprocessableEntity, nil},
		"a foreign field": {rowsCSV, []string{"surprise", "1"}, http.StatusBadRequest, []string{"unexpected field"}},
		"not a number": {
			rowsCSV, []string{"lgd", "much"}, http.StatusUnprocessableEntity, []string{`id="e-lgd"`, `value="much"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b.upload("/console/sandbox/backtests/file", c.file, c.fields...).
				want(c.status).has(append(c.says, "data-upload")...)
		})
	}
	b.post("/console/sandbox/backtests/file", "outcome_column", "outcome").want(http.StatusBadRequest)
}

// TestUploadByScript checks that the upload script gets the address of the run
// with status 201. A script that follows a redirect would request the page
// twice.
func TestUploadByScript(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	request := b.form("/console/sandbox/backtests/synthetic", "n", "200", "seed", "7")
	request.Header.Set("X-Verdict-Upload", "1")
	made := b.do(request).want(http.StatusCreated)
	b.get(made.header.Get("Location")).want(http.StatusOK).has("A synthetic book")
}

func TestBacktestOfOtherRows(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	b.decide(tenant.Sandbox, "A-1")
	b.get("/console/sandbox/backtests/new?from=synthetic").want(http.StatusOK).has(`name="seed"`)
	b.get("/console/sandbox/backtests/new?from=decisions").want(http.StatusOK).has(`type="date"`)
	first := b.post("/console/sandbox/backtests/synthetic", "n", "500", "seed", "7").location()
	b.post("/console/sandbox/backtests/synthetic", "n", "-3", "bad_rate", "x").want(http.StatusUnprocessableEntity).
		has(`id="e-n"`, `id="e-bad_rate"`, `value="-3"`)
	today := tenant.BusinessDay(b.clock.now())
	second := b.post("/console/sandbox/backtests/decisions", "from", "2024-01-01", "to", today).location()
	b.get("/console/sandbox" + second).want(http.StatusOK).has("Stored decisions")
	b.post("/console/sandbox/backtests/decisions", "from", "soon").
		want(http.StatusUnprocessableEntity).has(`id="e-from"`)
	id := func(at string) string { return strings.TrimPrefix(at, "/backtests/") }
	b.get("/console/sandbox/backtests/compare?a="+id(first)+"&b="+id(second)).want(http.StatusOK).
		has("Side by side", "Approval rate", "Gini", "<svg", "Average limit").hasNot("NaN")
	b.get("/console/sandbox/backtests/compare?a=" + id(first) + "&b=bt_nothing").want(http.StatusNotFound)
}

// TestBacktestsOfOthers checks that the runs of another tenant are not found.
func TestBacktestsOfOthers(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	at := h.signUp().post("/console/sandbox/backtests/synthetic", "n", "100").location()
	other := h.signUp()
	for _, path := range []string{at, at + "/report.html", at + "/rows.csv"} {
		other.get("/console/sandbox" + path).want(http.StatusNotFound)
	}
	other.post("/console/sandbox" + at + "/cancel").want(http.StatusNotFound)
}

func TestBacktestsByRole(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	at := b.post("/console/sandbox/backtests/synthetic", "n", "100").location()
	viewer := b.colleague(tenant.RoleViewer)
	viewer.get("/console/sandbox" + at).want(http.StatusOK).hasNot("/cancel")
	viewer.get("/console/sandbox/backtests").want(http.StatusOK).hasNot("/backtests/new")
	viewer.get("/console/sandbox/backtests/new").want(http.StatusForbidden)
	viewer.post("/console/sandbox/backtests/synthetic", "n", "100").want(http.StatusForbidden)
	viewer.upload("/console/sandbox/backtests/file", rowsCSV).want(http.StatusForbidden)
}
