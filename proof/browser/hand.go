package browser

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Hand uses a page as a person does, either with the keyboard alone or with the mouse. All its events are events of the
// browser's input devices, so they reach only what is visible and can get the focus.
type Hand struct {
	tab  *Tab
	keys bool
}

// Keyboard returns a hand that uses only the keyboard.
func (t *Tab) Keyboard() Hand { return Hand{t, true} }

// Mouse returns a hand that points and clicks, and types only texts.
func (t *Tab) Mouse() Hand { return Hand{t, false} }

// Keys reports whether the hand uses only the keyboard.
func (h Hand) Keys() bool { return h.keys }

// mostTabs is the number of times that Reach presses Tab before it fails.
const mostTabs = 300

// first is a JavaScript expression for the first visible element with a selector.
const first = `[...document.querySelectorAll(%s)].find(e => e.checkVisibility())`

// Reach presses Tab until the first visible element with the selector has the focus, or Shift and Tab if the element is
// before the focus. For a radio button, it stops at any button of the same group, because Tab stops once in a group. It
// fails the test if the element cannot be reached, or if an element on the way has the focus but cannot be seen.
func (t *Tab) Reach(selector string) {
	t.Helper()
	t.wait("reach "+selector, fmt.Sprintf(`Boolean(`+first+`)`, quoted(selector)))
	look := fmt.Sprintf(`((target, e) => {
		if (!target) return {Side: "gone", Hidden: "", Name: ""};
		if (e === target || target.type === "radio" && e.type === "radio" && e.form === target.form &&
			e.name === target.name) return {Side: "reached", Hidden: %s, Name: ""};
		const from = e === document.body ? document.querySelector(":target") ?? e : e;
		return {Hidden: e === document.body ? "" : %[1]s, Name: e.outerHTML.slice(0, 120), Side:
			from.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_PRECEDING ? "before" : "after"} })(`+
		strings.Replace(first, "%s", "%[2]s", 1)+`, document.activeElement)`, hiddenAt, quoted(selector))
	var stop struct{ Side, Hidden, Name string }
	t.Ask(look, &stop)
	for range mostTabs {
		if stop.Side == "reached" {
			return
		}
		tab := chromedp.KeyEvent(kb.Tab)
		if stop.Side == "before" {
			tab = chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(input.ModifierShift))
		}
		t.do("press Tab", tab, chromedp.Evaluate(look, &stop))
		if stop.Hidden != "" {
			t.Errorf("%s: Tab leads to an element that cannot be seen, on the way to %s: %s: %s", t.At(), selector,
				stop.Hidden, stop.Name)
		}
	}
	t.Fatalf("%s: pressing Tab %d times does not lead to %s; the focus is at %s",
		t.At(), mostTabs, selector, t.Focused())
}

// Holds waits until the first visible element with the selector has the focus and can be seen, that is, it is inside
// the window and not covered.
func (t *Tab) Holds(selector string) {
	t.Helper()
	t.holds(selector, fmt.Sprintf(first, quoted(selector)))
}

// holds waits until the element of an expression has the focus and can be seen.
func (t *Tab) holds(what, element string) {
	t.Helper()
	var found string
	held := fmt.Sprintf(`(() => { const e = document.activeElement ?? document.body;
		if (!e) return "the page is loading";
		if (e !== %s) return "the focus is at " + (e.id || e.dataset?.at || e.getAttribute("name") ||
			e.tagName.toLowerCase());
		return %s })()`, element, hiddenAt)
	for begun := time.Now(); ; time.Sleep(pause) {
		// A page that is being replaced returns an error.
		if err := chromedp.Run(t.ctx, chromedp.Evaluate(held, &found)); err != nil {
			found = err.Error()
		}
		if found == "" {
			return
		}
		if time.Since(begun) > pageTimeout {
			t.Errorf("%s: %s does not have the focus: %s", t.At(), what, found)
			return
		}
	}
}

// hiddenAt is a JavaScript expression that says why the beginning of the element e cannot be seen, or "".
const hiddenAt = `(() => { const r = e.getClientRects()[0];
	if (!r || r.width < 2 || r.height < 2) return "it has no size";
	const x = r.left + Math.min(r.width / 2, 20), y = r.top + Math.min(r.height / 2, 20);
	if (y < 0 || y > innerHeight) return "it is at " + Math.round(y) + " of " + innerHeight;
	if (x < 0 || x > innerWidth) return "it is at " + Math.round(x) + " of " + innerWidth + " across";
	const over = document.elementFromPoint(x, y);
	return over && (e.contains(over) || over.contains(e)) ? "" : "it is under " + over?.outerHTML.slice(0, 80) })()`

// point is a place in the window.
type point struct {
	X, Y   float64
	Hidden string // why nobody can point at the element; "" if somebody can
}

// point scrolls until the first visible element with the selector can be pointed at, and returns its middle.
func (t *Tab) point(selector string) point {
	t.Helper()
	t.wait("point at "+selector, fmt.Sprintf(`Boolean(`+first+`)`, quoted(selector)))
	var at point
	t.Ask(fmt.Sprintf(`(e => { const look = () => { const r = e.getClientRects()[0];
			const x = r.left + r.width / 2, y = r.top + r.height / 2, over = document.elementFromPoint(x, y);
			const label = e.labels?.[0];
			return {X: x, Y: y, Hidden: over && (e.contains(over) || label?.contains(over)) ? "" :
				"it is under " + (over?.outerHTML.slice(0, 80) ?? "nothing")} };
		let at = look();
		if (at.Hidden) { e.scrollIntoView({block: "center", inline: "center", behavior: "instant"}); at = look() }
		return at })(`+first+`)`, quoted(selector)), &at)
	if at.Hidden != "" {
		t.Fatalf("%s: the mouse cannot point at %s: %s", t.At(), selector, at.Hidden)
	}
	return at
}

// Drag drags an element to another with the mouse. Both must fit into the window.
func (t *Tab) Drag(from, to string) {
	t.Helper()
	t.point(to)
	begin := t.point(from)
	end := t.point(to)
	if again := t.point(from); again != begin {
		t.Fatalf("%s: %s and %s are too far apart for one window", t.At(), from, to)
	}
	const steps = 6
	ctx, cancel := context.WithTimeout(t.ctx, pageTimeout)
	defer cancel()
	// Intercept the drag and dispatch its events, because without a screen no window system carries the data.
	carried := make(chan *input.DragData, 1)
	chromedp.ListenTarget(ctx, func(event any) {
		if e, is := event.(*input.EventDragIntercepted); is {
			carried <- e.Data
		}
	})
	t.do("press the mouse on "+from, input.SetInterceptDrags(true),
		chromedp.MouseEvent(input.MouseMoved, begin.X, begin.Y),
		chromedp.MouseEvent(input.MousePressed, begin.X, begin.Y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	along := func(i int) (x, y float64) {
		part := float64(i) / steps
		return begin.X + (end.X-begin.X)*part, begin.Y + (end.Y-begin.Y)*part
	}
	x, y := along(1)
	t.do("move the mouse", chromedp.MouseEvent(input.MouseMoved, x, y, chromedp.ButtonLeft))
	var data *input.DragData
	select {
	case data = <-carried:
	case <-ctx.Done():
		t.Fatalf("%s: %s cannot be dragged", t.At(), from)
	}
	moves := []chromedp.Action{input.DispatchDragEvent(input.DragEnter, x, y, data)}
	for i := range steps {
		x, y = along(i + 1)
		moves = append(moves, input.DispatchDragEvent(input.DragOver, x, y, data))
	}
	moves = append(moves, input.DispatchDragEvent(input.Drop, x, y, data),
		chromedp.MouseEvent(input.MouseReleased, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1)),
		input.SetInterceptDrags(false))
	t.do("drag "+from, moves...)
}

// press returns the action that presses the element with the selector: Enter, or a click.
func (h Hand) press(selector string) chromedp.Action {
	h.tab.Helper()
	if h.keys {
		h.tab.Reach(selector)
		return chromedp.KeyEvent(kb.Enter)
	}
	at := h.tab.point(selector)
	return chromedp.MouseClickXY(at.X, at.Y)
}

// Press presses a button, a link or the heading of a folded part that does not load another page.
func (h Hand) Press(selector string) {
	h.tab.Helper()
	h.tab.do("press "+selector, h.press(selector))
}

// Follow presses a button or a link, and waits for the page that it loads.
func (h Hand) Follow(selector string) {
	h.tab.Helper()
	h.tab.await("follow "+selector, h.press(selector))
}

// focus moves the focus to a field.
func (h Hand) focus(selector string) {
	h.tab.Helper()
	if h.keys {
		h.tab.Reach(selector)
		return
	}
	at := h.tab.point(selector)
	h.tab.do("click "+selector, chromedp.MouseClickXY(at.X, at.Y))
}

// selectAll presses Ctrl and A.
var selectAll = input.DispatchKeyEvent(input.KeyRawDown).WithModifiers(input.ModifierCtrl).WithKey("a").
	WithCode("KeyA").WithWindowsVirtualKeyCode('A').WithCommands([]string{"selectAll"})

// Fill replaces the texts of fields by typing. pairs alternates between selectors and texts.
func (h Hand) Fill(pairs ...string) {
	h.tab.Helper()
	for i := 0; i+1 < len(pairs); i += 2 {
		h.enter(pairs[i], pairs[i+1], chromedp.KeyEvent(pairs[i+1]))
	}
}

// Paste replaces the text of a field in one step.
func (h Hand) Paste(selector, text string) {
	h.tab.Helper()
	h.enter(selector, text, input.InsertText(text))
}

func (h Hand) enter(selector, text string, typing chromedp.Action) {
	h.tab.Helper()
	h.focus(selector)
	var got string
	h.tab.do("fill "+selector, selectAll, typing,
		chromedp.Evaluate(`document.activeElement?.value ?? "a page that is gone"`, &got))
	if got != text {
		h.tab.Fatalf("%s: %q was typed into %s, which contains %q", h.tab.At(), text, selector, got)
	}
}

// Choose chooses an option of a select element with the arrow keys, as people do with the keyboard. A hand with a mouse
// opens the list with a click first, and closes it with Enter.
func (h Hand) Choose(selector, value string) {
	h.tab.Helper()
	var steps struct {
		By    int
		Found bool
	}
	h.tab.Ask(fmt.Sprintf(`(s => { const list = [...s.options].filter(o => !o.disabled);
		const to = list.findIndex(o => o.value === %s);
		return {Found: to >= 0, By: to - list.indexOf(s.selectedOptions[0])} })(`+first+`)`,
		quoted(value), quoted(selector)), &steps)
	if !steps.Found {
		h.tab.Fatalf("%s: %s has no choice %q", h.tab.At(), selector, value)
	}
	h.focus(selector)
	key := kb.ArrowDown
	if steps.By < 0 {
		key, steps.By = kb.ArrowUp, -steps.By
	}
	for range steps.By {
		h.tab.do("choose in "+selector, chromedp.KeyEvent(key))
	}
	if !h.keys {
		h.tab.do("close "+selector, chromedp.KeyEvent(kb.Enter))
	}
	h.tab.wait("choose "+value+" in "+selector, fmt.Sprintf(first+`?.value === %s`, quoted(selector), quoted(value)))
}

// Tick checks a check box or a radio button.
func (h Hand) Tick(selector string) {
	h.tab.Helper()
	h.focus(selector)
	checked := fmt.Sprintf(first+`?.checked ?? false`, quoted(selector))
	if h.keys {
		var is bool
		for range mostTabs { // Space chooses the button with the focus, and an arrow chooses the next of its group
			var here bool
			h.tab.Ask(fmt.Sprintf(`document.activeElement === `+first, quoted(selector)), &here)
			if h.tab.Ask(checked, &is); is {
				break
			}
			key := " "
			if !here {
				key = kb.ArrowDown
			}
			h.tab.Type(key)
		}
	}
	h.tab.wait("tick "+selector, checked)
}

// TypeTo presses keys that load another page, and waits for the page.
func (t *Tab) TypeTo(keys string) {
	t.Helper()
	t.await("type "+keys, chromedp.KeyEvent(keys))
}

// InWindow fails the test if the beginning of the first visible element with the selector is outside the window or
// covered. Unlike FirstScreen it does not scroll.
func (t *Tab) InWindow(selector string) {
	t.Helper()
	var hidden string
	t.Ask(fmt.Sprintf(`(e => e ? `+hiddenAt+` : "it is not there")(`+first+`)`, quoted(selector)), &hidden)
	if hidden != "" {
		t.Errorf("%s: %s cannot be seen: %s", t.At(), selector, hidden)
	}
}
