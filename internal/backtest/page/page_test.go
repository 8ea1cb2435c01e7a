package page_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"html"
	"regexp"
	"strings"
	"testing"

	"verdict/internal/backtest"
	"verdict/internal/backtest/page"
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/golden"
	"verdict/internal/sheet"
)

func write(t *testing.T, title string, r *backtest.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := page.Write(&b, title, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestGolden compares the whole page, except its stylesheet, with the golden
// file.
func TestGolden(t *testing.T) {
	t.Parallel()
	const file = "testdata/report.html"
	got := write(t, "Personal loan, spring book", sample())
	style := regexp.MustCompile(`(?s)<style>.*</style>`)
	policy := regexp.MustCompile(`sha256-[^']*'`)
	shown := policy.ReplaceAllString(style.ReplaceAllString(got, "<style></style>"), "sha256-…'")
	golden.File(t, file, shown)
	if again := write(t, "Personal loan, spring book", sample()); again != got {
		t.Error("the same report gave another page")
	}
}

// TestStyleIsLetIn checks that the content security policy of the page names
// the hash of its own style. Otherwise a browser would show the page without
// style.
func TestStyleIsLetIn(t *testing.T) {
	t.Parallel()
	got := html.UnescapeString(write(t, "x", sample()))
	_, rest, _ := strings.Cut(got, "<style>")
	style, _, found := strings.Cut(rest, "</style>")
	hash := sha256.Sum256([]byte(style))
	if !found || !strings.Contains(got, "style-src 'sha256-"+base64.StdEncoding.EncodeToString(hash[:])+"'") {
		t.Error("the policy does not name the style's hash")
	}
}

// TestSelfContained checks that the page has no active content and loads
// nothing, and that hostile text is escaped.
func TestSelfContained(t *testing.T) {
	t.Parallel()
	const hostile = `"><script src=//x></script><img src=x onerror=alert(1)>`
	r := sample()
	r.ByGrade[0].Grade = hostile
	r.ScoreBands[1].Grade = hostile
	r.Reasons[0].Code = hostile
	r.SoleReasons[0].Rule, r.SoleReasons[0].ReasonCode = hostile, hostile
	r.Rules[0].Rule = hostile
	r.Fairness.Column, r.Fairness.Groups[0].Name = hostile, hostile
	r.ColumnsIgnored[0] = hostile
	r.RowErrors[0].Field = hostile
	r.Challenger.Changes[0].ID, r.Challenger.Changes[0].Before = hostile, hostile
	got := strings.ToLower(write(t, hostile, r))
	for _, tag := range []string{"<script", "<img", "<link", "<iframe", "<object", " style=", "url(", "@import"} {
		if strings.Contains(got, tag) {
			t.Errorf("the page holds %s", tag)
		}
	}
	for _, address := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(got, -1) {
		if !strings.HasPrefix(address[1], "#") {
			t.Errorf("the page points elsewhere: %s", address[1])
		}
	}
	ids := map[string]bool{}
	for _, id := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(got, -1) {
		if ids[id[1]] {
			t.Errorf("two elements are called %s", id[1])
		}
		ids[id[1]] = true
	}
}

// TestLittleToShow checks that a report without outcomes, without rows or
// without any data still gives a page, and that the page contains no invalid
// figure such as NaN.
func TestLittleToShow(t *testing.T) {
	t.Parallel()
	bare := sample()
	bare.Side = backtest.Side{Summary: side().Summary}
	bare.Fairness, bare.Vintage, bare.Actual, bare.PSI, bare.Challenger = nil, nil, nil, nil, nil
	hollow := sample()
	hollow.Fairness, hollow.Vintage = &backtest.Fairness{}, &backtest.Vintage{}
	hollow.Actual, hollow.PSI, hollow.Challenger = &backtest.Actual{}, &backtest.Shift{}, &backtest.Challenger{}
	for name, r := range map[string]*backtest.Report{"nothing": {}, "no outcomes": bare, "empty parts": hollow} {
		got := write(t, name, r)
		for _, wrong := range []string{"NaN", "Inf", "%!"} {
			if strings.Contains(got, wrong) {
				t.Errorf("%s: the page holds %s", name, wrong)
			}
		}
	}
}

// TestRealRun checks that the report of a real run can be shown.
func TestRealRun(t *testing.T) {
	t.Parallel()
	book := backtest.Book{Seed: 7}
	setup := book.Setup()
	setup.Protected = "employment_type"
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	run, err := backtest.New(setup, plan, plan)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 1000} {
		worker := run.NewWorker()
		worker.Block(sheet.Block{Data: book.Append(nil, 1, n), First: 1, Rows: n})
		if got := write(t, "Synthetic book", run.Report(worker.Take())); strings.Contains(got, "NaN") {
			t.Errorf("%d rows: a figure that is no number", n)
		}
	}
}

// TestBody checks that the complete page contains the content of Body, and that Body has no element of a whole page.
func TestBody(t *testing.T) {
	t.Parallel()
	body, err := page.Body(sample())
	if err != nil {
		t.Fatal(err)
	}
	whole := write(t, "x", sample())
	for _, part := range strings.SplitAfter(string(body), "</nav>") {
		if part = strings.TrimSpace(part); !strings.Contains(whole, part) {
			t.Errorf("the page does not hold this part of the body: %.200s", part)
		}
	}
	for _, foreign := range []string{"<html", "<style", "<h1", "<main"} {
		if strings.Contains(string(body), foreign) {
			t.Errorf("the body brings along %s", foreign)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

func TestWriteError(t *testing.T) {
	t.Parallel()
	if err := page.Write(full{}, "x", &backtest.Report{}); err == nil {
		t.Error("a page that could not be written was reported as written")
	}
}
