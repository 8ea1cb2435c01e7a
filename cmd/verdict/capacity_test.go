package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// storedBytes is the size of a stored decision, which TestStoredBytes measures.
const storedBytes = 2200

// TestCapacityPage compares the figures of the page about capacity with the pages that
// the load test and the benchmark wrote. If UPDATE_SCRIPTS is set, it writes the
// figures to the page.
func TestCapacityPage(t *testing.T) {
	t.Parallel()
	const path = "../../docs/CAPACITY.md"
	page := pageText(t, path)
	want := "<!-- capacity -->\n" + capacityTables(t) + "<!-- /capacity -->"
	block := regexp.MustCompile(`(?s)<!-- capacity -->.*<!-- /capacity -->`)
	if got := block.FindString(page); got == want {
		return
	}
	if os.Getenv("UPDATE_SCRIPTS") == "" {
		t.Fatalf("the figures are not those of docs/PROOF.md and docs/PERFORMANCE.md; " +
			"UPDATE_SCRIPTS=1 go test -run TestCapacityPage ./cmd/verdict writes them")
	}
	if err := os.WriteFile(path, []byte(block.ReplaceAllLiteralString(page, want)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func pageText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// capacityTables returns the measured figures, and the capacity in a day that follows
// from them.
func capacityTables(t *testing.T) string {
	t.Helper()
	performance, proof := pageText(t, "../../docs/PERFORMANCE.md"), pageText(t, "../../docs/PROOF.md")
	_, load, _ := strings.Cut(proof, "<!-- load -->")
	load, _, _ = strings.Cut(load, "<!-- /load -->")
	lite, postgres, found := strings.Cut(load, "**postgres.**")
	if !found {
		t.Fatal("docs/PROOF.md has no load test on PostgreSQL")
	}
	held := regexp.MustCompile(`The server held (\d+ MiB) at most`)
	onLite, onPostgres := cells(t, performance, "durable decision on SQLite, ours"),
		cells(t, performance, "durable decision on PostgreSQL, ours")
	evaluate := cells(t, performance, "the whole request without storage, ours")[1]
	saturated := cells(t, postgres, "closed loop")[2]

	var out strings.Builder
	fmt.Fprintf(&out, "The load test measured %s, the benchmarks %s.\nLater commits may be faster or slower.\n\n",
		measuredCommit(t, load), measuredCommit(t, performance))
	out.WriteString("| measured | SQLite | PostgreSQL |\n|---|---:|---:|\n")
	row := func(what, a, b string) { fmt.Fprintf(&out, "| %s | %s | %s |\n", what, a, b) }
	row("requests a second at saturation, one core for service and database", cells(t, lite, "closed loop")[2],
		saturated)
	row("p99 at half of that", cells(t, lite, "50 %")[7], cells(t, postgres, "50 %")[7])
	row("memory of the service at twice the saturation", held.FindStringSubmatch(lite)[1],
		held.FindStringSubmatch(postgres)[1])
	row("processor time of a plain decision: the service", onLite[7], onPostgres[7])
	row("· the database server", "part of it", onPostgres[8])
	row("processor time of a request with a report of 328 KB, without storing", evaluate, evaluate)

	out.WriteString("\n| decisions a day | a second, on average | in the busiest hour | cores, mix of the load test " +
		"| cores, all with a report | stored a day | stored a year |\n|---:|---:|---:|---:|---:|---:|---:|\n")
	rate, err := strconv.ParseFloat(saturated, 64)
	if err != nil {
		t.Fatal(err)
	}
	cost, err := strconv.ParseFloat(strings.TrimSuffix(evaluate, " ms"), 64)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []float64{1e5, 1e6, 1e7, 1e8} {
		busy := n / 10 / 3600
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s | %s GB | %s GB |\n", whole(n), whole(n/86400), whole(busy),
			short(2*busy/rate), short(2*busy*cost/1000), short(n*storedBytes/1e9), whole(n*storedBytes*365/1e9))
	}
	return out.String()
}

// measuredCommit returns the commit and the date of the measurements on a page or in a section. The benchmarks write
// them above their figures, with a "+" after the commit if there were uncommitted changes.
func measuredCommit(t *testing.T, text string) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^(\d{4}-\d\d-\d\d) [\d:]+ UTC · commit ([0-9a-f]+)(\+?) ·`).FindStringSubmatch(text)
	if m == nil {
		t.Fatal("the page does not say which commit was measured")
	}
	if m[3] != "" {
		return "commit " + m[2] + " with changes that were not committed, on " + m[1]
	}
	return "commit " + m[2] + " on " + m[1]
}

// cells returns the cells of the first table row whose first cell is name.
func cells(t *testing.T, page, name string) []string {
	t.Helper()
	for line := range strings.Lines(page) {
		if row := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|"); strings.TrimSpace(row[0]) == name {
			for i := range row {
				row[i] = strings.TrimSpace(row[i])
			}
			return row
		}
	}
	t.Fatalf("there is no row %q", name)
	return nil
}

// whole formats a number with thousands separators. The result is at least 1.
func whole(n float64) string {
	text := strconv.FormatFloat(math.Max(1, math.Round(n)), 'f', 0, 64)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// short formats a number, rounded up to one decimal. The result is at least 0.1.
func short(n float64) string {
	if n < 0.1 {
		return "0.1"
	}
	return strconv.FormatFloat(math.Ceil(n*10)/10, 'f', -1, 64)
}

// TestStoredBytes decides and measures how much the database grows, so that the
// page about capacity stays right.
func TestStoredBytes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: load")
	}
	const decisions = 1500
	file := filepath.Join(t.TempDir(), "verdict.db")
	p := startServe(t, "-database-url", "sqlite:"+file)
	key, _ := ask(t, p.url+"/api/signup", "",
		`{"email":"a@example.in","org_name":"Asha Finance","password":"a long password"}`)["api_key"].(string)
	stopServe(t, p)
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	p = startServe(t, "-database-url", "sqlite:"+file)
	for i := range decisions {
		ask(t, p.url+"/v1/decisions", key,
			fmt.Sprintf(`{"applicant":{"id":"A%07d","age":%d,"employment_type":"SALARIED",
			"monthly_income":%d,"foir":0.%d,"requested_amount":%d,"requested_tenure_months":36},
			"bureau_report":{"score":%d,"enquiries_6m":%d,"active_tradelines":4,"max_dpd_12m":0}}`,
				i, 22+i%40, 30000+i*37, 10+i%60, 100000+i*211, 600+i%300, i%5))
	}
	stopServe(t, p)
	after, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	each := (after.Size() - before.Size()) / decisions
	t.Logf("%d bytes for each decision", each)
	if each > storedBytes*5/4 || each < storedBytes/2 {
		t.Errorf("a decision takes %d bytes; docs/CAPACITY.md counts with %d", each, storedBytes)
	}
}
