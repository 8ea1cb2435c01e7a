package browser

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/browser"
)

// Downloads returns the content of the file that the browser downloads when press is called.
func (t *Tab) Downloads(press func()) string {
	t.Helper()
	folder := t.TempDir()
	whole, cancel := t.browser.whole()
	defer cancel()
	err := browser.SetDownloadBehavior(browser.SetDownloadBehaviorBehaviorAllow).
		WithBrowserContextID(t.person).WithDownloadPath(folder).Do(whole)
	if err != nil {
		t.Fatal(err)
	}
	press()
	for begun := time.Now(); time.Since(begun) < pageTimeout; time.Sleep(pause) {
		files, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil {
			t.Fatal(err)
		}
		// An unfinished file has the name that Chromium gives it until it is complete.
		if len(files) == 1 && !strings.HasSuffix(files[0], ".crdownload") && !strings.HasPrefix(
			filepath.Base(files[0]), ".") {
			content, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			return string(content)
		}
	}
	t.Fatalf("%s: nothing was downloaded within %s", t.At(), pageTimeout)
	return ""
}
