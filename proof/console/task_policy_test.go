package console_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/chromedp/chromedp/kb"

	"verdict/internal/demo/demotest"
	"verdict/proof/browser"
)

// rate is a cell of the grid of pricing bands, and nextRate is the cell below it.
const (
	rate     = "#grid-pricing_bands-1-interest_rate"
	nextRate = "#grid-pricing_bands-2-interest_rate"
)

// picture goes from the boxes of a policy's picture to the sections of the editor.
func (w *worker) picture() {
	w.Helper()
	w.Go("/console/sandbox/policies")
	w.follow("main .tile .big a")
	w.policy = w.At()
	flow := on(w, "svg.flow-across", "svg.flow-down")
	w.follow(flow + " a[href$='#at-pricing_bands']")
	if at := w.At(); at != w.policy+"/edit#at-pricing_bands" {
		w.Errorf("the box of the bands leads to %s", at)
	}
	w.InWindow("#at-pricing_bands")
	w.hand.Press(flow + " a[href='#at-knockouts']")
	w.InWindow("#at-knockouts")
	w.Type(kb.Tab)
	var inside bool
	if w.Ask(`document.querySelector("#at-knockouts").contains(document.activeElement)`, &inside); !inside {
		w.Errorf("after the box of the knockouts, Tab leads to %s", w.Focused())
	}
}

// step returns the step of the working copy that the page shows.
func (w *worker) step(tab *browser.Tab) (step int) {
	w.Helper()
	tab.Ask(`Number(document.querySelector("form.editor").elements.step.value)`, &step)
	return step
}

// stored waits until the page has stored a step after the given one.
func (w *worker) stored(tab *browser.Tab, after int) {
	w.Helper()
	tab.Ask(fmt.Sprintf(`new Promise(done => { const look = () =>
		Number(document.querySelector("form.editor").elements.step.value) !== %d &&
		document.querySelector("[data-kept]").textContent === "stored" ? done(true) : setTimeout(look, 30); look() })`,
		after), nil)
}

// grid types into the grid of pricing bands, moves with the arrow keys, leaves the page without a button, and returns.
func (w *worker) grid() {
	w.Helper()
	before := w.step(w.Tab)
	w.hand.Fill(rate, "26.5") // the picture has led to the page and the section of this field
	w.stored(w.Tab, before)
	w.Holds(rate) // storing does not move the focus
	w.Type(kb.ArrowDown)
	w.Holds(nextRate)
	w.Type(kb.ArrowUp)
	w.Holds(rate)
	w.Sees("Measured on the latest")
	w.Sees("better_score_worse_price")
	w.Fits(w.look)
	w.Go("/console/account")
	w.Go(w.policy + "/edit")
	w.Sees("You continue the edit")
	w.Holds(rate)
	w.kept("after coming back")
}

// kept checks that the working copy has the typed rate.
func (w *worker) kept(when string) {
	w.Helper()
	if got := w.value(rate); got != "26.5" {
		w.Errorf("%s the typed rate is %q", when, got)
	}
}

// knockouts returns the ids of the knockouts in their order.
func (w *worker) knockouts() (ids []string) {
	w.Helper()
	w.Ask(`[...document.querySelectorAll("#at-knockouts .rules .rule-id")].map(e => e.textContent)`, &ids)
	return ids
}

// reorder moves a knockout up, with its button or by dragging it.
func (w *worker) reorder() {
	w.Helper()
	w.Go(w.policy + "/edit#at-knockouts")
	was := w.knockouts()
	to := 0
	if w.hand.Keys() {
		w.follow("#up-knockouts-2")
		w.Holds("#up-knockouts-1")
		to = 1
	} else {
		w.Drag("#at-knockouts-2 .rule-id", "#at-knockouts-0 .rule-id")
		w.Holds("#open-knockouts-0")
	}
	want := slices.Insert(slices.Delete(slices.Clone(was), 2, 3), to, was[2])
	if got := w.knockouts(); !slices.Equal(got, want) {
		w.Errorf("the knockouts are %q, want %q", got, want)
	}
	w.Fits(w.look)
	w.kept("after moving a knockout")
}

// builder adds a knockout and builds its condition.
func (w *worker) builder() {
	w.Helper()
	was := w.knockouts()
	w.follow("#add-knockouts")
	w.Holds("[id='f-row.id']")
	w.hand.Fill("[id='f-row.id']", "KO_TASK", "[name='row.reason_code']", "BUR_SCORE")
	w.hand.Choose("[name='row.action']", "refer")
	w.hand.Press(".builder [data-at='/add']")
	w.Holds(".builder [data-at='/field']")
	w.hand.Fill(".builder [data-at='/field']", "foir")
	w.Ask(`new Promise(done => { const look = () =>
		document.querySelector("#fields option[value=foir]").label.includes("absent")
			? done(true) : setTimeout(look, 30);
		look() })`, nil)
	var suggestion string
	w.Ask(`document.querySelector("#fields option[value=foir]").label`, &suggestion)
	if !strings.HasPrefix(suggestion, "number · ") || !absenceSaid.MatchString(suggestion) {
		w.Errorf("the suggestion of foir is %q", suggestion)
	}
	w.Type(kb.Tab)
	w.Holds(".builder [data-at='/op']")
	w.hand.Choose(".builder [data-at='/op']", "gt")
	w.Holds(".builder [data-at='/op']")
	w.hand.Fill(".builder [data-at='/value']", "0.9")
	w.hand.Press(".builder [data-at='/and']")
	w.Holds(".builder [data-at='1/field']")
	w.hand.Fill(".builder [data-at='1/field']", "bureau_score")
	w.hand.Press(".builder [data-at='1/remove']")
	w.Holds(".builder [data-at='/undo']")
	w.hand.Press(".builder [data-at='/undo']")
	w.Has(2, ".builder [aria-label=Field]")
	w.Sees("In words: foir")
	if at := w.Focused(); at == "body" {
		w.Error("after the removal was undone the focus is lost")
	}
	w.Fits(w.look)
	w.follow(".open button[value='close:']")
	w.Holds(fmt.Sprintf("#open-knockouts-%d", len(was)))
	if got := w.knockouts(); !slices.Equal(got, append(was, "KO_TASK")) {
		w.Errorf("the knockouts are %q", got)
	}
	w.kept("after adding a knockout")
}

// goLive saves the edit, promotes it to live, acknowledges its errors and activates it.
func (w *worker) goLive() {
	w.Helper()
	w.follow("form.editor > .acts button[value='save:']")
	for _, part := range []string{"KO_TASK", "26.5"} {
		var saved bool
		w.Ask(fmt.Sprintf(`document.querySelector("main").textContent.includes(%q)`, part), &saved)
		if !saved {
			w.Errorf("the saved draft does not have %s", part)
		}
	}
	w.follow("form.promote button")
	errors := w.count("#activate [name=acknowledge]")
	if errors == 0 {
		w.Fatal("the analysis has no error to acknowledge")
	}
	for i := range errors {
		w.hand.Tick(fmt.Sprintf("#activate label:nth-of-type(%d) [name=acknowledge]", i+1))
	}
	w.hand.Fill("#activate [name=note]", "We know", "#activate [name=confirm]", "LIVE")
	w.follow("#activate .arms")
	w.Sees("Deciding now")
	if !strings.HasPrefix(w.At(), "/console/live/policies/pol_") {
		w.Errorf("the activation ends at %s", w.At())
	}
}

// inviteLink matches the path of an invitation.
var inviteLink = regexp.MustCompile(`/console/invite/\S+`)

// others invites a colleague. Both edit the same version, are told about each other, and lose nothing.
func (w *worker) others() {
	w.Helper()
	colleague := "second-" + w.email
	w.Go("/console/users")
	w.hand.Fill("#f-email", colleague)
	w.follow("form[action$='/invite'] .primary")
	link := inviteLink.FindString(w.Text("main"))
	second := w.browser.Tab(w.T, w.url)
	second.Width(w.look.Width)
	second.Theme(w.look.Theme)
	hand := handOf(second, lanes[w.lane])
	second.Go(link)
	hand.Fill("[name=password]", demotest.Password)
	hand.Follow("main form button")

	w.Go(w.policy + "/edit#at-pricing_bands")
	before := w.step(w.Tab)
	w.hand.Fill(rate, "12.25")
	w.stored(w.Tab, before)
	second.Go(w.policy + "/edit#at-pricing_bands")
	second.Sees(w.email + " is editing this policy too")
	before = w.step(second)
	hand.Fill(rate, "11.25")
	w.stored(second, before)
	second.Quiet()
	w.Go(w.policy + "/edit")
	w.Sees(colleague + " is editing this policy too")
	w.FirstScreen("#others")
	if got := w.value(rate); got != "12.25" {
		w.Errorf("beside a colleague's edit the typed rate is %q", got)
	}
}
