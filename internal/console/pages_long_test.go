package console_test

import (
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

// mostForAPage is the longest allowed median time of a page's fetches.
const mostForAPage = 50 * time.Millisecond

// TestPagesAtSize fetches every page and file of a lender with a year of decisions, in both environments and on both
// databases. It fetches lists with each filter and each pair of filters, and also the next pages of lists and the last
// pages of the long lists. It fails for a page whose median is above mostForAPage. The test runs only with
// VERDICT_LONG=1, or if VERDICT_PAGES gives the number of decisions. TestFilledConsole visits the same pages with few
// decisions.
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
	t.Run("sqlite", func(t *testing.T) { newSize(t, storetest.SQLite(t), n).measure(t) })
	t.Run("postgres", func(t *testing.T) { newSize(t, storetest.Postgres(t), n).measure(t) })
}

// manyFetches is how often a page is fetched for a measurement.
const manyFetches = 20

// size measures the console pages of a tenant that has a year of decisions.
type size struct {
	*browser
	fetches int // 1 if pages are only visited, not measured
	taken   []fetched
}

// fetched has the times of a page, and the processor time that this program used
// for each fetch, which does not depend on other load of the machine.
type fetched struct {
	path             string
	median, p99, cpu time.Duration
	bytes            int
}

func newSize(t *testing.T, databaseURL string, n int) *size {
	t.Helper()
	db := storetest.Open(t, databaseURL, store.Options{})
	s := &size{browser: houseOver(t, db).newBrowser(), fetches: manyFetches}
	begun := time.Now()
	made, err := demo.Fill(t.Context(), db, demotest.Hostile(newClock().now(), 240))
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
	}
	s.tell()
}

// visit measures a page, with each of its filters and the next page of each, and
// for a list also with each pair of filters. If pages are only visited, it
// leaves out the pairs of filters, and the filters of pages about a single
// object.
func (s *size) visit(path string, list bool) {
	s.Helper()
	if strings.HasSuffix(path, "/audit.csv") { // limit the file to one day: a complete file takes long
		day := s.clock.now().AddDate(0, 0, -2).Format(time.DateOnly)
		path += "?from=" + day + "&to=" + day
	}
	first := s.fetch(path, s.fetches)
	s.next(first)
	long := s.fetches > 1
	if !list && !long {
		return
	}
	filters := s.filtersOf(path, first)
	for i, a := range filters {
		s.next(s.fetch(path+"?"+a.query(), s.fetches))
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

// round fetches a page as often as times says, but at least once. It returns the page's
// measurements and its body.
func (s *size) round(path string, times int) (fetched, string) {
	s.Helper()
	took := make([]time.Duration, max(times, 1))
	var shown *answer
	before := spent(s.T)
	for i := range took {
		begun := time.Now()
		shown = s.get(path)
		took[i] = time.Since(begun)
		if shown.status != http.StatusOK && shown.status != http.StatusSeeOther {
			s.Errorf("%s is answered with %d", path, shown.status)
		}
	}
	cpu := (spent(s.T) - before) / time.Duration(len(took))
	slices.Sort(took)
	return fetched{path, took[len(took)/2], took[len(took)-1], cpu, len(shown.body)}, shown.body
}

// slow reports whether a page took too long. Files have no limit, because their
// rows may have to be decided again.
func (f fetched) slow() bool {
	return f.median > mostForAPage && !strings.Contains(f.path, ".csv") && !strings.HasSuffix(f.path, "/report.html")
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

// typed returns the values to type into each filter. Many are common, rare and unknown values.
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
	slow := 0
	for _, f := range s.taken {
		_, _ = fmt.Fprintf(&table, "%9s %9s %9s %7d  %s\n",
			f.median.Round(10*time.Microsecond), f.p99.Round(10*time.Microsecond),
			f.cpu.Round(10*time.Microsecond), f.bytes, f.path)
		if f.slow() {
			slow++
		}
	}
	s.Logf("%d pages, %d fetches of each\n   median       p99       cpu   bytes  page\n%s", len(s.taken),
		s.fetches, table.String())
	if s.fetches > 1 && slow > 0 {
		s.Errorf("%d of %d pages take longer than %s", slow, len(s.taken), mostForAPage)
	}
}
