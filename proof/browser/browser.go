// Package browser drives the console in a real, headless Chromium that the
// operating system provides.
//
// It also checks pages. Any complaint of the browser fails the test, for
// example an error in a script, a resource that the content security policy
// refused, a missing file, or a dialog that a hostile text opened.
package browser

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// pageTimeout is the timeout for loading a page and for any other action. It is
// long, because the machine may be busy with other tests. Only a test that
// fails waits until it expires.
const pageTimeout = 60 * time.Second

// Browser is a running Chromium.
type Browser struct {
	*testing.T
	ctx context.Context
}

// programs lists the possible names of Chromium's executable.
var programs = []string{"chromium", "chromium-browser", "google-chrome"}

// Open starts Chromium. If Chromium is missing, the test fails: scripts/deps
// installs it, and a test that is silently skipped checks nothing.
func Open(t *testing.T) *Browser {
	t.Helper()
	var path string
	for _, name := range programs {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Fatal("there is no Chromium: scripts/deps test installs it")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.Headless, chromedp.WindowSize(1280, 900),
		chromedp.Flag("disable-gpu", true), chromedp.Flag("disable-dev-shm-usage", true),
		// Disable the back-forward cache, so that going back requests the page
		// again.
		chromedp.Flag("disable-features", "site-per-process,Translate,BlinkGenPropertyTrees,BackForwardCache"),
		chromedp.WSURLReadTimeout(pageTimeout))
	if os.Geteuid() == 0 {
		// Chromium's sandbox does not work as root, and every page here is our
		// own.
		options = append(options, chromedp.NoSandbox)
	}
	alloc, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, closeBrowser := chromedp.NewContext(alloc)
	t.Cleanup(closeBrowser)
	if err := chromedp.Run(ctx); err != nil {
		t.Fatalf("start Chromium: %v", err)
	}
	return &Browser{T: t, ctx: ctx}
}

// spent returns the processor time that Chromium has used, without the time of
// closed tabs.
func (b *Browser) spent() time.Duration {
	ctx, cancel := context.WithTimeout(cdp.WithExecutor(b.ctx, chromedp.FromContext(b.ctx).Browser), readTimeout)
	defer cancel()
	processes, err := systeminfo.GetProcessInfo().Do(ctx)
	if err != nil {
		return 0
	}
	var spent float64
	for _, p := range processes {
		spent += p.CPUTime
	}
	return time.Duration(float64(spent * float64(time.Second)))
}

// Tab is a tab of the browser, with the cookies of one person.
type Tab struct {
	*testing.T
	ctx     context.Context
	browser *Browser
	person  cdp.BrowserContextID // person whose cookies the tab has
	base    string
	turn    int // selects the look that Lens.Brief checks next

	loading  time.Duration // spent waiting for pages
	checking time.Duration // spent running axe-core

	mu         sync.Mutex
	complaints []string
	expected   map[int64]bool // statuses that the test expects
}

// Tab opens a tab for the server at base, with its own cookies.
func (b *Browser) Tab(t *testing.T, base string) *Tab {
	t.Helper()
	ctx, cancel := b.whole()
	defer cancel()
	person, err := target.CreateBrowserContext().WithDisposeOnDetach(true).Do(ctx)
	if err != nil {
		t.Fatalf("open a window: %v", err)
	}
	return b.open(t, base, person)
}

// Share opens another tab with the cookies of a tab, which may belong to another test and be closed.
func (b *Browser) Share(t *testing.T, with *Tab) *Tab {
	t.Helper()
	return b.open(t, with.base, with.person)
}

// Beside opens another tab with the same cookies.
func (t *Tab) Beside() *Tab {
	t.Helper()
	return t.browser.open(t.T, t.base, t.person)
}

// whole returns a context for commands to the whole browser instead of one tab.
func (b *Browser) whole() (context.Context, context.CancelFunc) {
	return context.WithTimeout(cdp.WithExecutor(b.ctx, chromedp.FromContext(b.ctx).Browser), pageTimeout)
}

// open opens a tab in a new window. Chromium needs a new window for separate
// cookies, even in headless mode.
func (b *Browser) open(t *testing.T, base string, person cdp.BrowserContextID) *Tab {
	t.Helper()
	whole, cancel := b.whole()
	defer cancel()
	id, err := target.CreateTarget("about:blank").WithBrowserContextID(person).WithNewWindow(true).Do(whole)
	if err != nil {
		t.Fatalf("open a window: %v", err)
	}
	ctx, stop := chromedp.NewContext(b.ctx, chromedp.WithTargetID(id))
	tab := &Tab{T: t, ctx: ctx, browser: b, person: person, base: base, expected: map[int64]bool{}}
	t.Cleanup(func() {
		t.Logf("Chromium has used the processors for %s; this tab waited %s for pages and %s for axe-core",
			b.spent().Round(time.Second), tab.loading.Round(time.Second), tab.checking.Round(time.Second))
		stop()
	})
	chromedp.ListenTarget(ctx, tab.listen)
	// Use the tab first with this context, because the tab is closed when the
	// context of its first use ends.
	if err := chromedp.Run(ctx); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	// Several windows are used concurrently, and each must behave as if it had the focus.
	tab.do("open a tab", log.Enable(), runtime.Enable(), network.Enable(), page.Enable(),
		emulation.SetFocusEmulationEnabled(true))
	return tab
}

// do runs actions with the timeout pageTimeout. what describes the actions in a
// failure message.
func (t *Tab) do(what string, actions ...chromedp.Action) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.ctx, pageTimeout)
	defer cancel()
	if err := chromedp.Run(ctx, actions...); err != nil {
		t.Fatalf("%s at %s: %v\n%s", what, t.At(), err, t.text())
	}
}

// Theme sets the preferred color scheme, "light" or "dark", and turns
// animations off.
func (t *Tab) Theme(name string) {
	t.Helper()
	t.do("prefer "+name, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}))
}

// Media sets the medium for which the page is shown, "screen" or "print". Theme sets it back.
func (t *Tab) Media(name string) {
	t.Helper()
	t.do("show for "+name, emulation.SetEmulatedMedia().WithMedia(name))
}

// Width sets the width of the window, and its height to 900 pixels.
func (t *Tab) Width(pixels int64) {
	t.Helper()
	t.Size(pixels, 900)
}

// Size sets the width and the height of the window.
func (t *Tab) Size(width, height int64) {
	t.Helper()
	t.do("resize", emulation.SetDeviceMetricsOverride(width, height, 1, false))
}

// Scripts turns the scripts of pages on or off.
func (t *Tab) Scripts(run bool) {
	t.Helper()
	t.do("let scripts run or not", emulation.SetScriptExecutionDisabled(!run))
}
