package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"regexp"
	"strings"
	"testing"
)

// picturedDecision has the parts of a decision that the picture shows.
type picturedDecision struct {
	Status, Grade string
	Hash          string `json:"decision_hash"`
	Offer         struct {
		Limit        int
		InterestRate float64 `json:"interest_rate"`
		Tenure       int     `json:"tenure_months"`
		EMI          float64
		APR          float64
	}
	Explanation struct {
		FinalScore    int            `json:"final_score"`
		Contributions []contribution `json:"score_contributions"`
		FiredRules    []struct {
			ID, Result string
			Delta      int
		} `json:"fired_rules"`
	}
	Reasons []struct{ Code, Message string }
}

// contribution is what a factor or an adjustment adds to the score.
type contribution struct {
	Factor string
	Points int
}

// TestDecisionPicture draws the README's application and its decision, as the
// engine makes it today, and compares the picture with the committed one. With
// UPDATE_SCRIPTS set it writes the picture.
func TestDecisionPicture(t *testing.T) {
	t.Parallel()
	const path = "../../docs/decision.svg"
	var application string
	for _, block := range fenced(t, "../../README.md", "sh") {
		if m := regexp.MustCompile(`(?s)<<'JSON'\n(.*?)\nJSON`).FindStringSubmatch(block); m != nil {
			application = m[1]
		}
	}
	var out, errs bytes.Buffer
	if code := run([]string{"decide", "-input", "-"}, strings.NewReader(application), &out, &errs); code != exitOK {
		t.Fatal(errs.String())
	}
	var d picturedDecision
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(application), "", "    "); err != nil {
		t.Fatal(err)
	}
	for _, rule := range d.Explanation.FiredRules {
		if rule.Result == "applied" {
			d.Explanation.Contributions = append(d.Explanation.Contributions, contribution{rule.ID, rule.Delta})
		}
	}
	drawn := drawDecision(indented.String(), d)
	if committed, err := os.ReadFile(path); err == nil && string(committed) == drawn {
		return
	}
	if os.Getenv("UPDATE_SCRIPTS") == "" {
		t.Fatal("docs/decision.svg is not the decision of today; " +
			"UPDATE_SCRIPTS=1 go test -run TestDecisionPicture ./cmd/verdict draws it")
	}
	if err := os.WriteFile(path, []byte(drawn), 0o644); err != nil {
		t.Fatal(err)
	}
}

// canvas collects the elements of a picture.
type canvas struct{ strings.Builder }

func (c *canvas) text(x, y int, class, format string, args ...any) {
	fmt.Fprintf(c, "<text x=\"%d\" y=\"%d\" class=\"%s\" xml:space=\"preserve\">%s</text>\n", x, y, class,
		html.EscapeString(fmt.Sprintf(format, args...)))
}

func (c *canvas) box(x, y, width, height int, class string) {
	fmt.Fprintf(c, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\" class=\"%s\"/>\n", x, y, width, height,
		class)
}

// drawDecision returns the picture as SVG: the application on the left, the
// decision on the right.
func drawDecision(application string, d picturedDecision) string {
	var c canvas
	c.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 372" role="img"
  aria-label="An application and its decision">
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2933 }
.ground { fill: #f5f7fa } .card { fill: #fff; stroke: #cbd2d9 } .good { fill: #18794e } .bad { fill: #cd2b31 }
.title { font-weight: 600; fill: #52606d } .code { font: 12px ui-monospace, monospace }
.large { font-size: 22px; font-weight: 700 }
.on { fill: #fff; font-weight: 700 } .small { font-size: 12px; fill: #52606d }
</style>
`)
	c.box(0, 0, 960, 372, "ground")
	c.box(16, 16, 390, 340, "card")
	c.text(32, 42, "title", "POST /v1/decisions")
	y := 70
	for line := range strings.Lines(application) {
		c.text(32, y, "code", "%s", strings.TrimRight(line, "\n"))
		y += 19
	}
	c.box(422, 16, 522, 340, "card")
	c.box(438, 32, 110, 30, "good")
	c.text(452, 52, "on", "%s", d.Status)
	c.text(564, 54, "large", "Grade %s · score %d", d.Grade, d.Explanation.FinalScore)
	c.text(438, 86, "", "₹%s at %g %%, %d months, instalment ₹%s, APR %g %%", inRupees(d.Offer.Limit),
		d.Offer.InterestRate, d.Offer.Tenure, inRupees(int(d.Offer.EMI)), d.Offer.APR)
	c.text(438, 112, "title", "Where the score comes from")
	y = 132
	for _, s := range d.Explanation.Contributions {
		c.text(438, y, "small", "%s", s.Factor)
		class, sign := "good", "+"
		if s.Points < 0 {
			class, sign = "bad", ""
		}
		if width := 4 * max(s.Points, -s.Points); s.Factor != "base" && width > 0 {
			c.box(630, y-10, min(width, 200), 11, class)
		}
		c.text(860, y, "code", "%s%d", sign, s.Points)
		y += 18
	}
	y += 8
	c.text(438, y, "title", "Why not more")
	for _, r := range d.Reasons {
		y += 19
		c.text(438, y, "small", "%s: %s", r.Code, r.Message)
	}
	c.text(438, 342, "code", "%d rules · %s…", len(d.Explanation.FiredRules), d.Hash[:min(len(d.Hash), 31)])
	c.WriteString("</svg>\n")
	return c.String()
}

// inRupees returns an amount with Indian separators: 12,34,567.
func inRupees(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 2 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
