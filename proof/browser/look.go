package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Look is a combination of theme and window width.
type Look struct {
	Theme string
	Width int64
}

// looks lists the combinations in which every page is checked. Each look differs
// from the previous one in either the theme or the width.
var looks = []Look{{"light", 1280}, {"dark", 1280}, {"dark", 380}, {"light", 380}}

// String returns the look as part of a file name.
func (l Look) String() string {
	if l.Width < 1000 {
		return "380-" + l.Theme
	}
	return "1280-" + l.Theme
}

// Lens sets how pages are checked.
type Lens struct {
	// Axe is the source of axe-core.
	Axe string
	// Folder is the folder for screenshots, or "" for none.
	Folder string
	// Tall makes screenshots show the whole page, not only the first screen.
	Tall bool
	// Brief checks only one look of each page, alternately light and wide, and dark
	// and narrow.
	Brief bool
}

// Inspect checks the page in every look and takes screenshots if requested. It fails
// the test if the browser has complained, axe-core reports a serious violation, the
// page is wider than the window, or a table is wider than its frame in a wide window.
func (t *Tab) Inspect(l Lens, name string) {
	t.Helper()
	t.turn += 2
	for i, look := range looks {
		if l.Brief && i != t.turn%len(looks) {
			continue
		}
		t.Theme(look.Theme)
		t.Width(look.Width)
		t.fits(look)
		t.Shoot(l, name+"-"+look.String())
		if i%2 == 0 { // run axe-core once in each theme and at each width
			t.accessible(l.Axe, look)
		}
	}
	t.Quiet()
}

// Examine checks the page as it is, in the present theme and at the present width, as Inspect does.
func (t *Tab) Examine(l Lens, look Look, name string) {
	t.Helper()
	t.fits(look)
	t.Shoot(l, name+"-"+look.String())
	t.accessible(l.Axe, look)
	t.Quiet()
}

// Fits fails the test if the page needs horizontal scrolling in the present window, which has the width of the look.
func (t *Tab) Fits(look Look) {
	t.Helper()
	t.fits(look)
}

// Cut removes elements from a page that has too many of them to check.
func (t *Tab) Cut(selector string) {
	t.Helper()
	t.Ask(fmt.Sprintf(`document.querySelectorAll(%s).forEach(e => e.remove())`, quoted(selector)), nil)
}

// Shaped makes the window wide, and fails the test if a table of the page is not displayed as a table. That
// happens if a style that is meant for other elements applies to the table. On small screens, tables may be
// displayed as lists.
func (t *Tab) Shaped() {
	t.Helper()
	t.Width(looks[0].Width)
	var bent []string
	t.Ask(`[...document.querySelectorAll("table")]
		.filter(e => e.checkVisibility() && getComputedStyle(e).display !== "table")
		.slice(0, 3).map(e => e.outerHTML.slice(0, 120))`, &bent)
	if len(bent) > 0 {
		t.Errorf("%s: tables are not drawn as tables:\n    %s", t.At(), strings.Join(bent, "\n    "))
	}
}

// fits fails the test if the page needs horizontal scrolling. In a wide window, it also fails if a table of the
// page needs horizontal scrolling.
func (t *Tab) fits(look Look) {
	t.Helper()
	t.wait("have a whole page", `document.readyState === "complete"`) // a form that was sent may still replace it
	var wide []string
	t.Ask(`(() => { const room = document.documentElement.clientWidth;
		if (document.documentElement.scrollWidth <= room) return [];
		const out = [...document.body.querySelectorAll("*")].filter(e =>
			e.getBoundingClientRect().right > room + 1 && !e.closest(".table, [role=region]"));
		return ["" + document.documentElement.scrollWidth,
			...out.slice(0, 3).map(e => e.outerHTML.slice(0, 120))] })()`,
		&wide)
	if len(wide) > 0 {
		t.Errorf("%s (%s): the page is wider than the window:\n    %s", t.At(), look, strings.Join(wide, "\n    "))
	}
	if look.Width < 1280 { // on small screens a table may scroll horizontally
		return
	}
	t.Ask(`[...document.querySelectorAll(".table")].filter(e => e.scrollWidth > e.clientWidth + 1)
		.map(e => e.scrollWidth + " in " + e.clientWidth + ": " + e.innerText.slice(0, 80))`, &wide)
	if len(wide) > 0 {
		t.Errorf("%s (%s): a table is wider than its frame:\n    %s", t.At(), look, strings.Join(wide, "\n    "))
	}
}

// FirstScreen fails the test if one of the elements is covered, or is not completely visible without scrolling. It
// does not change the height of the window.
func (t *Tab) FirstScreen(selectors ...string) {
	t.Helper()
	for _, selector := range selectors {
		var hidden string
		t.Ask(fmt.Sprintf(
			`(() => { window.scrollTo(0, 0); const e = document.querySelector(%s); if (!e) return "is not there";
			const r = e.getBoundingClientRect(), room = document.documentElement;
			if (r.width === 0 || r.height === 0 || !e.checkVisibility()) return "is not shown";
			if (r.bottom > innerHeight || r.right > room.clientWidth + 1 || r.top < 0 || r.left < 0)
				return "is at " + [r.left, r.top, r.right, r.bottom].map(Math.round) +
					" in a window of " + room.clientWidth + " by " + innerHeight;
			const over = document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2);
			return over && (e.contains(over) || over.contains(e)) ? "" :
				"is under " + (over?.outerHTML.slice(0, 80) ?? "nothing") })()`,
			quoted(selector)),
			&hidden)
		if hidden != "" {
			t.Errorf("%s: %s %s", t.At(), selector, hidden)
		}
	}
}

// tallest is the maximum height of a screenshot, in pixels.
const tallest = 6000

// Shoot stores a screenshot of the page if the lens has a folder.
func (t *Tab) Shoot(l Lens, name string) {
	t.Helper()
	if l.Folder == "" {
		return
	}
	var picture []byte
	t.Ask(`window.scrollTo(0, 0)`, nil) // scroll to the top, so that sticky elements are there
	draw := page.CaptureScreenshot().WithOptimizeForSpeed(true)
	if l.Tall {
		var size struct{ W, H float64 }
		t.Ask(`({W: document.documentElement.clientWidth, H: document.documentElement.scrollHeight})`, &size)
		draw = draw.WithCaptureBeyondViewport(true).WithClip(
			&page.Viewport{Width: size.W, Height: min(size.H, tallest), Scale: 1})
	}
	t.do("draw the page", chromedp.ActionFunc(func(ctx context.Context) (err error) {
		picture, err = draw.Do(ctx)
		return err
	}))
	if err := os.WriteFile(filepath.Join(l.Folder, name+".png"), picture, 0o600); err != nil {
		t.Fatal(err)
	}
}
