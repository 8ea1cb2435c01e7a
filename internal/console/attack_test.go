package console_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"verdict/internal/proof"
	"verdict/internal/tenant"
)

// TestAttack follows the links of the console and fills every field of every
// form with texts that have a meaning in HTML, SQL or a spreadsheet. It then
// visits every page again. Every page must show these texts as plain text. A
// new page is covered as soon as a page links to it.
func TestAttack(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: attacks")
	}
	var tally proof.Tally
	h := newHouse(t)
	c := &crawler{browser: h.signUp(), tally: &tally, seen: map[string]bool{}, long: os.Getenv("VERDICT_LONG") != ""}
	c.decide(tenant.Sandbox, formTexts[0])
	c.draft(tenant.Sandbox, stricter)
	c.walk("/console/sandbox", "/console/account", "/console/users")
	if len(c.seen) < 30 || len(c.forms) < 20 {
		t.Fatalf("only %d pages and %d forms were found", len(c.seen), len(c.forms))
	}
	fields := 0
	for _, f := range c.forms {
		fields += c.attack(f)
	}
	forms := len(c.forms)
	again := &crawler{browser: c.browser, tally: &tally, seen: map[string]bool{}}
	again.walk("/console/sandbox", "/console/account", "/console/users")
	if again.planted == 0 {
		t.Error("nothing of all that is shown anywhere")
	}
	c.otherMethods()
	texts := 1
	if c.long {
		texts = len(formTexts)
	}
	figures := fmt.Sprintf("Sent %d of %d hostile texts in each of the %d fields of %d forms, and read %d pages.\n\n%s",
		texts, len(formTexts), fields, forms, len(again.seen), tally.Table("attack", "answered with"))
	t.Log(figures)
	if !t.Failed() {
		text := proof.Origin(context.WithoutCancel(t.Context()), time.Now(), "make attack") + "\n" + figures
		if err := proof.Write(os.Getenv(proof.Variable), "attack-console", text); err != nil {
			t.Error(err)
		}
	}
}

// formTexts are texts with a meaning in HTML, in a template, in a spreadsheet,
// in SQL or in a header.
var formTexts = []string{
	`"><script>QUAGGA()</script>`, `<img src=x onerror=QUAGGA>`, `" onfocus="QUAGGA" autofocus="`,
	`javascript:QUAGGA`, `</textarea></title><svg onload=QUAGGA>`, `{{QUAGGA}}`, `=cmd|'/C calc'!QUAGGA`,
	`'; DROP TABLE users; --QUAGGA`, "QUAGGA\r\nSet-Cookie: a=b", "QUAGGA\x00\xff\u202e",
	strings.Repeat("QUAGGA", 5_000),
}

// awake lists substrings that a page contains only if one of formTexts was not
// escaped.
var awake = []string{"<script>QUAGGA", "<img src=x", `onfocus="QUAGGA`, `href="javascript:`, "<svg onload"}

// crawler is a browser that follows every link.
type crawler struct {
	*browser
	tally   *proof.Tally
	seen    map[string]bool
	forms   []found
	planted int  // how often pages showed QUAGGA, a word in every text of formTexts
	long    bool // try every text of formTexts in every field, instead of one text in each field
}

// found is a form of a page.
type found struct {
	action string
	fields url.Values
}

var anyPath = regexp.MustCompile(`\{[a-z$]+\}`)

// walk visits every page that can be reached from paths, each once. It skips assets,
// signing out and the live environment. It stops after 250 pages, because some lists
// link to many pages of the same kind.
func (c *crawler) walk(paths ...string) {
	c.Helper()
	const most = 250
	for len(paths) > 0 && len(c.seen) < most {
		path := paths[0]
		paths = paths[1:]
		if c.seen[path] || strings.HasPrefix(path, "/console/assets/") || strings.Contains(path, "signout") ||
			strings.HasPrefix(path, "/console/live") {
			continue
		}
		c.seen[path] = true
		page := c.get(path)
		c.judge("GET "+path, page)
		for link := range tags(page.body, "a", "link") {
			if to, _, _ := strings.Cut(link.member("href"), "#"); strings.HasPrefix(to, "/console") {
				paths = append(paths, to)
			}
		}
		c.collect(path, page.body)
	}
}

// collect stores the forms of a page, except those for signing in, up or out. It stores only one of several forms
// that have equally many fields and whose actions differ only in ids.
func (c *crawler) collect(path, body string) {
	for form := range postForms(body) {
		f := found{action: form.member("action"), fields: url.Values{}}
		if f.action == "" {
			f.action = path
		}
		for field := range tags(form.inner(), "input", "select", "textarea", "button") {
			if name := field.member("name"); name != "" {
				f.fields[name] = []string{field.member("value")}
			}
		}
		same := func(other found) bool {
			return withoutIDs(other.action) == withoutIDs(f.action) && len(other.fields) == len(f.fields)
		}
		if strings.Contains(f.action, "sign") || slices.ContainsFunc(c.forms, same) {
			continue
		}
		c.forms = append(c.forms, f)
	}
}

var hasID = regexp.MustCompile(`[a-z]+_[0-9A-Z]{26}`)

func withoutIDs(path string) string { return hasID.ReplaceAllString(path, "*") }

// attack fills each field of a form in turn. If c.long is set, it tries every
// text of formTexts in the field, otherwise only one of them.
func (c *crawler) attack(f found) (fields int) {
	c.Helper()
	for _, name := range slices.Sorted(maps.Keys(f.fields)) {
		fields++
		for i, text := range formTexts {
			if c.long || i == (fields+len(f.action))%len(formTexts) {
				c.fill(f, name, text)
			}
		}
	}
	return fields
}

// fill sends a form in which the field called name contains text.
func (c *crawler) fill(f found, name, text string) {
	c.Helper()
	pairs := []string{}
	for other, values := range f.fields {
		value := values[0]
		if other == name {
			value = text
		}
		pairs = append(pairs, other, value)
	}
	c.judge("POST "+f.action+" with "+name, c.post(f.action, pairs...))
}

// judge checks one answer. The answer must not be a server error. It must not contain an injected header, and must
// not redirect to another site. It must show formTexts only as plain text.
func (c *crawler) judge(what string, a *answer) {
	c.Helper()
	c.tally.Add("console", strconv.Itoa(a.status))
	if a.status >= http.StatusInternalServerError {
		c.Errorf("%.300s: %d\n%.1000s", what, a.status, a.body)
	}
	kind := a.header.Get("Content-Type")
	if a.header.Get("Set-Cookie") == "a=b" || strings.Contains(a.header.Get("Location"), "QUAGGA\n") {
		c.Errorf("%.300s: a header was planted: %v", what, a.header)
	}
	if to := a.header.Get("Location"); to != "" && !strings.HasPrefix(to, "/console") {
		c.Errorf("%.300s leads out of the house: %s", what, to)
	}
	c.planted += strings.Count(a.body, "QUAGGA")
	switch {
	case strings.HasPrefix(kind, "text/html"):
		for _, text := range awake {
			if strings.Contains(a.body, text) {
				c.Errorf("%.300s: %s is part of the page", what, text)
			}
		}
	case strings.HasPrefix(kind, "text/csv"):
		rows, err := csv.NewReader(strings.NewReader(a.body)).ReadAll()
		if err != nil {
			c.Errorf("%.300s is no CSV: %v", what, err)
		}
		for _, cell := range slices.Concat(rows...) {
			_, err := strconv.ParseFloat(cell, 64)
			if cell != "" && err != nil && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				c.Errorf("%.300s has a formula in it: %q", what, cell)
			}
		}
	}
}

// otherMethods requests every path of the console with methods that the path
// does not support. The header X-HTTP-Method-Override names a supported method,
// which the server must ignore.
func (c *crawler) otherMethods() {
	c.Helper()
	methods := map[string][]string{}
	for _, route := range c.console.Routes() {
		method, path, _ := strings.Cut(route, " ")
		path = strings.Replace(path, "{env}", "sandbox", 1)
		methods[path] = append(methods[path], method)
	}
	for path, has := range methods {
		at := strings.TrimSuffix(anyPath.ReplaceAllString(path, "x"), "/x")
		if strings.Contains(path, "{") && !strings.HasSuffix(path, "}") {
			at = anyPath.ReplaceAllString(path, "x")
		}
		for _, method := range []string{"PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"} {
			request, err := http.NewRequestWithContext(c.Context(), method, c.url+at, nil)
			if err != nil {
				c.Fatal(err)
			}
			request.Header.Set("X-HTTP-Method-Override", has[0])
			request.Header.Set("Origin", c.url)
			a := c.do(request)
			c.judge(method+" "+at, a)
			if a.status < http.StatusBadRequest {
				c.Errorf("%s %s is answered with %d", method, at, a.status)
			}
		}
	}
}
