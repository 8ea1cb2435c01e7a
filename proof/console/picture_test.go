package console_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"image/png"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"verdict/internal/app"
	"verdict/internal/demo"
	"verdict/internal/demo/demotest"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/proof/browser"
)

// picturesVariable is the environment variable with the folder into which the pictures of the pages are drawn.
const picturesVariable = "VERDICT_PICTURES"

// largestPicture is the maximum size of a picture, in bytes.
const largestPicture = 150_000

// picturedPages lists the documents with pictures of the console. Its values are the paths by which the documents
// name the folder of the pictures.
var picturedPages = map[string]string{"../../README.md": "docs/pictures/", "../../docs/TUTORIAL.md": "pictures/"}

// TestPictures checks the pictures of README and tutorial: every picture that a page names exists and is small, and
// every picture that exists is named. With VERDICT_PICTURES it draws them first ("make pictures").
func TestPictures(t *testing.T) {
	t.Parallel()
	folder := "../../docs/pictures"
	if drawn := os.Getenv(picturesVariable); drawn != "" {
		folder = drawn
		drawPictures(t, folder)
	}
	named := map[string]bool{}
	for page, prefix := range picturedPages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		shown := regexp.MustCompile(`!\[[^\]]+\]\(` + prefix + `([a-z-]+\.png)\)`)
		for _, m := range shown.FindAllStringSubmatch(string(text), -1) {
			named[m[1]] = true
		}
	}
	if len(named) < 6 {
		t.Errorf("the pages name only %d pictures", len(named))
	}
	for name := range named {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := png.DecodeConfig(bytes.NewReader(data)); err != nil || len(data) > largestPicture {
			t.Errorf("%s has %d bytes, at most %d are allowed (%v)", name, len(data), largestPicture, err)
		}
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if name := filepath.Base(file); !named[name] && name != pictureStamp {
			t.Errorf("no page names %s", file)
		}
	}
}

// pictureStamp is the file beside the pictures with the hash of the console that they show.
const pictureStamp = "console.sha256"

// TestPicturesShowThisConsole checks that the templates and assets of the console have not changed since the pictures
// were drawn. It is a part of make long, so that a release has pictures of its own console, but not every change of a
// template needs new pictures.
func TestPicturesShowThisConsole(t *testing.T) {
	t.Parallel()
	if os.Getenv("VERDICT_LONG") == "" {
		t.Skip("part of make long: the pictures are drawn again before a release")
	}
	drawn, err := os.ReadFile(filepath.Join("../../docs/pictures", pictureStamp))
	if err != nil {
		t.Fatal(err)
	}
	if now := consoleHash(t, "../../internal/console"); strings.TrimSpace(string(drawn)) != now {
		t.Errorf("the pictures show a console with other templates or assets (%s, now %s); draw them with "+
			"make pictures", strings.TrimSpace(string(drawn)), now)
	}
}

// TestConsoleHash checks that every change of a template or an asset changes the hash, and that other files do not.
func TestConsoleHash(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"assets/a.css", "pages/a.html", "pieces/a.html"} {
		write(name, "one")
	}
	seen := map[string]bool{consoleHash(t, root): true}
	for _, name := range []string{"assets/a.css", "pages/a.html", "pieces/a.html", "assets/b.css"} {
		write(name, "two")
		if hash := consoleHash(t, root); seen[hash] {
			t.Errorf("a change of %s does not change the hash", name)
		} else {
			seen[hash] = true
		}
	}
	write("console.go", "two")
	if !seen[consoleHash(t, root)] {
		t.Error("a change of the Go code changes the hash")
	}
}

// consoleHash returns the hash of the templates and assets in the folder of the console.
func consoleHash(t *testing.T, root string) string {
	t.Helper()
	sum := sha256.New()
	for _, folder := range []string{"assets", "pages", "pieces"} {
		files, err := filepath.Glob(filepath.Join(root, folder, "*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("the console has no %s: %v", folder, err)
		}
		for _, file := range files { // Glob returns them in order
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(sum, "%s/%s %d\n%s", folder, filepath.Base(file), len(data), data)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// drawPictures draws every picture into a folder.
func drawPictures(t *testing.T, folder string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	p := &painter{T: t, folder: folder, browser: browser.Open(t)}
	p.demonstration()
	p.tutorial()
	stamp := []byte(consoleHash(t, "../../internal/console") + "\n")
	if err := os.WriteFile(filepath.Join(folder, pictureStamp), stamp, 0o644); err != nil {
		t.Fatal(err)
	}
}

// painter draws pages into a folder.
type painter struct {
	*testing.T
	folder  string
	browser *browser.Browser
}

// draw draws the top of the present page of a tab, in few colours.
func (p *painter) draw(tab *browser.Tab, name string, height int64) {
	p.Helper()
	tab.Theme("light")
	tab.Size(1280, height)
	raw := p.TempDir()
	tab.Shoot(browser.Lens{Folder: raw}, name)
	data, err := os.ReadFile(filepath.Join(raw, name+".png"))
	if err != nil {
		p.Fatal(err)
	}
	drawn, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		p.Fatal(err)
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&out, fewColours(drawn)); err != nil {
		p.Fatal(err)
	}
	//nolint:gosec // a document that everybody may read
	if err := os.WriteFile(filepath.Join(p.folder, name+".png"), out.Bytes(), 0o644); err != nil {
		p.Fatal(err)
	}
	p.Logf("%s.png: %d bytes", name, out.Len())
}

// demonstration draws the overview and a decision of the demonstration.
func (p *painter) demonstration() {
	p.Helper()
	config, err := app.Bind(flag.NewFlagSet("", flag.ContinueOnError)).Load(func(string) string { return "" })
	if err != nil {
		p.Fatal(err)
	}
	config.Addr, config.DatabaseURL = "127.0.0.1:0", "sqlite:"+filepath.Join(p.TempDir(), "verdict.db")
	config.MasterKey = "off"
	db, err := store.Open(p.Context(), config.DatabaseURL, store.Options{})
	if err != nil {
		p.Fatal(err)
	}
	made, err := demo.Fill(p.Context(), db, demo.Options{
		Now: now, Decisions: 1500, Password: tenant.NewSecret(demotest.Password),
		PasswordCost: tenant.Cost{MemoryKiB: 64, Passes: 1, Lanes: 1},
	})
	if err != nil {
		p.Fatal(err)
	}
	if err := db.Close(); err != nil {
		p.Fatal(err)
	}
	tab := p.browser.Tab(p.T, serve(p.T, config))
	p.signIn(tab, made.People[0].Email)
	tab.Go("/console/live")
	p.draw(tab, "overview", 860)
	p.turnable(tab)
	tab.Cut("[lang]:not(html, [lang=en])") // names of languages, for which this machine may have no font
	p.draw(tab, "decision", 860)
}

// turnable opens the newest declined decision that shows the limit of a rule and a change of the outcome.
func (p *painter) turnable(tab *browser.Tab) {
	p.Helper()
	tab.Go("/console/live/decisions?status=DECLINED")
	var declined []string
	tab.Ask(`[...document.querySelectorAll("main tbody th a[href*='/decisions/dec_']")].map(a => a.href)`, &declined)
	for _, address := range declined {
		tab.Go(address)
		var shown bool
		tab.Ask(`["causes > li:first-child .limit", "turns > li .change"].every(c => document.querySelector("." + c))`,
			&shown)
		if shown {
			return
		}
	}
	p.Fatal("no declined decision shows a limit and a change of the outcome")
}

func (p *painter) signIn(tab *browser.Tab, email string) {
	p.Helper()
	tab.Go("/console/signin")
	tab.Fill("[name=email]", email, "[name=password]", demotest.Password)
	tab.Press("Sign in")
	tab.Sees("Overview")
}

// tutorial runs the commands of the tutorial with bin/verdict, as they are written, and draws the pages that it
// mentions.
func (p *painter) tutorial() {
	p.Helper()
	text, err := os.ReadFile("../../docs/TUTORIAL.md")
	if err != nil {
		p.Fatal(err)
	}
	bin, err := filepath.Abs("../../bin")
	if err != nil {
		p.Fatal(err)
	}
	folder, address := p.TempDir(), p.freeAddress()
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		p.Fatal(err)
	}
	environ := append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "VERDICT_ADDR="+address, "HOME="+folder)
	tab := p.browser.Tab(p.T, "http://"+address)
	for _, m := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		if m[1] == "verdict serve\n" {
			p.serveBinary(bin, folder, address, environ)
			continue
		}
		script := "set -e\n[ ! -f .exported ] || . ./.exported\n" +
			strings.ReplaceAll(m[1], "localhost:8080", "localhost:"+port) +
			"\nexport -p | grep -E ' VERDICT_KEY=' > .exported || true\n"
		command := exec.CommandContext(p.Context(), "bash", "-c", script) //nolint:gosec // commands of our own page
		command.Dir, command.Env = folder, environ
		if out, err := command.CombinedOutput(); err != nil {
			p.Fatalf("%v\n%s\nprints\n%s", err, m[1], out)
		}
		p.afterStep(tab, folder, m[1])
	}
}

// afterStep draws the pages that belong to a step of the tutorial.
func (p *painter) afterStep(tab *browser.Tab, folder, step string) {
	p.Helper()
	switch {
	case strings.Contains(step, "-html report.html"):
		files := httptest.NewServer(http.FileServer(http.Dir(folder)))
		p.Cleanup(files.Close)
		report := p.browser.Tab(p.T, files.URL)
		report.Go("/report.html")
		p.draw(report, "tutorial-report", 760)
	case strings.Contains(step, "policy plan"):
		p.signIn(tab, "you@example.in")
		tab.Go("/console/sandbox/policies/" + p.found(folder, "pushed.txt", `draft (pol_[0-9A-Z]*)`))
		p.draw(tab, "tutorial-policy", 860)
	case strings.Contains(step, "> decision.json"):
		var decision struct {
			ID string `json:"decision_id"`
		}
		if err := json.Unmarshal([]byte(p.found(folder, "decision.json", `(?s)(.*)`)), &decision); err != nil {
			p.Fatal(err)
		}
		tab.Go("/console/sandbox/decisions/" + decision.ID)
		p.draw(tab, "tutorial-decision", 860)
	case strings.Contains(step, "> live.json"):
		for counted := false; !counted; tab.Ask(`Boolean(document.getElementById("measures"))`, &counted) {
			tab.Go("/console/live") // the statistics count a decision within seconds
		}
		p.draw(tab, "tutorial-live", 860)
	}
}

// found returns the first group of a pattern in a file.
func (p *painter) found(folder, name, pattern string) string {
	p.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name)) //nolint:gosec // a file of this test
	if err != nil {
		p.Fatal(err)
	}
	m := regexp.MustCompile(pattern).FindStringSubmatch(string(text))
	if m == nil {
		p.Fatalf("%s has no %s:\n%s", name, pattern, text)
	}
	return m[1]
}

// serveBinary runs "verdict serve" until the test ends.
func (p *painter) serveBinary(bin, folder, address string, environ []string) {
	p.Helper()
	service := exec.CommandContext(p.Context(), filepath.Join(bin, "verdict"), "serve")
	service.Dir, service.Env = folder, environ
	service.Cancel = func() error { return service.Process.Signal(syscall.SIGTERM) }
	var log bytes.Buffer
	service.Stderr = &log
	if err := service.Start(); err != nil {
		p.Fatalf("%v; make build makes bin/verdict", err)
	}
	p.Cleanup(func() { _ = service.Wait() })
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(20 * time.Millisecond) {
		if conn, err := net.Dial("tcp", address); err == nil {
			_ = conn.Close()
			return
		}
	}
	p.Fatalf("the service does not answer:\n%s", log.String())
}

func (p *painter) freeAddress() string {
	p.Helper()
	free, err := new(net.ListenConfig).Listen(p.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		p.Fatal(err)
	}
	defer func() { _ = free.Close() }()
	return fmt.Sprint(free.Addr())
}
