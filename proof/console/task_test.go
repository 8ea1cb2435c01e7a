package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"verdict/internal/demo/demotest"
	"verdict/proof/browser"
)

// lane is a way to work: with the keyboard alone or with the mouse, at a width.
type lane struct {
	keys  bool
	width int64
}

// lanes lists the ways in which every task is done.
var lanes = []lane{{true, 1280}, {false, 1280}, {true, 380}, {false, 380}}

func (l lane) String() string {
	if l.keys {
		return fmt.Sprintf("keyboard %d", l.width)
	}
	return fmt.Sprintf("mouse %d", l.width)
}

// tasks does each task of the console in each lane. Each lane has its own tenant, so the lanes run concurrently.
func (s *stage) tasks(t *testing.T) {
	for i, l := range lanes {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			w := s.worker(t, i, fmt.Sprintf("lane%d", i))
			w.task("newcomer", w.newcomer)
			w.apply()
			w.task("understand", w.understand)
			w.task("find", w.find)
			w.task("referrals", w.several)
			w.task("range", w.chooseRange)
			w.task("alert", w.closeAlert)
			w.task("picture", w.picture)
			w.task("grid", w.grid)
			w.task("reorder", w.reorder)
			w.task("builder", w.builder)
			w.task("activate", w.goLive)
			w.task("others", w.others)
			w.task("upload", w.mappedUpload)
		})
	}
}

// worker is a person who works in a lane.
type worker struct {
	*walker
	hand   browser.Hand
	look   browser.Look
	lane   int
	plain  bool   // scripts do not run, so axe-core cannot either
	done   int    // number of tasks
	email  string // of the person
	policy string // page of the version that decides in the sandbox
}

// worker returns a person in a lane, who has not signed up yet.
func (s *stage) worker(t *testing.T, number int, name string) *worker {
	t.Helper()
	l := lanes[number]
	tab := s.browser.Tab(t, s.url)
	w := &worker{
		walker: &walker{stage: s, Tab: tab}, look: browser.Look{Width: l.width}, lane: number,
		hand: handOf(tab, l), email: name + "@tasks.example",
	}
	tab.Width(l.width)
	return w
}

func handOf(tab *browser.Tab, l lane) browser.Hand {
	if l.keys {
		return tab.Keyboard()
	}
	return tab.Mouse()
}

// task does a task in the next theme, and checks the page at its end. Each task ends in both themes in some lanes, and
// axe-core checks it in one of them.
func (w *worker) task(name string, do func()) {
	w.Helper()
	w.look.Theme = []string{"light", "dark"}[(w.lane/2+w.done)%2]
	w.Theme(w.look.Theme)
	do()
	if w.done++; !w.plain && (w.lane+w.done)%len(lanes) == 0 {
		w.Examine(w.lens, w.look, "task-"+name)
	} else {
		w.Fits(w.look)
		w.Quiet()
	}
}

// follow presses an element that loads another page, and checks that the page fits into the window.
func (w *worker) follow(selector string) {
	w.Helper()
	w.hand.Follow(selector)
	w.Fits(w.look)
}

// on returns one of two values, for a wide and for a narrow window.
func on[T any](w *worker, wide, narrow T) T {
	if w.look.Width < 1000 {
		return narrow
	}
	return wide
}

// value returns the value of a field.
func (w *worker) value(selector string) (value string) {
	w.Helper()
	w.Ask(fmt.Sprintf(`document.querySelector(%q).value`, selector), &value)
	return value
}

// count returns the number of visible elements.
func (w *worker) count(selector string) (n int) {
	w.Helper()
	w.Ask(fmt.Sprintf(`[...document.querySelectorAll(%q)].filter(e => e.checkVisibility()).length`, selector), &n)
	return n
}

// signUp signs up and leaves the page with the first key.
func (w *worker) signUp() {
	w.Helper()
	w.Go("/console/signup")
	w.Holds("[name=org_name]")
	w.hand.Fill("[name=org_name]", "Tasks of "+w.email, "[name=email]", w.email, "[name=password]", demotest.Password)
	w.follow("main form button")
	w.key = w.shown("vk_sandbox_")
}

// newcomer signs up, decides a pasted request, and calls the API.
func (w *worker) newcomer() {
	w.Helper()
	w.signUp()
	w.follow("main a.primary")
	w.Go("/console/sandbox")
	w.follow("#first-steps li:first-child .button")
	w.hand.Press("main form .fold summary")
	w.hand.Paste("[name=request]", declinedRequest("N-1"))
	w.follow("main form button.primary")
	w.Sees("The sample was decided and stored.")
	w.Sees("N-1")
	w.wants(http.StatusOK, "POST", "/v1/decisions", w.key, referredRequest("T-R0"))
	w.Go("/console/sandbox")
	if done := w.count("#first-steps li.done"); done != 2 {
		w.Errorf("%d first steps are done, want 2", done)
	}
	w.hand.Press("#first-steps .fold summary")
	w.Holds("#first-steps .fold summary")
	w.Sees("curl")
	w.Sees(w.url)
}

// referredRequest and declinedRequest return requests that the default policy refers and declines.
func referredRequest(ref string) string { return requestOf(ref, 8, 0) }
func declinedRequest(ref string) string { return requestOf(ref, 2, 120) }

func requestOf(ref string, enquiries, daysPastDue int) string {
	return fmt.Sprintf(`{"applicant":{"id":%q,"monthly_income":85000,"foir":0.32,"requested_amount":600000},`+
		`"bureau_report":{"score":742,"enquiries_6m":%d,"active_tradelines":4,"max_dpd_12m":%d}}`,
		ref, enquiries, daysPastDue)
}

// apply sends applications with the API: some are referred, some declined, and four form a ring.
func (w *worker) apply() {
	w.Helper()
	for i := range 3 {
		w.wants(http.StatusOK, "POST", "/v1/decisions", w.key, referredRequest(fmt.Sprintf("T-R%d", i+1)))
		w.wants(http.StatusOK, "POST", "/v1/decisions", w.key, declinedRequest(fmt.Sprintf("T-D%d", i+1)))
	}
	for i, shared := range []string{
		`"beneficiary_account":"50100255667788"`,
		`"beneficiary_account":"50100255667788","mobile":"9811122233"`,
		`"mobile":"9811122233","email":"ring@mail.example"`, `"email":"ring@mail.example"`,
	} {
		w.wants(http.StatusOK, "POST", "/v1/evaluate", w.key, fmt.Sprintf(`{"bureau":"cibil","report":{"cibil":
			{"scoreData":{"score":790}}},"fraud":{"applicant_ref":"T-F%d",%s}}`, i, shared))
	}
}

// understand opens a declined decision, its proof and its rules.
func (w *worker) understand() {
	w.Helper()
	w.Go("/console/sandbox/decisions?status=DECLINED")
	const row = "main .picks tbody tr:first-child th a"
	if w.hand.Keys() {
		w.Type("j")
		w.Holds(row)
		w.Enter()
	} else {
		w.follow(row)
	}
	w.Sees("History of the applicant")
	w.FirstScreen(".outcome", ".headline", ".strip .asked", "#because-h")
	w.FirstScreen(on(w, []string{".causes > li:first-child .value", ".causes > li:first-child .limit"}, nil)...)
	w.hand.Press("#proof > summary")
	w.Holds("#proof > summary")
	if w.Text("#proof .hash") == "" {
		w.Error("the proof has no hash")
	}
	w.hand.Press(".causes > li:first-child .rule a")
	w.InWindow(":target")
	w.Fits(w.look)
}

// chooseRange changes the range of the overview.
func (w *worker) chooseRange() {
	w.Helper()
	w.Go("/console/sandbox?range=30d")
	w.follow(".ranges a[href$='range=7d']")
	w.Sees("Last 7 days")
	w.FirstScreen(".ranges [aria-current]")
	if at := w.Text(".ranges [aria-current]"); !strings.HasPrefix(at, "7") {
		w.Errorf("the current range is %s", at)
	}
}
