package signal

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"verdict/internal/rule"
)

// identified returns the facts of an applicant with one identifier of this
// kind.
func identified(t *testing.T, kind, value string) *rule.Facts {
	t.Helper()
	facts := sentFacts(t, `{"fraud":{"applicant_ref":"A-1"}}`)
	for _, s := range sources {
		if s.kind == kind {
			facts.Set(s.fact, rule.Str(value))
		}
	}
	return facts
}

// TestSpellingsAreOneIdentifier checks that different spellings of an
// identifier are the same entity in an application, on the block list and on an
// allow list.
func TestSpellingsAreOneIdentifier(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, normal string
		spellings    []string
	}{
		{KindMobile, "9820012345", []string{
			"9820012345", "+91 98200 12345", "098200-12345", "919820012345", "0091 9820012345", "９８２００１２３４５",
			"९८२००१२३४५", "tel:+919820012345", " 98200\u00a012345\u200b", "(+91) 98200 12345",
		}},
		{KindMobile, "4155552671", []string{"+1 415 555 2671", "001-415-555-2671", "415-555-2671"}},
		{KindEmail, "bad@x.in", []string{
			"bad@x.in", "BAD@X.IN", "<bad@x.in>", "bad@x.in.", "Bad Person <bad@x.in>", "mailto:bad@x.in", "bad@x.in;",
			"ｂａｄ＠x.in", " bad@x.in\u200b",
		}},
		{KindBeneficiaryAccount, "501000004321", []string{
			"501000004321", "5010 0000-4321", "５０１０００００４３２１", "५०१०००००४३२१", "5010\u200b00004321",
		}},
		{KindBeneficiaryAccount, "777788881234", []string{"777788881234", "000777788881234", "0007 7778 8881 234"}},
		{KindBeneficiaryAccount, "50100123456789", []string{"50100123456789", "0050100123456789"}},
		{KindBeneficiaryAccount, "00012", []string{"00012"}}, // too short if the leading zeros were removed
		{KindEmail, "badperson@gmail.com", []string{
			"bad.person@gmail.com", "BadPerson+loan7@gmail.com",
			"b.a.d.person+1+2@googlemail.com", "badperson@googlemail.com",
		}},
		{KindEmail, "bad.person@x.in", []string{"bad.person+loan@x.in", "bad.person@x.in"}},
		{KindEmail, "+loan@x.in", []string{"+loan@x.in"}},
		{KindBeneficiaryAccount, "SBIN00004321", []string{"sbin-0000 4321", "ＳＢＩＮ00004321"}},
		{KindDevice, "9774d56d682e549c", []string{"9774d56d682e549c", " 9774d56d682e549c ", "９774d56d682e549c"}},
		{KindAgent, "AG-7", []string{"AG-7", " AG-7\t", "ＡＧ-７"}},
		{KindPincode, "400001", []string{"400001", "４０００01"}},
		{KindIP, "49.36.1.2", []string{"49.36.1.2", "::ffff:49.36.1.2"}},
	} {
		for _, spelling := range c.spellings {
			facts := identified(t, c.kind, spelling)
			want := testKey(c.kind, c.normal)
			if e, _ := Observe(facts, testKey).Entity(c.kind); e.Key != want {
				t.Errorf("%s %q is observed as %q", c.kind, spelling, e.Key)
			}
			if e, problem := NewEntity(c.kind, spelling, testKey); e.Key != want {
				t.Errorf("%s %q is listed as %q: %s", c.kind, spelling, e.Key, problem)
			}
			if flawed := Unusable(facts); len(flawed) > 0 {
				t.Errorf("%s %q is unusable: %v", c.kind, spelling, flawed)
			}
		}
	}
}

// TestOlderSpellings checks that an entity also has the key of the spelling that
// was sent, because the entity may have been stored under that key before. An
// allow list that was sealed with that spelling must still allow the entity.
func TestOlderSpellings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, sent, older string }{
		{KindBeneficiaryAccount, "000777788881234", "000777788881234"},
		{KindBeneficiaryAccount, "777788881234", ""},
		{KindEmail, "Bad.Person+1@gmail.com", "bad.person+1@gmail.com"},
		{KindEmail, "badperson@gmail.com", ""},
		{KindMobile, "+91 98200 12345", ""},
	} {
		want := ""
		if c.older != "" {
			want = testKey(c.kind, c.older)
		}
		e, _ := Observe(identified(t, c.kind, c.sent), testKey).Entity(c.kind)
		if e.Older != want {
			t.Errorf("%s %q: older key %q, want %q", c.kind, c.sent, e.Older, want)
		}
		if e.Older != "" && !listed([]Account{{Kind: c.kind, Key: e.Older}}, e) {
			t.Errorf("%s %q: an older entry of the allow list is lost", c.kind, c.sent)
		}
		if listed([]Account{{Kind: c.kind}}, e) {
			t.Errorf("%s %q: an entry without a key allows it", c.kind, c.sent)
		}
	}
}

// TestUnusableIdentifiers checks that values that identify nobody are not
// entities, cause a warning, and cannot be added to a list.
func TestUnusableIdentifiers(t *testing.T) {
	t.Parallel()
	words := []string{"NA", "N/A", "n.a.", "null", "NULL", "None", "nil", "-", "--", "0", "0000", "00000000000000",
		"unknown", "", "  ", "ＮＡ"}
	more := map[string][]string{
		KindBeneficiaryAccount: {"9999999999", "0001111111", "00123456789", "1111", "XXXXXXXXXX", "1234567890",
			"XXXXXX4321", "5010XXXX4321", "****4321", "••••4321", "12", strings.Repeat("1234", 9)},
		KindMobile: {
			"9999999999", "+91 99999 99999", "9876543210", "+91 98765-43210", "0000000000", "1234567890", "98200",
			"982001234", "98200123456", "9820012345 x5", "98200O2345", "98xxxxxx45", "******2345",
			"98200 12345, 98200 54321", "1982001234567890",
		},
		KindEmail: {
			"bad", "bad@", "@x.in", "bad@x", "bad@x..in", "bad@@x.in", "bad@x.in, worse@x.in", "bad@x.in worse@x.in",
			"b**@x.in", "noemail@gmail.com", "no.email@x.in", "test@gmail.com", "na@gmail.com", "abc@abc.com",
			"xyz@gmail.com", "test@example.com", "dummy+1@x.in", "na@na.com", "none@none.com", "test@test.com",
			"<bad@x.in", "bad person@x.in",
		},
		KindDevice: {"00000000-0000-0000-0000-000000000000", "02:00:00:00:00:00", "ffffffff", "undefined"},
		KindAgent:  {"000", "#"},
		KindIP: {
			"10.0.0.7", "192.168.1.1", "172.16.3.4", "127.0.0.1", "::1", "fd00::1", "fe80::1", "100.64.1.1",
			"100.127.255.254", "0.0.0.0", "::", "169.254.1.1", "255.255.255.255", "224.0.0.1", "::ffff:10.1.2.3",
		},
	}
	for kind, values := range more {
		if kind != KindIP {
			values = append(values, words...)
		}
		for _, value := range values {
			facts := identified(t, kind, value)
			if e, found := Observe(facts, testKey).Entity(kind); found {
				t.Errorf("%s %q is observed as %v", kind, value, e)
			}
			if flawed := Unusable(facts); len(flawed) != 1 || strings.Contains(flawed[0].Text,
				value) && len(value) > 3 {
				t.Errorf("%s %q: %v", kind, value, flawed)
			}
			if e, problem := NewEntity(kind, value, testKey); problem == "" {
				t.Errorf("%s %q can be listed as %v", kind, value, e)
			}
		}
	}
}

// TestApplicantPlaceholder checks that a placeholder is not counted as an
// applicant.
func TestApplicantPlaceholder(t *testing.T) {
	t.Parallel()
	for _, ref := range []string{"NA", "n/a", "0", "null", "-", "none", "000000"} {
		facts := sentFacts(t, fmt.Sprintf(`{"fraud":{"applicant_ref":%q}}`, ref))
		if o := Observe(facts, testKey); o.Counted() {
			t.Errorf("%q is the person %q", ref, o.ApplicantRef)
		}
	}
}

// TestDigitsComeInTens checks that the digits of every script are groups of ten
// code points that begin with zero, because digitValue relies on this.
func TestDigitsComeInTens(t *testing.T) {
	t.Parallel()
	for _, in := range unicode.Nd.R16 {
		if in.Stride != 1 || (in.Hi-in.Lo+1)%10 != 0 {
			t.Errorf("%x to %x", in.Lo, in.Hi)
		}
	}
	for _, in := range unicode.Nd.R32 {
		if in.Stride != 1 || (in.Hi-in.Lo+1)%10 != 0 {
			t.Errorf("%x to %x", in.Lo, in.Hi)
		}
	}
}
