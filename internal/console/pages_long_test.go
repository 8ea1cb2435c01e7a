package console_test

import (
	"cmp"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"verdict/internal/account"
	"verdict/internal/console/consoletest"
	"verdict/internal/decisioning"
	"verdict/internal/demo"
	"verdict/internal/demo/demotest"
	"verdict/internal/operation"
	"verdict/internal/proof"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
)

// The environment variables of TestPagesAtSize. pagesVariable sets the number
// of decisions in live; the sandbox gets a tenth. pagesDatabaseVariable sets
// the URL of a database that is filled once and kept.
const (
	pagesVariable         = "VERDICT_PAGES"
	pagesDatabaseVariable = "VERDICT_PAGES_DATABASE"
)

// mostForAPage is the longest allowed median time of a page's fetches. mostForCounting is that of the answers that the
// editor's script requests beside the page: the effect of an edit, for which up to 5,000 stored applications are
// decided twice, and how often fields were absent, for which the facts of 200 are read. People can work before these
// answers arrive. The use cases stop after three seconds and say so; the rest is for reading the last day that
// they have begun.
const (
	mostForAPage    = 50 * time.Millisecond
	mostForCounting = 4 * time.Second
)

// limit returns the longest allowed median time of the page, and false if there is none. Files have no limit, because
// their rows may have to be decided again.
func limit(path string) (time.Duration, bool) {
	at, _, _ := strings.Cut(path, "?")
	switch {
	case strings.HasSuffix(at, ".csv"), strings.HasSuffix(at, "/report.html"):
		return 0, false
	case strings.HasSuffix(at, "/edit/effect"), strings.HasSuffix(at, "/fields/absence"):
		return mostForCounting, true
	}
	return mostForAPage, true
}

// TestPagesAtSize fetches every page and file of a lender with a year of decisions, in both environments and on both
// databases. It fetches lists with each filter and each pair of filters, and also the next pages of lists and the last
// pages of the long lists. It fails for a page whose median is above its limit, or that is sent with more than
// mostBytes. The test runs only with VERDICT_LONG=1, or if VERDICT_PAGES gives the number of decisions; "make pages"
// runs it alone and writes its result into docs/PROOF.md. TestFilledConsole visits the same pages with few decisions.
func TestPagesAtSize(t *testing.T) {
	t.Parallel()
	n := 0
	if os.Getenv("VERDICT_LONG") != "" {
		n = 1_000_000
	}
	if text := os.Getenv(pagesVariable); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatalf("%s: %v", pagesVariable, err)
		}
	}
	if n == 0 {
		return
	}
	if kept := os.Getenv(pagesDatabaseVariable); kept != "" {
		newSize(t, kept, n).measure(t)
		return
	}
	// Measure one database after the other, because concurrent measurements
	// would slow each other down.
	databases := []struct {
		name string
		url  func(testing.TB) string
	}{{"sqlite", storetest.SQLite}, {"postgres", storetest.Postgres}}
	rows := [][]string{{
		"database", "decisions", "pages", "median", "slowest page", "its median", "largest page", "bytes sent",
		"effect",
	}}
	for _, database := range databases {
		t.Run(database.name, func(t *testing.T) {
			s := newSize(t, database.url(t), n)
			s.measure(t)
			rows = append(rows, append([]string{database.name, strconv.Itoa(n)}, s.summary()...))
		})
	}
	text := proof.Origin(t.Context(), time.Now(), fmt.Sprintf("make pages PAGES=%d", n)) + "\n" + proof.Table(rows)
	t.Log(text)
	if len(rows) == 1+len(databases) { // with -run, only one of the databases may have been measured
		if err := proof.Write(os.Getenv(proof.Variable), "pages", text); err != nil {
			t.Error(err)
		}
	}
}

// summary returns the cells of the measurement's row in docs/PROOF.md: all pages that have the limit mostForAPage, the
// slowest and the largest of them, and the slowest effect of an edit.
func (s *size) summary() []string {
	var pages []fetched
	var effect time.Duration
	for _, f := range s.taken {
		switch most, limited := limit(f.path); {
		case limited && most == mostForAPage:
			pages = append(pages, f)
		case limited:
			effect = max(effect, f.median)
		}
	}
	byMedian := func(a, b fetched) int { return cmp.Compare(a.median, b.median) }
	slices.SortFunc(pages, byMedian)
	slowest := slices.MaxFunc(pages, byMedian)
	largest := slices.MaxFunc(pages, func(a, b fetched) int { return a.bytes - b.bytes })
	round := func(d time.Duration) string { return d.Round(100 * time.Microsecond).String() }
	return []string{
		strconv.Itoa(len(pages)), round(pages[len(pages)/2].median), patternOf(slowest.path), round(slowest.median),
		patternOf(largest.path), strconv.Itoa(largest.bytes), round(effect),
	}
}

// patternOf returns a path without the ids and cursors in it, which differ in every run.
func patternOf(path string) string {
	path = anID.ReplaceAllString(path, "…")
	return "`" + aCursor.ReplaceAllString(path, "cursor=…") + "`"
}

var aCursor = regexp.MustCompile(`cursor=[^&]+`)

// manyFetches is how often a page is fetched for a measurement. fewFetches are enough if each of them took less than
// half of the limit, as almost all do: the test visits thousands of combinations of filters.
const (
	manyFetches = 20
	fewFetches  = 3
)

// size measures the console pages of a tenant that has a year of decisions.
type size struct {
	*browser
	fetches int // 1 if pages are only visited, not measured
	taken   []fetched
	count   int       // the number of fetches
	told    time.Time // when the progress was last logged
}

// fetched has the times of a page, and the processor time that this program used
// for each fetch. Other load on the machine hardly changes the processor time.
type fetched struct {
	path                 string
	median, longest, cpu time.Duration
	bytes                int // as sent
}

func newSize(t *testing.T, databaseURL string, n int) *size {
	t.Helper()
	db := storetest.Open(t, databaseURL, store.Options{})
	s := &size{browser: houseOver(t, db).newBrowser(), fetches: manyFetches}
	begun := time.Now()
	made, err := demo.Fill(t.Context(), db, demotest.Hostile(newClock().now(), 240))
	t.Logf("the demonstration was written in %s", time.Since(begun).Round(time.Second))
	switch {
	case errors.Is(err, demo.ErrNotEmpty): // the database was kept
	case err != nil:
		t.Fatal(err)
	default:
		fillPast(t, &past{db: db, made: made, env: tenant.Live, decisions: n})
		fillPast(t, &past{db: db, made: made, env: tenant.Sandbox, decisions: n / 10})
		if db.Kind() == "postgres" { // autovacuum would run ANALYZE within a minute
			if _, err := storetest.Raw(t, databaseURL).ExecContext(t.Context(), "ANALYZE"); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("%d decisions of a year were written in %s", n+n/10, time.Since(begun).Round(time.Second))
	}
	s.post("/console/signin", "email", "asha@kaveri.example", "password", demotest.Password).want(http.StatusSeeOther)
	return s
}

// measure fetches all pages and reports the slow ones.
func (s *size) measure(t *testing.T) {
	t.Helper()
	for _, env := range tenant.Environments() {
		pages := consoletest.NewExamples(s.service, s.who(env)).Pages(t)
		for _, route := range s.console.Routes() {
			pattern, get := strings.CutPrefix(route, "GET ")
			if !get || pattern == "/console/invite/{token}" || strings.HasPrefix(pattern, "/console/sso/") {
				continue
			}
			looks := pages[pattern]
			if looks == nil {
				looks = []consoletest.Page{
					{Path: strings.NewReplacer("{env}", string(env), "{$}", "").Replace(pattern)},
				}
			}
			for _, l := range looks {
				s.visit(l.Path, !strings.Contains(pattern, "{id}"))
			}
		}
		s.last(env)
		s.scripted(env, pages)
	}
	s.tell()
}

// visit measures a page without filters and with each of its filters, and the next page of each result. For a list,
// it also measures the page with each pair of filters. If each page is fetched only once, visit leaves out the
// pairs of filters, and the filters of pages about a single object.
func (s *size) visit(path string, list bool) {
	s.Helper()
	if strings.HasSuffix(path, "/audit.csv") { // limit the file to one day: a complete file takes long
		day := s.clock.now().AddDate(0, 0, -2).Format(time.DateOnly)
		path += "?from=" + day + "&to=" + day
	}
	s.progress(path)
	times := s.fetches
	if most, limited := limit(path); !limited || most > mostForAPage {
		times = min(times, 3) // files and counts take long
	}
	first := s.fetch(path, times)
	s.next(first)
	long := s.fetches > 1
	if !list && !long {
		return
	}
	filters := s.filtersOf(path, first)
	for i, a := range filters {
		s.next(s.fetch(path+"?"+a.query(), times))
		for _, b := range filters[i+1:] {
			if list && long && a.name != b.name {
				s.fetch(path+"?"+a.query()+"&"+b.query(), s.fetches/4) // fewer fetches, because there are many pairs
			}
		}
	}
}

// next measures the next page after the page shown, if there is one.
func (s *size) next(shown string) {
	s.Helper()
	for link := range tags(shown, "a") {
		if link.member("rel") == "next" {
			s.fetch(link.member("href"), s.fetches)
			return
		}
	}
}

// rounds is how often a slow page is measured, because the machine may have been
// busy.
const rounds = 3

// fetch measures one page, up to rounds times if it is slow, and returns its
// body.
func (s *size) fetch(path string, times int) string {
	s.Helper()
	best, shown := s.round(path, times)
	for n := 1; n < rounds && s.fetches > 1 && best.slow(); n++ {
		if again, _ := s.round(path, times); again.median < best.median {
			best = again
		}
	}
	s.taken = append(s.taken, best)
	return shown
}

// round fetches a page the given number of times, but at least once. It returns the page's measurements and its
// body.
func (s *size) round(path string, times int) (fetched, string) {
	s.Helper()
	var took []time.Duration
	var shown *answer
	before := spent(s.T)
	for len(took) < max(times, 1) && !enough(path, took) {
		begun := time.Now()
		shown = s.get(path)
		took = append(took, time.Since(begun))
		s.count++
		if shown.status != http.StatusOK && shown.status != http.StatusSeeOther {
			s.Errorf("%s is answered with %d", path, shown.status)
		}
	}
	cpu := (spent(s.T) - before) / time.Duration(len(took))
	slices.Sort(took)
	return fetched{path, took[len(took)/2], took[len(took)-1], cpu, shown.sent}, shown.body
}

// enough reports whether the fetches of a page so far show that it is not slow.
func enough(path string, took []time.Duration) bool {
	most, limited := limit(path)
	return limited && len(took) >= fewFetches && slices.Max(took) < most/2
}

// progress logs every ten seconds how far the measurement is, because it takes long.
func (s *size) progress(path string) {
	s.Helper()
	if s.fetches > 1 && time.Since(s.told) > 10*time.Second {
		s.told = time.Now()
		s.Logf("%d pages measured with %d fetches, now %s", len(s.taken), s.count, path)
	}
}

// slow reports whether a page took too long.
func (f fetched) slow() bool {
	most, limited := limit(f.path)
	return limited && f.median > most
}

// large reports whether a page is sent with too many bytes.
func (f fetched) large() bool {
	_, limited := limit(f.path)
	return limited && f.bytes > mostBytes
}

// spent returns the processor time that this program has used.
func spent(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// scripted measures what a script or a link requests with a query that no form of a page has: how often fields were
// absent, and the picture of a policy with the counts of 7 days.
func (s *size) scripted(env tenant.Environment, pages map[string][]consoletest.Page) {
	s.Helper()
	s.fetch("/console/"+string(env)+"/policies/fields/absence?key=default", min(s.fetches, 3))
	for _, p := range pages["/console/{env}/policies/{id}"] {
		s.fetch(p.Path+"?days=7", s.fetches)
	}
	for _, q := range []string{"Y-0000100", "Y-00", "KO_", "velocity"} {
		s.fetch("/console/"+string(env)+"/search?q="+q, s.fetches)
	}
}

// last measures the last pages of the long lists. It gets the cursors from the
// use cases, which return more rows per page than the console.
func (s *size) last(env tenant.Environment) {
	s.Helper()
	who := s.who(env)
	for path, list := range map[string]func(operation.List) (string, error){
		"/decisions": func(l operation.List) (string, error) {
			page, err := s.service.Decisions.Decisions(s.Context(), who, decisioning.DecisionFilter{}, l)
			return page.NextCursor, err
		},
		"/audit": func(l operation.List) (string, error) {
			page, err := s.service.People.Audit(s.Context(), who, account.AuditFilter{}, l)
			return page.NextCursor, err
		},
		"/referrals": func(l operation.List) (string, error) {
			page, err := s.service.Decisions.Reviews.Referrals(s.Context(), who, l)
			return page.NextCursor, err
		},
	} {
		ask := operation.List{Limit: operation.MaxLimit}
		for {
			next, err := list(ask)
			if err != nil {
				s.Fatal(err)
			}
			if next == "" {
				break
			}
			ask.Cursor = next
		}
		if ask.Cursor == "" && s.fetches > 1 {
			s.Errorf("%s has a single page", path)
		}
		s.fetch("/console/"+string(env)+path+"?cursor="+ask.Cursor, s.fetches)
	}
}

// filter is a filter of a page with one value.
type filter struct{ name, value string }

func (f filter) query() string { return url.Values{f.name: {f.value}}.Encode() }

var (
	filterForm   = regexp.MustCompile(`(?s)<form class="filters" method="get" action="([^"]+)".*?</form>`)
	filterInput  = regexp.MustCompile(`<input id="f-[^"]*" name="([^"]+)" type="[a-z]+"`)
	filterSelect = regexp.MustCompile(`(?s)<select id="f-[^"]*" name="([^"]+)".*?</select>`)
	filterOption = regexp.MustCompile(`<option value="([^"]+)"`)
	filterBox    = regexp.MustCompile(`<input type="checkbox" name="([^"]+)" value="([^"]+)"`)
)

// filtersOf returns the filters that a page offers: every option of a select, every checkbox, and for each other input
// the values that typed lists.
func (s *size) filtersOf(path, shown string) []filter {
	s.Helper()
	form := filterForm.FindStringSubmatch(shown)
	if len(form) < 2 || form[1] != path {
		return nil // no filters, or a form of another page
	}
	var list []filter
	for _, choice := range filterSelect.FindAllStringSubmatch(form[0], -1) {
		for _, o := range filterOption.FindAllStringSubmatch(choice[0], -1) {
			list = append(list, filter{choice[1], html.UnescapeString(o[1])})
		}
	}
	for _, box := range filterBox.FindAllStringSubmatch(form[0], -1) {
		list = append(list, filter{box[1], box[2]})
	}
	typed := s.typed()
	for _, input := range filterInput.FindAllStringSubmatch(form[0], -1) {
		values := typed[input[1]]
		if values == nil {
			s.Errorf("%s can be filtered by %s, and nobody says what to type there", path, input[1])
		}
		for _, v := range values {
			list = append(list, filter{input[1], v})
		}
	}
	return list
}

// typed returns the values to type into each filter. Most filters get common, rare and unknown values.
func (s *size) typed() map[string][]string {
	day := func(ago int) string { return s.clock.now().AddDate(0, 0, -ago).Format(time.DateOnly) }
	return map[string][]string{
		"q": {
			"Y-0000100",
			"Y-00",
			"Y*",
			"dec_01",
			"nobody",
		}, "grade": {"A", "C", "Z"}, "from": {day(10), day(300)}, "to": {day(10), day(300), day(4000)},
		"actor":  {s.who(tenant.Live).UserID, "usr_01ARZ3NDEKTSV4RRFFQ69G5FAV", "key_01ARZ3NDEKTSV4RRFFQ69G5FAV"},
		"action": {"decision.created", "rule_set.activated", "nothing.happened"}, "object": {"obj_7", "nothing"},
		"outcome": {
			"approve",
			"nothing",
		}, "subject": {"L-4101", "nobody"}, "policy_key": {"default", "none"}, "name": {"Default", "none"},
		"prefix": {"4", "400001"}, "window": {"90"},
	}
}

// tell logs the measurements, slowest first, and fails if a page is too slow.
func (s *size) tell() {
	s.Helper()
	slices.SortStableFunc(s.taken, func(a, b fetched) int { return int(b.median - a.median) })
	var table strings.Builder
	slow, large := 0, 0
	for _, f := range s.taken {
		_, _ = fmt.Fprintf(&table, "%9s %9s %9s %7d  %s\n",
			f.median.Round(10*time.Microsecond), f.longest.Round(10*time.Microsecond),
			f.cpu.Round(10*time.Microsecond), f.bytes, f.path)
		if f.slow() {
			slow++
		}
		if f.large() {
			large++
		}
	}
	s.Logf("%d pages, %d fetches, %d to %d of each\n   median   longest       cpu   bytes  page\n%s", len(s.taken),
		s.count, min(fewFetches, s.fetches), s.fetches, table.String())
	if s.fetches > 1 && slow > 0 {
		s.Errorf("%d of %d pages take longer than %s, or than %s if they count applications", slow, len(s.taken),
			mostForAPage, mostForCounting)
	}
	if large > 0 {
		s.Errorf("%d of %d pages are sent with more than %d bytes", large, len(s.taken), mostBytes)
	}
}
