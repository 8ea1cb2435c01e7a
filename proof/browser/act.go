package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// readTimeout is the timeout for reading the present state of a page.
const readTimeout = 5 * time.Second

// pause is the interval between two checks while a method waits for the page.
const pause = 50 * time.Millisecond

// Go opens a page.
func (t *Tab) Go(path string) {
	t.Helper()
	if !strings.HasPrefix(path, "http") {
		path = t.base + path
	}
	begun := time.Now()
	t.do("go to "+path, chromedp.Navigate(path))
	t.loading += time.Since(begun)
}

// At returns the path of the present page.
func (t *Tab) At() string {
	ctx, cancel := context.WithTimeout(t.ctx, readTimeout)
	defer cancel()
	var at string
	if err := chromedp.Run(ctx, chromedp.Location(&at)); err != nil {
		return "a page that is gone"
	}
	return strings.TrimPrefix(at, t.base)
}

// Arrives waits until the tab shows the page at path, however many pages lead to it.
func (t *Tab) Arrives(path string) {
	t.Helper()
	t.wait("arrive at "+path, `document.readyState === "complete" && location.href === `+quoted(t.base+path))
}

// wait evaluates a condition until it is true. A page that is being replaced
// returns an error instead of a value, so wait ignores errors until pageTimeout
// has passed.
func (t *Tab) wait(what, condition string) {
	t.Helper()
	var err error
	for begun := time.Now(); time.Since(begun) < pageTimeout; time.Sleep(pause) {
		ctx, cancel := context.WithTimeout(t.ctx, readTimeout)
		var is bool
		err = chromedp.Run(ctx, chromedp.Evaluate(condition, &is))
		cancel()
		if err == nil && is {
			return
		}
	}
	t.Fatalf("%s at %s: not within %s (%v)\n%s", what, t.At(), pageTimeout, err, t.text())
}

// Has waits until the page has a number of elements with a selector.
func (t *Tab) Has(count int, selector string) {
	t.Helper()
	t.wait(fmt.Sprintf("have %d times %s", count, selector),
		fmt.Sprintf(`document.querySelectorAll(%s).length === %d`, quoted(selector), count))
}

// visible returns a JavaScript condition that is true if the first element with the selector is visible.
func visible(selector string) string {
	return fmt.Sprintf(`Boolean(document.querySelector(%s)?.checkVisibility())`, quoted(selector))
}

// text returns the beginning of the visible text of the page.
func (t *Tab) text() string {
	ctx, cancel := context.WithTimeout(t.ctx, readTimeout)
	defer cancel()
	var text string
	_ = chromedp.Run(ctx,
		chromedp.Evaluate(`(document.querySelector("main") ?? document.body)?.innerText.slice(0, 1500) ?? ""`, &text))
	return text
}

// Ask evaluates a JavaScript expression on the page and decodes its value.
func (t *Tab) Ask(expression string, into any) {
	t.Helper()
	t.do("ask the page", chromedp.Evaluate(expression, into, func(p *runtime.EvaluateParams) *runtime.EvaluateParams {
		return p.WithAwaitPromise(true)
	}))
}

// Fill types into fields. pairs alternates between selectors and texts. Fill
// selects the present content of a field first, as people do, so that the first
// letter replaces it.
func (t *Tab) Fill(pairs ...string) {
	t.Helper()
	for i := 0; i+1 < len(pairs); i += 2 {
		// A key that is pressed while the page moves the focus is lost, so
		// compare the result and type the text again if necessary.
		for range typings {
			if t.typed(pairs[i], pairs[i+1]) {
				break
			}
		}
	}
}

// typings is the maximum number of times that Fill types a text.
const typings = 3

// typed types a text into a field and reports whether the field then contains
// the text. It also returns true if the field is gone, and for fields whose
// value may be formatted, such as dates and numbers.
func (t *Tab) typed(selector, text string) bool {
	t.Helper()
	selected := fmt.Sprintf(`(e => { e.focus(); e.select() })(document.querySelector(%s))`, quoted(selector))
	filled := fmt.Sprintf(`(e => !e || e.value === %s ||
		!["text", "email", "password", "search", "textarea"].includes(e.type))(document.querySelector(%s))`,
		quoted(text), quoted(selector))
	has := false
	t.wait("fill "+selector, visible(selector))
	t.do("fill "+selector, chromedp.Evaluate(selected, nil),
		chromedp.SendKeys(selector, text, chromedp.ByQuery), chromedp.Evaluate(filled, &has))
	return has
}

// Choose sets the value of a select element and dispatches its events.
func (t *Tab) Choose(selector, value string) {
	t.Helper()
	var found bool
	t.Ask(fmt.Sprintf(`(() => { const s = document.querySelector(%s); if (!s) return false; s.value = %s;
		for (const e of ["input", "change"]) s.dispatchEvent(new Event(e, {bubbles: true}));
		return s.value === %[2]s })()`,
		quoted(selector), quoted(value)), &found)
	if !found {
		t.Fatalf("%s has no choice %q at %s", selector, value, t.At())
	}
}

// Tick checks a checkbox or a radio button.
func (t *Tab) Tick(selector string) {
	t.Helper()
	var ticked bool
	t.Ask(fmt.Sprintf(`(() => { const b = document.querySelector(%s); if (b && !b.checked) b.click();
		return Boolean(b?.checked) })()`, quoted(selector)), &ticked)
	if !ticked {
		t.Fatalf("%s cannot be ticked at %s", selector, t.At())
	}
}

// Click clicks an element that does not load another page.
func (t *Tab) Click(selector string) {
	t.Helper()
	t.do("click "+selector, chromedp.Click(selector, chromedp.ByQuery, chromedp.NodeVisible))
}

// Follow clicks an element that loads another page, and waits for the page.
func (t *Tab) Follow(selector string) {
	t.Helper()
	t.wait("follow "+selector, visible(selector))
	t.await("follow "+selector, chromedp.Click(selector, chromedp.ByQuery, chromedp.NodeVisible))
}

// findByText marks the first clickable, visible element in the page's content
// whose text begins with the given text.
const findByText = `(() => {
	for (const old of document.querySelectorAll("[data-pressed]")) old.removeAttribute("data-pressed");
	const found = [...document.querySelectorAll("main button, main a, main summary")].find(e =>
		(e.innerText ?? "").replaceAll(/\s+/g, " ").trim().startsWith(%s) &&
		e.checkVisibility() && !e.classList.contains("away"));
	found?.setAttribute("data-pressed", ""); return Boolean(found) })()`

// Press clicks the element whose text begins with the given text, and waits for
// the page that it loads.
func (t *Tab) Press(text string) {
	t.Helper()
	t.wait("find "+text, fmt.Sprintf(findByText, quoted(text)))
	t.await("press "+text, chromedp.Click("[data-pressed]", chromedp.ByQuery, chromedp.NodeVisible))
}

// await runs an action that loads a page, or that leads to another place of the same page, and waits until the page is
// there. chromedp also returns when a script of the page changes the address, as the editor does when it has stored a
// step, so await marks the present document and waits until it is gone.
func (t *Tab) await(what string, action chromedp.Action) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.ctx, pageTimeout)
	defer cancel()
	begun := time.Now()
	marked := chromedp.Evaluate(`void (window.leftAt = location.hash)`, nil)
	if _, err := chromedp.RunResponse(ctx, marked, action); err != nil {
		t.Fatalf("%s at %s: %v\n%s", what, t.At(), err, t.text())
	}
	t.wait(what, `document.readyState === "complete" && window.leftAt !== location.hash`)
	t.loading += time.Since(begun)
}

// Upload selects a file in a file field.
func (t *Tab) Upload(selector, file string) {
	t.Helper()
	t.do("upload into "+selector, chromedp.SetUploadFiles(selector, []string{file}, chromedp.ByQuery))
}

// Sees waits until the page shows a text. It ignores case.
func (t *Tab) Sees(text string) {
	t.Helper()
	t.wait("see "+text, fmt.Sprintf(`Boolean(document.body?.innerText.toLowerCase().includes(%s))`,
		quoted(strings.ToLower(text))))
}

// Text returns the visible text of an element.
func (t *Tab) Text(selector string) string {
	t.Helper()
	var text string
	t.do("read "+selector, chromedp.Text(selector, &text, chromedp.ByQuery))
	return strings.TrimSpace(text)
}

func quoted(text string) string {
	out, _ := json.Marshal(text) // a string can always be encoded
	return string(out)
}

// Back goes back in the browser's history, like the browser's button. The
// browser may use a cached page or request it again. The test fails if the
// browser would have to post a form again.
func (t *Tab) Back() {
	t.Helper()
	var from, to string
	t.do("go back", chromedp.ActionFunc(func(ctx context.Context) error {
		at, entries, err := page.GetNavigationHistory().Do(ctx)
		if err != nil {
			return err
		}
		if at == 0 {
			return errors.New("there is nothing to go back to")
		}
		from, to = entries[at].URL, entries[at-1].URL
		return page.NavigateToHistoryEntry(entries[at-1].ID).Do(ctx)
	}))
	// The previous page may redirect, so wait until the address is not that of the present page.
	t.wait("go back to "+to, `document.readyState === "complete" && location.href !== `+quoted(from))
	var shown bool
	if t.Ask(`location.protocol.startsWith("http")`, &shown); !shown {
		t.Fatalf("going back to %s asks to send a form again: %s", to, t.text())
	}
}

// Type sends keys to the focused element.
func (t *Tab) Type(keys string) {
	t.Helper()
	t.do("type "+keys, chromedp.KeyEvent(keys))
}

// Enter presses Enter in the focused element, and waits for the page that it loads.
func (t *Tab) Enter() {
	t.Helper()
	t.await("press Enter", chromedp.KeyEvent("\r"))
}

// Focused returns the name of the control that has the focus: its "data-at"
// attribute, else its name, else the name of its element.
func (t *Tab) Focused() string {
	t.Helper()
	var at string
	t.Ask(`(e => e.dataset.at ?? (e.getAttribute("name") ||
		e.tagName.toLowerCase()))(document.activeElement ?? document.body)`, &at)
	return at
}

// BeginsAt waits until the element with the id has the focus and is visible,
// that is, inside the window and not covered.
func (t *Tab) BeginsAt(id string) {
	t.Helper()
	t.holds(id, `document.getElementById(`+quoted(id)+`)`)
}
