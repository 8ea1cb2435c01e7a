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

// glance is how long a page has to say what it is, when something went wrong.
const glance = 5 * time.Second

// pause is between two looks at a page that something shall appear on.
const pause = 50 * time.Millisecond

// Go opens a page.
func (t *Tab) Go(path string) {
	t.Helper()
	if !strings.HasPrefix(path, "http") {
		path = t.base + path
	}
	t.do("go to "+path, chromedp.Navigate(path))
}

// At is the path of the page that is shown.
func (t *Tab) At() string {
	ctx, cancel := context.WithTimeout(t.ctx, glance)
	defer cancel()
	var at string
	if err := chromedp.Run(ctx, chromedp.Location(&at)); err != nil {
		return "a page that is gone"
	}
	return strings.TrimPrefix(at, t.base)
}

// text is what a reader of the page sees, the beginning of it.
func (t *Tab) text() string {
	ctx, cancel := context.WithTimeout(t.ctx, glance)
	defer cancel()
	var text string
	_ = chromedp.Run(ctx, chromedp.Evaluate(`(document.querySelector("main") ?? document.body)?.innerText.slice(0, 1500) ?? ""`, &text))
	return text
}

// Ask evaluates an expression on the page and reads its value.
func (t *Tab) Ask(expression string, into any) {
	t.Helper()
	t.do("ask the page", chromedp.Evaluate(expression, into, func(p *runtime.EvaluateParams) *runtime.EvaluateParams {
		return p.WithAwaitPromise(true)
	}))
}

// Fill types into fields: a selector, what to type, and so on. What a field has
// in it is selected first, as people do, so that it goes with the first letter.
func (t *Tab) Fill(pairs ...string) {
	t.Helper()
	for i := 0; i+1 < len(pairs); i += 2 {
		// A key that is pressed while the page takes the focus for itself is lost,
		// so what was typed is compared, and typed again.
		for range typings {
			if t.typed(pairs[i], pairs[i+1]) {
				break
			}
		}
	}
}

// typings is how often Fill types a text that does not arrive whole.
const typings = 3

// typed types a text into a field and reports whether the field then has it. Of
// fields that write a value in their own way, such as dates, it always does.
func (t *Tab) typed(selector, text string) bool {
	t.Helper()
	selected := fmt.Sprintf(`(e => { e.focus(); e.select() })(document.querySelector(%s))`, quoted(selector))
	has := false
	t.do("fill "+selector, chromedp.WaitVisible(selector, chromedp.ByQuery), chromedp.Evaluate(selected, nil),
		chromedp.SendKeys(selector, text, chromedp.ByQuery),
		chromedp.Evaluate(fmt.Sprintf(`(e => !e || e.value === %s || !["text", "email", "password", "search", "textarea"].includes(e.type))(document.querySelector(%s))`,
			quoted(text), quoted(selector)), &has))
	return has
}

// Choose sets a select, and tells the page so.
func (t *Tab) Choose(selector, value string) {
	t.Helper()
	var found bool
	t.Ask(fmt.Sprintf(`(() => { const s = document.querySelector(%s); if (!s) return false; s.value = %s;
		for (const e of ["input", "change"]) s.dispatchEvent(new Event(e, {bubbles: true})); return s.value === %[2]s })()`,
		quoted(selector), quoted(value)), &found)
	if !found {
		t.Fatalf("%s has no choice %q at %s", selector, value, t.At())
	}
}

// Tick checks a box or a choice of several.
func (t *Tab) Tick(selector string) {
	t.Helper()
	var ticked bool
	t.Ask(fmt.Sprintf(`(() => { const b = document.querySelector(%s); if (b && !b.checked) b.click(); return Boolean(b?.checked) })()`,
		quoted(selector)), &ticked)
	if !ticked {
		t.Fatalf("%s cannot be ticked at %s", selector, t.At())
	}
}

// Click presses something that stays on the page.
func (t *Tab) Click(selector string) {
	t.Helper()
	t.do("click "+selector, chromedp.Click(selector, chromedp.ByQuery, chromedp.NodeVisible))
}

// Follow presses something that leads to another page, and waits for that.
func (t *Tab) Follow(selector string) {
	t.Helper()
	t.do("follow "+selector, chromedp.WaitVisible(selector, chromedp.ByQuery))
	t.await("follow "+selector, chromedp.Click(selector, chromedp.ByQuery, chromedp.NodeVisible))
}

// findByText marks the first thing in the page's content that can be pressed,
// can be seen, and has a text that begins so.
const findByText = `(() => { for (const old of document.querySelectorAll("[data-pressed]")) old.removeAttribute("data-pressed");
	const found = [...document.querySelectorAll("main button, main a, main summary")].find(e =>
		e.innerText.replaceAll(/\s+/g, " ").trim().startsWith(%s) && e.checkVisibility() && !e.classList.contains("away"));
	found?.setAttribute("data-pressed", ""); return Boolean(found) })()`

// Press presses what has a text, and waits for the page it leads to.
func (t *Tab) Press(text string) {
	t.Helper()
	t.do("find "+text, chromedp.Poll(fmt.Sprintf(findByText, quoted(text)), nil, chromedp.WithPollingInterval(pause), chromedp.WithPollingTimeout(patience)))
	t.await("press "+text, chromedp.Click("[data-pressed]", chromedp.ByQuery, chromedp.NodeVisible))
}

// await does something that loads a page.
func (t *Tab) await(what string, action chromedp.Action) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	if _, err := chromedp.RunResponse(ctx, action); err != nil {
		t.Fatalf("%s at %s: %v\n%s", what, t.At(), err, t.text())
	}
}

// Upload puts a file into a file field.
func (t *Tab) Upload(selector, file string) {
	t.Helper()
	t.do("upload into "+selector, chromedp.SetUploadFiles(selector, []string{file}, chromedp.ByQuery))
}

// Sees waits until the page shows a text.
func (t *Tab) Sees(text string) {
	t.Helper()
	t.do("see "+text, chromedp.Poll(fmt.Sprintf(`document.body.innerText.toLowerCase().includes(%s)`, quoted(strings.ToLower(text))), nil,
		chromedp.WithPollingInterval(pause), chromedp.WithPollingTimeout(patience)))
}

// Text is what an element shows.
func (t *Tab) Text(selector string) string {
	t.Helper()
	var text string
	t.do("read "+selector, chromedp.Text(selector, &text, chromedp.ByQuery))
	return strings.TrimSpace(text)
}

func quoted(text string) string {
	out, _ := json.Marshal(text) // a string always can be
	return string(out)
}

// Back goes back in the browser's history, as the button of the browser does.
// The browser may have kept the page or ask for it again; a page that it would
// have to post a form for fails the test.
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
	arrived := `document.readyState === "complete" && location.href !== ` + quoted(from) // it may lead on from there
	for begun, there := time.Now(), false; !there; time.Sleep(pause) {
		// What is asked of a page that is being left is answered with an error.
		_ = chromedp.Run(t.ctx, chromedp.Evaluate(arrived, &there))
		if time.Since(begun) > patience {
			t.Fatalf("going back to %s leads to %s", to, t.At())
		}
	}
	var shown bool
	if t.Ask(`location.protocol.startsWith("http")`, &shown); !shown {
		t.Fatalf("going back to %s asks to send a form again: %s", to, t.text())
	}
}

// Type presses keys where the focus is.
func (t *Tab) Type(keys string) {
	t.Helper()
	t.do("type "+keys, chromedp.KeyEvent(keys))
}

// Focused says which control has the focus: its data-at, else its name, else the
// name of its element.
func (t *Tab) Focused() string {
	t.Helper()
	var at string
	t.Ask(`(e => e.dataset.at ?? (e.getAttribute("name") || e.tagName.toLowerCase()))(document.activeElement ?? document.body)`, &at)
	return at
}

// BeginsAt waits until the element with an id has the focus, and can be seen:
// within the window, and with nothing over it.
func (t *Tab) BeginsAt(id string) {
	t.Helper()
	var found string
	seen := fmt.Sprintf(`(() => { const e = document.activeElement ?? document.body;
		if (e.id !== %s) return "the focus is at " + (e.id || e.tagName.toLowerCase());
		const r = e.getBoundingClientRect(), y = r.top + Math.min(r.height / 2, 20);
		if (y < 0 || y > innerHeight) return "it is at " + Math.round(y) + " of " + innerHeight;
		const over = document.elementFromPoint(r.left + Math.min(r.width / 2, 20), y);
		return over && (e.contains(over) || over.contains(e)) ? "" : "it is under " + over?.outerHTML.slice(0, 80) })()`, quoted(id))
	for begun := time.Now(); ; time.Sleep(pause) {
		if t.Ask(seen, &found); found == "" {
			return
		}
		if time.Since(begun) > glance {
			t.Errorf("%s does not begin at %s: %s", t.At(), id, found)
			return
		}
	}
}
