package console_test

import (
	"net/http"
	"strings"
	"testing"

	"verdict/internal/console/consoletest"
	"verdict/internal/demo/demotest"
	"verdict/internal/tenant"
	"verdict/proof/browser"
)

// firstScreens checks that the main content of the main pages is on the first
// screen, on a small desktop and on a phone.
func (s *stage) firstScreens(t *testing.T) {
	tab := s.signedIn(t)
	things := consoletest.NewExamples(s.service, s.caller(tenant.Live)).Pages(t)
	draft := things["/console/{env}/policies/{id}"][0].Path
	for _, p := range []struct {
		path         string
		wide, narrow []string
	}{
		{"/console/live", []string{"h1", ".tiles .tile:last-child", ".deciding a", ".measure:first-child .big"},
			[]string{"h1", ".tiles .tile:nth-child(3)"}},
		{
			"/console/live/referrals",
			[]string{".waiting [aria-current]", "#open h2", "#open .outcome", "#open .headline", ".because",
				"#review [name=outcome]", "#review button"},
			[]string{".waiting [aria-current]", "#open h2", "#open .outcome", "#open .headline",
				"#open a[href='#review']"},
		},
		{
			things["/console/{env}/decisions/{id}"][1].Path,
			[]string{".outcome", ".headline", ".strip", ".causes > li:first-child", ".causes > li:last-child",
				"#turns-h", ".history"},
			[]string{".outcome", ".headline", ".strip .asked", "#because-h"},
		},
		{
			things["/console/{env}/decisions/{id}"][2].Path,
			[]string{".outcome", ".headline", ".strip", ".causes > li:first-child", ".causes > li:last-child",
				"#turns-h", ".history"},
			[]string{".outcome", ".headline", ".strip .asked", "#because-h"},
		},
		{"/console/live/decisions", []string{"form.filters button", "tbody tr:nth-child(3)"},
			[]string{"h1", "form.filters button"}},
		{"/console/live/policies", []string{".tile .big", "form.filters button", ".versions tbody tr:first-child"},
			[]string{".tile .big"}},
		{
			draft, []string{"h1", ".tabs", "svg.flow-across", "#activate h2", "#activate .errors h3", "#findings h2"},
			[]string{"h1", ".tabs", "#activate h2", "#activate .errors h3", "#activate .errors .remark"},
		},
		{
			draft + "/edit", []string{"h1", ".desk .primary", "#undo-step", "svg.flow-across"},
			[]string{"h1", ".desk .primary"},
		},
		{draft + "/try", []string{"h1", "form.card h2"}, []string{"h1", ".tabs"}},
		{"/console/live/fraud", []string{"h1", "tbody tr:first-child"}, []string{"h1", ".tabs"}},
	} {
		tab.Size(1280, 800)
		tab.Go(p.path)
		tab.FirstScreen(p.wide...)
		tab.Size(380, 800)
		tab.FirstScreen(p.narrow...)
	}
	tab.Quiet()
}

// edit edits the rules of a policy, and checks that the focus stays in place,
// that no key press leaves the page, and that no change is lost.
func (s *stage) edit(t *testing.T) {
	tab := s.signIn(t, s.made.People[0].Email)
	tab.Size(1280, 800)
	at := consoletest.NewExamples(s.service, s.caller(tenant.Sandbox)).Pages(
		t)["/console/{env}/policies/{id}"][0].Path + "/edit?step=0" // the stored version, whatever was edited before
	s.steps(t, tab, at)
	tab.Size(1280, 800)
	tab.Go(at + "#at-knockouts")
	tab.Follow("button[value='open:knockouts/5']")
	tab.BeginsAt("f-row.id")
	tab.Follow(".open button[value='cancel:']")
	tab.BeginsAt("open-knockouts-5")
	s.focus(t, tab, at)
	s.refusals(t, tab, at)
	tab.Size(1280, 800)
	s.history(t, tab, at)
	s.workingCopy(t, tab, at)
	s.expiry(t, tab, at)
	s.shortcuts(t, tab)
	tab.Quiet()
}

// steps clicks the buttons of the editor, on a desktop without scripts and on a
// phone with scripts, and checks which element of each next page gets the
// focus. It also checks that an open line stays in its place.
func (s *stage) steps(t *testing.T, tab *browser.Tab, at string) {
	t.Helper()
	for _, with := range []struct {
		width, height int64
		scripts       bool
	}{{1280, 900, false}, {380, 800, true}} {
		tab.Size(with.width, with.height)
		tab.Scripts(with.scripts)
		tab.Go(at + "#at-knockouts") // unfolds the section
		for _, step := range []struct{ press, begins string }{
			{"button[value='open:knockouts/5']", "f-row.id"},
			{".open button[value='cancel:']", "open-knockouts-5"},
			{"#open-knockouts-5", "f-row.id"},
			{".open button[value='close:']", "open-knockouts-5"},
			{"button[value='remove:knockouts/5']", "undo"},
			{"#undo", "open-knockouts-5"},
			{"#up-knockouts-5", "up-knockouts-4"},
			{"#down-knockouts-4", "down-knockouts-5"},
			{"#add-knockouts", "f-row.id"},
			{".open button[value='cancel:']", "add-knockouts"},
			{"", "at-scorecard"},
			{"#open-factors-1", "f-row.factor"},
			{".open button[value='more:']", "bin-6"},
			{".open button[value='remove:factors/1']", "undo"},
			{"#undo", "open-factors-1"},
			{"", "at-pricing_bands"},
			{"#open-pricing_bands-2", "f-row.id"},
			{".open button[value='check:']", "summary"},
			{".open button[value='close:']", "open-pricing_bands-2"},
			{".desk button[value='check:']", "summary"},
		} {
			if step.press == "" {
				tab.Click("summary:has(+ #" + step.begins + ")")
				continue
			}
			tab.Follow(step.press)
			tab.BeginsAt(step.begins)
		}
		tab.Scripts(true)
		tab.Go(at + "&open=knockouts/5")
		tab.BeginsAt("f-row.id")
		var between string
		tab.Ask(
			`(li => [li.previousElementSibling, li.nextElementSibling].map(e => e.id).join())(`+
				`document.querySelector(".open").closest("li"))`,
			&between)
		if between != "at-knockouts-4,at-knockouts-6" {
			t.Errorf("the open line stands between %s", between)
		}
	}
}

// focus uses the controls of the condition builder and checks the focus after
// each change.
func (s *stage) focus(t *testing.T, tab *browser.Tab, at string) {
	t.Helper()
	tab.Go(at + "&open=knockouts/1")
	settled := func(what, want string) {
		t.Helper()
		tab.Ask(`new Promise(done => setTimeout(done, 60))`, nil)
		if got := tab.Focused(); got != want {
			t.Errorf("after %s the focus is at %s, not at %s", what, got, want)
		}
	}
	tab.Ask(
		`(e => { e.value = '{"op":"lt","field":"bureau_score","value":650}';
			e.dispatchEvent(new Event("input", {bubbles: true})) })(`+
			`document.querySelector("[data-condition] textarea"))`, nil)
	tab.Fill(`[data-at="/field"]`, "foir")
	tab.Type("\t")
	settled("a field and Tab", "/op")
	tab.Ask(
		`(s => { s.focus(); s.value = "between"; for (const e of ["input", "change"])
			s.dispatchEvent(new Event(e, {bubbles: true})) })(document.querySelector('[data-at="/op"]'))`, nil)
	settled("an operator", "/op")
	tab.Type("\t")
	settled("Tab", "/min")
	tab.Type("0.4")
	settled("a value", "/min")
	// Choose a field of another type, which has another control for its value.
	tab.Fill(`[data-at="/field"]`, "employment_type")
	tab.Click(`[data-at="/op"]`)
	settled("a field of another type", "/op")
	tab.Click(`[data-at="/and"]`)
	settled("another condition", "1/field")
	tab.Click(`[data-at="/group"]`)
	settled("a group", "2/kind")
	tab.Click(`[data-at="1/remove"]`)
	settled("a removal", "/undo")
	tab.Sees("Removed.")
	tab.Click(`[data-at="/undo"]`)
	tab.Ask(`new Promise(done => setTimeout(done, 60))`, nil)
	var conditions int
	if tab.Ask(`document.querySelectorAll('.builder [aria-label="Field"]').length`, &conditions); conditions != 4 {
		t.Errorf("after the removal was undone there are %d conditions", conditions)
	}
	if got := tab.Focused(); got == "body" {
		t.Error("after the removal was undone the focus is at the body")
	}
	// Even without focus, typing must not leave the page.
	tab.Ask(`document.activeElement.blur()`, nil)
	tab.Type("gd?gp")
	tab.Ask(`new Promise(done => setTimeout(done, 60))`, nil)
	var open bool
	path, _, _ := strings.Cut(at, "?")
	if tab.Ask(`document.getElementById("shortcuts").open`, &open); open || !strings.HasPrefix(tab.At(), path) {
		t.Errorf("keys that were typed into an edited form lead to %s", tab.At())
	}
	tab.Press("Cancel")
	tab.Sees("Add a knockout")
}

// refusals submits an invalid draft and invalid JSON on a phone, and checks
// that the errors have the focus and are visible, wherever the button was.
func (s *stage) refusals(t *testing.T, tab *browser.Tab, at string) {
	t.Helper()
	tab.Size(380, 800)
	tab.Go(at + "&open=knockouts/5")
	tab.Fill("[name='row.reason_code']", "low income")
	tab.Follow("form > .acts button[value='save:']") // at the end of the page
	tab.BeginsAt("summary")
	tab.Sees("The policy cannot be saved yet")
	tab.Go(at)
	tab.Click("#at-json summary")
	tab.Fill("#f-document", "{")
	tab.Expect(http.StatusUnprocessableEntity)
	tab.Press("Apply the JSON")
	tab.BeginsAt("refused")
	tab.Expect()
}

// history goes back through the steps of an edit with the browser's history.
func (s *stage) history(t *testing.T, tab *browser.Tab, at string) {
	t.Helper()
	tab.Go(at + "#at-knockouts")
	tab.Follow("button[value='open:knockouts/0']")
	tab.Fill("[name='row.message']", "Typed in the browser")
	tab.Press("Apply")
	tab.Sees("Typed in the browser")
	tab.Follow("button[value='remove:knockouts/1']")
	tab.Sees("was removed.")
	tab.Press("Undo")
	tab.Press("Check")
	tab.Sees("The policy can be saved")
	for _, want := range []string{"Typed in the browser", "was removed.", "Typed in the browser", "Edit this knockout",
		"Settings"} {
		tab.Back()
		tab.Sees(want)
	}
	if !strings.HasPrefix(tab.At(), at) {
		t.Errorf("five steps back is %s", tab.At())
	}
}

// workingCopy types without pressing a button, leaves the page, and checks that nothing is lost, that the effect
// follows the edit, and that undoing works.
func (s *stage) workingCopy(t *testing.T, tab *browser.Tab, at string) {
	t.Helper()
	path, _, _ := strings.Cut(at, "?")
	tab.Go(at + "&open=knockouts/0")
	tab.Fill("[name='row.message']", "Typed and left")
	tab.Ask(`new Promise(done => { const look = () => document.querySelector("[data-kept]").textContent === "stored" ?
		done(true) : setTimeout(look, 30); look() })`, nil)
	tab.Sees("Measured on the latest")
	tab.Go("/console/sandbox/policies")
	tab.Go(path)
	tab.Sees("You continue the edit")
	var typed string
	tab.Ask(`document.querySelector("[name='row.message']").value`, &typed)
	if typed != "Typed and left" {
		t.Errorf("what was typed without a button became %q", typed)
	}
	tab.Follow("#undo-step")
	tab.BeginsAt("redo-step")
	tab.Follow("#redo-step")
	tab.BeginsAt("undo-step")
	tab.Ask(`document.querySelector("[name='row.message']").value`, &typed)
	if typed != "Typed and left" {
		t.Errorf("after redo the message is %q", typed)
	}
}

// expiry signs the author out in another tab while a rule is being edited, and
// checks that the edit is kept.
func (s *stage) expiry(t *testing.T, tab *browser.Tab, at string) {
	t.Helper()
	tab.Go(at + "&open=knockouts/0")
	tab.Fill("[name='row.message']", "Typed before the session ended")
	other := tab.Beside()
	other.Go("/console/live")
	other.Click("header details.me summary")
	other.Follow("header form[action='/console/signout'] button")
	other.Sees("You are signed out")
	tab.Expect(http.StatusUnauthorized)
	tab.Press("Apply")
	tab.Sees("Your session has ended")
	tab.Inspect(s.brief(), "signin-kept")
	tab.Size(1280, 800)
	tab.Expect()
	tab.Fill("[name=email]", s.made.People[0].Email, "[name=password]", demotest.Password)
	tab.Press("Sign in")
	tab.BeginsAt("notice")
	tab.Sees("Typed before the session ended")
	tab.Sees("not saved as a draft yet")
	tab.Follow("#notice a")
	tab.BeginsAt("open-knockouts-0")
	tab.Back()
	tab.Sees("Settings") // the editor, without posting a form again
}

// shortcuts checks that keys typed after the focus was lost do not act as
// shortcuts while a review is being written, and that a shortcut works
// otherwise.
func (s *stage) shortcuts(t *testing.T, tab *browser.Tab) {
	t.Helper()
	tab.Go("/console/live/referrals")
	before := tab.At()
	tab.Fill("#review [name=note]", "Half a sentence")
	tab.Ask(`document.activeElement.blur()`, nil)
	tab.Type("jko1gd")
	var chosen bool
	tab.Ask(
		`new Promise(done => setTimeout(
			() => done(document.querySelector("#review [name=outcome]:checked") !== null), 100))`,
		&chosen)
	if chosen || tab.At() != before {
		t.Errorf("keys changed a review that was being written, or led to %s", tab.At())
	}
	tab.Go("/console/live/referrals")
	tab.Type("2")
	if tab.Ask(`document.querySelectorAll("#review [name=outcome]")[1].checked`, &chosen); !chosen {
		t.Error("the key of an outcome does nothing where nothing is being written")
	}
}
