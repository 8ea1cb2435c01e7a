package browser

import (
	"fmt"
	"slices"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// listen records the browser's complaints about the page.
func (t *Tab) listen(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		t.complain("a script failed: %s", e.ExceptionDetails.Error())
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
			t.complain("a script says %s: %s", e.Type, arguments(e.Args))
		}
	case *log.EventEntryAdded:
		// Network errors are checked below, by the status of the response.
		if e.Entry.Level == log.LevelError && e.Entry.Source != log.SourceNetwork {
			t.complain("%s: %s (%s)", e.Entry.Source, e.Entry.Text, e.Entry.URL)
		}
	case *network.EventResponseReceived:
		if e.Response.Status >= 400 {
			t.answered(e.Response.Status, e.Response.URL)
		}
	case *network.EventLoadingFailed:
		if !e.Canceled && e.BlockedReason != "" {
			t.complain("a file was blocked: %s", e.BlockedReason)
		}
	case *page.EventJavascriptDialogOpening:
		t.complain("a box opened: %q", e.Message)
		// Close the dialog, so that the test continues and reports it.
		go func() { _ = chromedp.Run(t.ctx, page.HandleJavaScriptDialog(true)) }()
	}
}

func arguments(args []*runtime.RemoteObject) string {
	var out string
	for _, a := range args {
		out += string(a.Value) + a.Description + " "
	}
	return out
}

func (t *Tab) complain(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.complaints = append(t.complaints, fmt.Sprintf(format, args...))
}

func (t *Tab) answered(status int64, url string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.expected[status] {
		t.complaints = append(t.complaints, fmt.Sprintf("%d was answered to %s", status, url))
	}
}

// Expect sets the error statuses that responses may have from now on. Without
// arguments, no error status is expected.
func (t *Tab) Expect(statuses ...int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.expected)
	for _, s := range statuses {
		t.expected[s] = true
	}
}

// Quiet fails the test if the browser has reported a complaint since the last
// call.
func (t *Tab) Quiet() {
	t.Helper()
	t.mu.Lock()
	said := slices.Clone(t.complaints)
	t.complaints = nil
	t.mu.Unlock()
	for _, c := range said {
		t.Errorf("%s: %s", t.At(), c)
	}
}
