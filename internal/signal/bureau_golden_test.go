package signal

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/report"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// TestBureauReports checks every testdata/bureau/*.txtar file. The comment of a
// file says what the file shows. Its sections are the bureau, the day of the
// request and the report, followed by the wanted history, facts and warnings,
// or by the wanted faults.
func TestBureauReports(t *testing.T) {
	t.Parallel()
	given := func(name string) bool { return name == "bureau" || name == "as_of" || name == "report.json" }
	archives(t, "bureau", given, understood)
}

// understood reads the report of a golden file and returns the sections to
// compare.
func understood(t *testing.T, archive *txtar.Archive) []txtar.File {
	t.Helper()
	given := map[string]string{}
	for _, f := range archive.Files {
		given[f.Name] = strings.TrimSpace(string(f.Data))
	}
	date, err := time.Parse(time.DateOnly, given["as_of"])
	if err != nil {
		t.Fatal(err)
	}
	asOf := civil.DayOf(date.Date())
	v, err := wire.Parse([]byte(given["report.json"]))
	if err != nil {
		t.Fatal(err)
	}
	var faults, warnings fault.List
	h := report.ReadBureau(given["bureau"], v, asOf, &faults, &warnings)
	if faults.Len() > 0 {
		return []txtar.File{{Name: "faults", Data: items(&faults)}, {Name: "warnings", Data: items(&warnings)}}
	}
	var facts bytes.Buffer
	Bureau(h, asOf, func(name string, v rule.Value) { fmt.Fprintf(&facts, "%-30s %s\n", name, v) })
	files := []txtar.File{{Name: "history", Data: historyText(h)}, {Name: "facts", Data: facts.Bytes()}}
	if score := report.Score(given["bureau"], v); score.Given() {
		n, ok := report.ScoreNumber(score)
		files = append(files,
			txtar.File{Name: "score", Data: fmt.Appendf(nil, "%d %t at %s\n", n, ok, score.Pointer())})
	}
	return append(files, txtar.File{Name: "warnings", Data: items(&warnings)})
}

func items(list *fault.List) []byte {
	var b bytes.Buffer
	for _, it := range list.Items() {
		fmt.Fprintf(&b, "%s %s: %s\n", it.Pointer, it.Code, it.Detail)
	}
	return b.Bytes()
}

var productTexts = [...]string{
	"other, unsecured", "other, secured", "personal loan", "credit card", "consumer loan", "vehicle loan",
	"home loan", "gold loan", "business loan", "business loan, secured",
}

var ownerTexts = [...]string{"", ", joint", ", guaranteed", ", used with an add-on card"}

// historyText formats a history as readable text.
func historyText(h *report.History) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "reported %s\n", or(h.Reported.String()))
	if !h.HasAccounts {
		fmt.Fprintln(&b, "says nothing of accounts")
	}
	write := func(kind string, a *report.Account) {
		state := "over"
		if a.Live {
			state = "live"
		}
		fmt.Fprintf(&b, "%s %d: %s%s, %s%s\n", kind, a.At, productTexts[a.Product], ownerTexts[a.Owner], state,
			adverseText(a))
		fmt.Fprintf(&b, "  opened %s, closed %s, last reported %s\n",
			or(a.Opened.String()), or(a.Closed.String()), or(a.Reported.String()))
		fmt.Fprintf(&b, "  sanctioned %s, balance %s, overdue %s, instalment %s\n", money(a.SanctionedPaise),
			money(a.BalancePaise), money(a.OverduePaise), money(a.InstalmentPaise))
		for _, p := range a.History {
			fmt.Fprintf(&b, "  %s: %d days past due\n", p.Month.First().String()[:7], p.DaysPastDue)
		}
	}
	for i := range h.Accounts {
		write("account", &h.Accounts[i])
	}
	for i := range h.Microfinance {
		write("microfinance account", &h.Microfinance[i])
	}
	if !h.HasEnquiries {
		fmt.Fprintln(&b, "lists no enquiries")
	}
	for _, e := range h.Enquiries {
		fmt.Fprintf(&b, "enquiry %d: %s for %s, amount %s\n",
			e.At, e.Made, productTexts[e.Product], money(e.AmountPaise))
	}
	for i, n := range []int32{h.Last7, h.Last30, h.Last90, h.Last180} {
		if n != report.NoCount {
			fmt.Fprintf(&b, "enquiries counted in the last %d days: %d\n", []int{7, 30, 90, 180}[i], n)
		}
	}
	return b.Bytes()
}

func adverseText(a *report.Account) string {
	text := ""
	for i, name := range []string{"written off", "settled", "suit filed", "wilful default"} {
		if a.Adverse&(1<<i) != 0 {
			text += ", " + name
		}
	}
	if a.AdversePaise != report.NoAmount {
		text += " (" + money(a.AdversePaise) + ")"
	}
	return text
}

func money(paise int64) string {
	if paise == report.NoAmount {
		return "unknown"
	}
	return string(wire.AppendDecimal(nil, paise, 2))
}

func or(text string) string {
	if text == "" {
		return "unknown"
	}
	return text
}

// TestBureauFactsAreInTheCatalogue checks that the name of every derived fact is
// in the catalogue. The derived facts must be the bureau facts that a decision
// request can send, except the score.
func TestBureauFactsAreInTheCatalogue(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("testdata/bureau/*.txtar")
	derived := map[string]bool{}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if f.Name != "facts" {
				continue
			}
			for line := range strings.Lines(string(f.Data)) {
				derived[strings.Fields(line)[0]] = true
			}
		}
	}
	// All facts that a request can send directly, except the score, must be
	// derived.
	var want []string
	for id := range rule.FieldID(field.Catalogue().Len()) {
		if name, ok := field.OfReport(field.Catalogue().Field(id).Name); ok && name != field.BureauScore {
			want = append(want, name)
		}
	}
	slices.Sort(want)
	var got []string
	for name := range derived {
		if _, known := field.Catalogue().Lookup(name); !known {
			t.Errorf("%s is not in the catalogue", name)
		}
		got = append(got, name)
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
