package engine

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestReasonsPageIsCurrent compares the list of reasons in docs/POLICY.md with the catalogue, because lenders write
// their letters to applicants from that list.
func TestReasonsPageIsCurrent(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/POLICY.md")
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	for _, r := range reasonTexts {
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", r.Code, r.Category, r.Message)
	}
	if !strings.Contains(string(page), "|---|---|---|\n"+table.String()+"\n") {
		t.Errorf("docs/POLICY.md does not have these reasons in this order:\n%s", table.String())
	}
	if !strings.Contains(string(page), "*"+ApplicantMessage("OWN")+"*") {
		t.Error("docs/POLICY.md does not say what the applicant reads of another code")
	}
}

// TestVariantTexts checks that ReasonTexts lists every text of variantTexts.
func TestVariantTexts(t *testing.T) {
	t.Parallel()
	listed := map[string]bool{}
	for _, r := range ReasonTexts() {
		for _, text := range r.Variants {
			listed[text] = text != r.Message
		}
	}
	for v := noVariant + 1; v < variantCount; v++ {
		if text := variantTexts[v].text; text == "" || !listed[text] {
			t.Errorf("variant %d, %q, is not listed", v, text)
		}
	}
}
