package offer

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// fullProfile is a profile with every member.
const fullProfile = `{
	"name": "Asha Finance Limited", "address": "12 Lake Road\nPune 411001", "registration": "N-13.00000",
	"website": "www.asha-finance.example", "cooling_off_days": 3, "transferable": true,
	"grievance": {"name": "Nodal grievance redressal officer", "phone": "020 5550 1234",
		"email": "complaints@asha-finance.example", "address": "Pune"},
	"recovery_agents": [{"name": "Sahyog Collections", "phone": "020 5550 9876", "email": "help@sahyog.example"}],
	"collaboration": {"originator": {"name": "Asha Finance Limited", "share_pct": 20},
		"partner": {"name": "Lake Bank", "share_pct": 80}, "blended_rate": 13.5},
	"holidays": ["2027-01-26", "2026-11-18"],
	"texts": {
		"en": {"loan_type": "Unsecured personal loan", "loan_types": {"two_wheeler": "Two-wheeler loan"},
			"penal_charges": "2 % a month of the overdue amount",
			"note": "<b>Markup</b> stays text & harmless.", "charges": {"tele": "Telephone check"}},
		"hi": {"name": "आशा फ़ाइनेंस लिमिटेड", "loan_type": "बिना ज़मानत का निजी ऋण",
			"grievance_name": "नोडल शिकायत निवारण अधिकारी", "grievance_address": "पुणे",
			"reasons": {"MY_OWN": "ज़रूरी काग़ज़ नहीं मिले"}}}}`

func profileOf(tb testing.TB, document string) (Profile, error) {
	tb.Helper()
	v, err := wire.Parse([]byte(document))
	if err != nil {
		tb.Fatal(err)
	}
	return ReadProfile(v)
}

func mustProfile(tb testing.TB) *Profile {
	tb.Helper()
	p, err := profileOf(tb, fullProfile)
	if err != nil {
		tb.Fatal(err)
	}
	return &p
}

// TestProfileIsWrittenAsRead checks that a stored profile is read as the same profile, and written as the same bytes.
func TestProfileIsWrittenAsRead(t *testing.T) {
	t.Parallel()
	p := mustProfile(t)
	var w wire.Writer
	p.Write(&w)
	again, err := profileOf(t, string(w.Buf))
	if diff := cmp.Diff(*p, again); err != nil || diff != "" {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}
	var second wire.Writer
	again.Write(&second)
	if string(w.Buf) != string(second.Buf) {
		t.Errorf("written as\n%s\nand then\n%s", w.Buf, second.Buf)
	}
}

func TestProfileFaults(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, change, to, want string }{
		{"no name", `"name": "Asha Finance Limited", "address"`, `"address"`, "/name required"},
		{"blank address", `"12 Lake Road\nPune 411001"`, `"  "`, "/address required"},
		{"no days", `"cooling_off_days": 3`, `"cooling_off_days": 0`, "/cooling_off_days out_of_range"},
		{"no statement", `"transferable": true`, `"transferable": null`, "/transferable required"},
		{"no telephone", `"phone": "020 5550 1234",`, ``, "/grievance/phone required"},
		{"half a day", `"2026-11-18"`, `"2026-11-31"`, "/holidays/1 invalid_field"},
		{"shares", `"share_pct": 80`, `"share_pct": 70`, "/collaboration/partner out_of_range"},
		{"unknown language", `"hi": {`, `"xx": {`, "/texts/xx unknown_field"},
		{"unknown text", `"loan_type": "Uns`, `"loantype": "Uns`, "/texts/en/loantype unknown_field"},
		{"control character", `"N-13.00000"`, `"N-13\u0007"`, "/registration invalid_field"},
		{"reordered text", `"N-13.00000"`, `"N-13\u202e"`, "/registration invalid_field"},
		{"text of another type", `"Telephone check"`, `7`, "/texts/en/charges/tele wrong_type"},
		{"long text", `"Telephone check"`, `"` + strings.Repeat("x", maxText+1) + `"`,
			"/texts/en/charges/tele out_of_range"},
	} {
		if !strings.Contains(fullProfile, tc.change) {
			t.Fatalf("%s: the profile does not have %s", tc.name, tc.change)
		}
		_, err := profileOf(t, strings.Replace(fullProfile, tc.change, tc.to, 1))
		var refusal *fault.Error
		if !errors.As(err, &refusal) || len(refusal.Items) != 1 {
			t.Errorf("%s: %v, want one fault", tc.name, err)
			continue
		}
		if got := refusal.Items[0].Pointer + " " + refusal.Items[0].Code; got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

// TestWorkdays compares AddWorkdaysExcept with counting the days one by one.
func TestWorkdays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		start := civil.Date(2026, 11, 1) + civil.Day(rapid.IntRange(0, 60).Draw(t, "start"))
		var list []civil.Day
		for _, after := range rapid.SliceOfDistinct(rapid.IntRange(-5, 40), rapid.ID[int]).Draw(t, "holidays") {
			list = append(list, start+civil.Day(after))
		}
		p := Profile{Holidays: sorted(list)}
		n := rapid.IntRange(0, 12).Draw(t, "n")
		want := start
		for left := n; left > 0; {
			want++
			if want.Weekday() != 0 && !slices.Contains(p.Holidays, want) {
				left--
			}
		}
		if got := start.AddWorkdaysExcept(n, p.Holidays); got != want {
			t.Fatalf("%d working days after %s are %s, want %s, with holidays %v", n, start, got, want, p.Holidays)
		}
	})
}

// TestFields checks that a profile is the same after it is written as the fields of a form and read back, and that
// faults are at the fields of the form.
func TestFields(t *testing.T) {
	t.Parallel()
	p := mustProfile(t)
	fields := p.Fields()
	again, err := ReadFields(func(name string) string { return fields[name] })
	if diff := cmp.Diff(*p, again); err != nil || diff != "" {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}
	for field, change := range map[string]struct{ to, want string }{
		"name":               {"", "/name required"},
		"cooling_off_days":   {"soon", "/cooling_off_days wrong_type"},
		"transferable":       {"", "/transferable required"},
		"grievance_phone":    {"", "/grievance_phone required"},
		"recovery_agents":    {"Sahyog", "/recovery_agents required"},
		"holidays":           {"Christmas", "/holidays invalid_field"},
		"partner_share":      {"70", "/partner_share out_of_range"},
		"originator_name":    {"", "/originator_name required"},
		"text_en_loan_type":  {strings.Repeat("x", maxName+1), "/text_en_loan_type out_of_range"},
		"text_hi_loan_types": {"two_wheeler", "/text_hi_loan_types required"},
		"text_en_charges":    {"tele", "/text_en_charges required"},
	} {
		_, err := ReadFields(func(name string) string {
			if name == field {
				return change.to
			}
			return fields[name]
		})
		var refusal *fault.Error
		if !errors.As(err, &refusal) || refusal.Items[0].Pointer+" "+refusal.Items[0].Code != change.want {
			t.Errorf("%s: %v, want %s", field, err, change.want)
		}
	}
	if _, err := ReadFields(func(string) string { return "" }); err == nil {
		t.Error("an empty form is a profile")
	}
}

// TestInvisibleCharacters checks that texts with invisible characters are refused, except the joiners, which Hindi
// needs. A profile that was stored earlier must still be readable.
func TestInvisibleCharacters(t *testing.T) {
	t.Parallel()
	for _, c := range []rune{
		'\t', '\r', 0x7f, 0x85, 0xad, 0x61c, 0x180e, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2060,
		0x2066, 0x2069, 0x3164, 0xe000, 0xfeff, 0xfff9, 0xe0041,
	} {
		document := strings.Replace(fullProfile, "Asha Finance Limited", "Asha"+jsonRune(c)+" Finance", 1)
		_, err := profileOf(t, document)
		var refusal *fault.Error
		if !errors.As(err, &refusal) || len(refusal.Items) != 1 || refusal.Items[0].Pointer != "/name" {
			t.Errorf("a name with %U: %v", c, err)
		}
		v, err := wire.Parse([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		if p, err := ReadStoredProfile(v); err != nil || !strings.ContainsRune(p.Name, c) {
			t.Errorf("a stored name with %U: %v", c, err)
		}
	}
	for _, blank := range []string{" ", "\\u200d", "\\u3164", " \\u200c "} {
		if _, err := profileOf(t, strings.Replace(fullProfile, "Asha Finance Limited", blank, 1)); err == nil {
			t.Errorf("a name of %s is accepted", blank)
		}
	}
	if _, err := profileOf(t, strings.Replace(fullProfile, "आशा", "आशा\u200d क्\u200cष", 1)); err != nil {
		t.Errorf("joiners are refused: %v", err)
	}
}

// jsonRune returns a character as JSON writes it in a text.
func jsonRune(c rune) string {
	if c > 0xffff {
		return string(c)
	}
	return fmt.Sprintf("\\u%04x", c)
}

// TestLacking checks which texts a language lacks although another language has them.
func TestLacking(t *testing.T) {
	t.Parallel()
	want := []Lacking{{"hi", []string{"charges tele", "loan_types two_wheeler", "note", "penal_charges"}}}
	if diff := cmp.Diff(want, mustProfile(t).Lacking()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := (&Profile{}).Lacking(); got != nil {
		t.Errorf("without texts: %v", got)
	}
}
