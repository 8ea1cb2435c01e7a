package recovery

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/civil"
)

// forbidden lists words that put pressure on borrowers, that shame or threaten
// them, or that involve other people.
var forbidden = []string{
	"threat", "police", "arrest", "jail", "prison", "court", "seize", "attach", "legal action", "consequence", "shame",
	"family", "neighbour", "employer", "relative", "immediately", "urgent", "at once", "or else", "last chance",
	"final", "warning", "fraud", "cheat", "defaulter", "penalty", "blacklist", "must", "demand",
	"पुलिस", "जेल", "गिरफ़्तार", "गिरफ्तार", "अदालत", "न्यायालय", "कानूनी", "क़ानूनी", "कुर्क", "धमकी", "चेतावनी",
	"अंजाम", "परिणाम", "बदनाम", "परिवार", "पड़ोसी", "रिश्तेदार", "नियोक्ता",
	"तुरंत", "तत्काल", "अंतिम", "आख़िरी", "धोखा", "चोर", "जुर्माना", "डिफ़ॉल्टर",
}

// TestTemplates checks every sentence that can be sent to a borrower.
func TestTemplates(t *testing.T) {
	t.Parallel()
	var names [2]map[string]bool
	for l := range phrases {
		p := &phrases[l]
		names[l] = map[string]bool{}
		texts := append([]string{p.customer, p.named, p.loan, p.numbered, p.emi, p.since}, p.closings[:]...)
		for name, body := range p.bodies {
			names[l][name] = true
			texts = append(texts, body)
			if diff := cmp.Diff(placeholders(phrases[English].bodies[name]), placeholders(body)); diff != "" {
				t.Errorf("%s in %s has other placeholders than in English:\n%s", name, Language(l), diff)
			}
		}
		for _, text := range texts {
			for _, word := range forbidden {
				if strings.Contains(strings.ToLower(text), word) {
					t.Errorf("%q says %q", text, word)
				}
			}
			if strings.ContainsAny(text, "!<>&") || text == "" || l == int(Hindi) && strings.ContainsFunc(text,
				latinSentence) {
				t.Errorf("%q is not how we speak", text)
			}
		}
	}
	if diff := cmp.Diff(names[English], names[Hindi]); diff != "" {
		t.Errorf("templates differ between the languages:\n%s", diff)
	}
}

// latinSentence reports whether c is a Latin capital letter: a Hindi sentence
// has none, because its placeholders are in lower case.
func latinSentence(c rune) bool { return unicode.Is(unicode.Latin, c) && unicode.IsUpper(c) }

func placeholders(text string) map[string]bool {
	found := map[string]bool{}
	for _, piece := range strings.Split(text, "{")[1:] {
		name, _, _ := strings.Cut(piece, "}")
		found[name] = true
	}
	return found
}

// TestEveryTemplateIsFilled checks every message in both languages, with all
// data and with only the required data.
func TestEveryTemplateIsFilled(t *testing.T) {
	t.Parallel()
	asOf := time.Date(2026, 11, 16, 12, 0, 0, 0, civil.India)
	for l := range phrases {
		for name := range phrases[l].bodies {
			for _, known := range []bool{false, true} {
				c := ordinary(asOf, 47, false, NoChannel)
				s := DefaultStrategy()
				if known {
					promised(c, -2, false, true)
					c.Borrower.Name, s.LenderName, s.Contact = "आशा Kumari", "Asha Finance", "1800 000 000"
				} else {
					c.Loan.ID, c.Loan.EMIPaise = "", 0
				}
				c.Borrower.Language = Language(l)
				a := advisor{Advice: Advise(c, &s, asOf), c: c, s: &s, now: asOf, today: civil.LocalDay(asOf)}
				a.Next.Template = name
				a.message()
				text := a.Message.Text
				if strings.ContainsAny(text, "{}%") || strings.Contains(text, "  ") || len(text) < 50 {
					t.Errorf("%s in %s is %q", name, Language(l), text)
				}
				if known && !strings.HasSuffix(text, " Asha Finance, 1800 000 000") {
					t.Errorf("%s in %s is not signed: %q", name, Language(l), text)
				}
			}
		}
	}
}

func TestTextsOfStrangers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Asha": "Asha", "  Asha   Kumari ": "Asha Kumari", "O'Brien Jr.": "O'Brien Jr.", "आशा कुमारी": "आशा कुमारी",
		"": "", "<b>Asha</b>": "", "{amount}": "", "Asha2": "", "http://x": "", "Asha\nPay": "", "www.pay": "",
		"a..b": "", "x@y": "", strings.Repeat("a", 41): "", "Asha\u202eKumari": "",
	} {
		if got := personName(text); got != want {
			t.Errorf("a person called %q is greeted as %q, want %q", text, got, want)
		}
	}
	for id, want := range map[string]string{
		"":               "",
		"L-1":            "L-1",
		"PL/2024/000123": "0123",
		"<b>":            "",
		"L 1":            "",
		"ऋण":             "",
	} {
		if got := loanTail(id); got != want {
			t.Errorf("loan %q is shown as %q, want %q", id, got, want)
		}
	}
	for paise, want := range map[int64]string{
		0: "₹0", 5: "₹0.05", 99_900: "₹999", 1_00_000: "₹1,000", 17_930_50: "₹17,930.50", 1_82_000_00: "₹1,82,000",
		12_34_56_789_00: "₹12,34,56,789", 1e14: "₹10,00,00,00,00,000",
	} {
		if got := rupeeText(paise); got != want {
			t.Errorf("%d paise are written %q, want %q", paise, got, want)
		}
	}
}
