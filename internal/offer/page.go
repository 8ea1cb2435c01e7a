package offer

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // embeds the templates and the stylesheet
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"

	"verdict/internal/civil"
)

var (
	//go:embed page.html
	markup string
	//go:embed style.css
	commonStyle string
	style       = commonStyle + sandboxPages()

	layout = template.Must(template.New("page").Funcs(template.FuncMap{
		"rupees":  Rupees,
		"percent": Percent,
		"list":    func(items ...string) []string { return items },
	}).Parse(markup))
)

// sandboxPages returns the rules that mark each printed page of a document from the sandbox. The margin boxes of a
// page can take their text only from the stylesheet, so there is a rule for each language.
func sandboxPages() string {
	var rules strings.Builder
	for _, tag := range Languages() {
		name := "sandbox-" + tag
		fmt.Fprintf(&rules, "@page %s{@bottom-left{content:%q;font:700 8pt system-ui,\"Noto Sans\","+
			"\"Noto Sans Devanagari\",sans-serif;color:#b42318}}\n", name, languages[tag].Text("sandbox"))
		fmt.Fprintf(&rules, "@media print{.sandbox:lang(%s){page:%s}}\n", tag, name)
	}
	return rules.String()
}

// ContentPolicy is the content security policy of the pages: nothing is loaded or run, and only the page's own
// stylesheet applies.
var ContentPolicy = func() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}()

// page is the data of the template.
type page struct {
	Lang   *Language
	Title  string
	Style  template.CSS
	KFS    *KFS
	Letter *Letter

	Sandbox bool // the document is marked as that of a test

	Refusal *Refusal
}

// Refusal says why a document cannot be shown. It is for the lender and, like all errors, in English.
type Refusal struct {
	Title, Detail   string
	Faults          []string
	Code, RequestID string
}

// HTML returns the refusal as a page.
func (r *Refusal) HTML() ([]byte, error) {
	return render(&page{Lang: languages[DefaultLanguage], Title: r.Title, Refusal: r})
}

// T returns a text of the page's language.
func (p *page) T(key string, pairs ...string) string { return p.Lang.Text(key, pairs...) }

// Day writes a date in the page's language.
func (p *page) Day(d civil.Day) string { return p.Lang.Day(d) }

// contact is the data of the template "contact".
type contact struct {
	Page *page
	Who  Contact
}

// Contact returns the data of the template "contact".
func (p *page) Contact(c Contact) contact { return contact{p, c} }

// fees is the data of the template "fees".
type fees struct {
	Page *page
	Fees Fees
}

// Side returns the fees of the lender or of third parties.
func (k *KFS) Side(p *page, thirdParty bool) fees {
	if thirdParty {
		return fees{p, k.OtherFees}
	}
	return fees{p, k.LenderFees}
}

// HTML returns the statement as a page that can be printed.
func (k *KFS) HTML() ([]byte, error) {
	return render(&page{Lang: k.Language, Title: k.Language.Text("kfs.title"), KFS: k, Sandbox: k.Sandbox})
}

// HTML returns the letter as a page that can be printed.
func (x *Letter) HTML() ([]byte, error) {
	return render(&page{Lang: x.Language, Title: x.Title(), Letter: x, Sandbox: x.Sandbox})
}

func render(p *page) ([]byte, error) {
	p.Style = template.CSS(style) //nolint:gosec // the stylesheet is part of the binary
	var out bytes.Buffer
	if err := layout.Execute(&out, p); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
