package offer

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/civil"
	"verdict/internal/engine"
)

var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

// TestLanguagesAreComplete checks that every language has every key, with the same placeholders, and no text that is
// empty.
func TestLanguagesAreComplete(t *testing.T) {
	t.Parallel()
	if got := Languages(); !slices.Contains(got, DefaultLanguage) || len(got) < 2 {
		t.Fatalf("the languages are %v", got)
	}
	first := languages[DefaultLanguage]
	for _, tag := range Languages() {
		l := languages[tag]
		if diff := cmp.Diff(slices.Sorted(maps.Keys(first.texts)), slices.Sorted(maps.Keys(l.texts))); diff != "" {
			t.Errorf("%s has other keys than %s (-%s +%s):\n%s", tag, first.Tag, first.Tag, tag, diff)
		}
		for key, text := range l.texts {
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s: %s is empty", tag, key)
			}
			want, got := placeholder.FindAllString(first.texts[key], -1), placeholder.FindAllString(text, -1)
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(want, got) {
				t.Errorf("%s: %s has the placeholders %v, want %v", tag, key, got, want)
			}
		}
	}
}

// TestEveryKeyIsUsed checks that the template and the code use exactly the keys of the catalogue.
func TestEveryKeyIsUsed(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	for _, name := range []string{"page.html", "kfs.go", "letter.go", "json.go", "language.go", "page.go",
		"profile.go"} {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(content)
	}
	used := map[string]bool{}
	key := regexp.MustCompile(`(?:\.T|\.Text\(| Text\()\s*"([a-z_0-9.A-Z]+)"`)
	for _, m := range key.FindAllStringSubmatch(source.String(), -1) {
		used[m[1]] = true
	}
	// These keys are built from a prefix and a name.
	for _, name := range termNames {
		used["term."+name], used["kfs."+name] = true, true
	}
	l := languages[DefaultLanguage]
	for key := range l.texts {
		for _, prefix := range []string{"month.", "charge.", "reason.", "detail.", "letter.decline.",
			"letter.counter."} {
			if strings.HasPrefix(key, prefix) {
				used[key] = true
			}
		}
	}
	used["language_in_english"] = true // for pages that list the languages
	for key := range used {
		// A text that ends with a point is the prefix of a key that the code builds.
		if !l.Has(key) && !strings.HasSuffix(key, ".") {
			t.Errorf("the catalogue lacks %s", key)
		}
	}
	for key := range l.texts {
		if !used[key] {
			t.Errorf("nothing uses %s", key)
		}
	}
}

// reason returns a reason of a stored decision.
func reason(code, message string) engine.AnswerReason {
	return engine.AnswerReason{Code: code, Message: message}
}

// TestReasonsAreTranslated checks that each language has the text of every reason of the engine's catalogue, and that
// the English text is the engine's.
func TestReasonsAreTranslated(t *testing.T) {
	t.Parallel()
	for _, r := range engine.ReasonTexts() {
		for _, tag := range Languages() {
			l := languages[tag]
			got := reasonText(l, &Profile{}, reason(r.Code, r.Message))
			switch {
			case tag == storedLanguage && got != r.Message:
				t.Errorf("%s: %q, want %q", r.Code, got, r.Message)
			case got == l.Text("reason.OTHER"):
				t.Errorf("%s has no text in %s", r.Code, tag)
			case tag != storedLanguage && got == r.Message:
				t.Errorf("%s has an English text in %s", r.Code, tag)
			}
			seen := map[string]bool{got: true, l.Text("reason.OTHER"): true}
			for _, message := range append(r.Variants, r.Neutral) {
				other := reasonText(l, &Profile{}, reason(r.Code, message))
				switch {
				case message == "":
				case tag == storedLanguage && other != message:
					t.Errorf("%s: %q, want %q", r.Code, other, message)
				case tag != storedLanguage && (other == message || seen[other]):
					t.Errorf("%s has no text in %s for %q: %q", r.Code, tag, message, other)
				}
				seen[other] = true
			}
		}
	}
	hindi := languages["hi"]
	for code, want := range map[string]string{
		"FOIR_HIGH":            "आय की तुलना में नई किस्त ज़्यादा होगी",
		"CHARGES_EXCEED_LIMIT": "आय की तुलना में नई किस्त ज़्यादा होगी",
	} {
		got := reasonText(hindi, &Profile{}, reason(code, "The instalment would be high compared with income"))
		if got != want {
			t.Errorf("the text about the instalment with %s became %q", code, got)
		}
	}
	if got := reasonText(hindi, &Profile{},
		reason("MY_OWN", "A text of the policy")); got != hindi.Text("reason.OTHER") {
		t.Errorf("a text of the policy became %q", got)
	}
	for _, code := range []string{"FR_MULE", "FR_RING", "FR_EMULATOR", "DEV_ROOTED", "LOC_MISMATCH"} {
		if got := reasonText(languages["en"], &Profile{},
			reason(code, "")); got != "Unable to verify application details" {
			t.Errorf("a review with %s became %q", code, got)
		}
		if got := reasonText(hindi, &Profile{}, reason(code, "")); got != hindi.Text("reason.UNVERIFIABLE") {
			t.Errorf("a review with %s became %q", code, got)
		}
	}
	own := &Profile{Texts: map[string]Texts{"hi": {Reasons: map[string]string{"MY_OWN": "अपना पाठ"}}}}
	if got := reasonText(hindi, own, reason("MY_OWN", "A text of the policy")); got != "अपना पाठ" {
		t.Errorf("the lender's text became %q", got)
	}
}

// TestDetailsAreTranslated checks that the English names of details are the engine's, and that a letter in each
// language names what an application lacks.
func TestDetailsAreTranslated(t *testing.T) {
	t.Parallel()
	english := languages[storedLanguage]
	for key, text := range engine.DetailNames() {
		if got := english.Text("detail." + key); got != text {
			t.Errorf("detail %s is %q, want %q", key, got, text)
		}
	}
	if got := english.Text("missing_details", "details", "x"); got != engine.MissingDetails+"x" {
		t.Errorf("the text of missing details is %q", got)
	}
	missing := engine.AnswerReason{
		Code: "MISSING_REQUIRED_INPUT", Field: "applicant.vehicle_price, monthly_income, table.ltv.pct, fraud_score",
		Message: engine.MissingDetails + "vehicle price, the monthly income, details of the application",
	}
	const hindi = "ऋण की राशि इन जानकारियों पर निर्भर है, जो नहीं दी गईं: "
	named := &Profile{Texts: map[string]Texts{
		"hi": {Details: map[string]string{"applicant.vehicle_price": "वाहन की क़ीमत"}},
	}}
	for _, tc := range []struct {
		tag  string
		p    *Profile
		want string
	}{
		{"en", named, missing.Message},
		{"hi", named, hindi + "वाहन की क़ीमत, मासिक आय, आवेदन की जानकारी"},
		{"hi", &Profile{}, hindi + "vehicle price, मासिक आय, आवेदन की जानकारी"},
	} {
		if got := reasonText(languages[tc.tag], tc.p, missing); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.tag, got, tc.want)
		}
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	for paise, want := range map[int64]string{
		0: "₹0.00", 5: "₹0.05", 99_99: "₹99.99", 999_00: "₹999.00", 1_000_00: "₹1,000.00", 99_999_50: "₹99,999.50",
		1_00_000_00: "₹1,00,000.00", 12_34_56_789_01: "₹12,34,56,789.01", -1_00_000_00: "−₹1,00,000.00",
	} {
		if got := Rupees(paise); got != want {
			t.Errorf("%d paise are written %s, want %s", paise, got, want)
		}
	}
	if got := Percent(1605); got != "16.05 %" {
		t.Errorf("1605 is written %s", got)
	}
	day := civil.Date(2026, 11, 17)
	for tag, want := range map[string]string{"en": "17 November 2026", "hi": "17 नवंबर 2026"} {
		if got := languages[tag].Day(day); got != want {
			t.Errorf("%s writes %s, want %s", tag, got, want)
		}
	}
}
