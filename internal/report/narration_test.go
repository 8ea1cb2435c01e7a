package report

import (
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// foundNames holds the names of the Found bits, in the order of the bits.
var foundNames = []string{
	"income", "salary", "loan_instalment", "card_bill", "bill_payment", "investment", "charge", "loan_credit",
	"self_transfer", "mandate", "cheque", "issued_bounce", "deposited_return", "refund",
}

var channelNames = [...]string{OtherChannel: "other", UPI: "upi", Transfer: "transfer", Cash: "cash"}

func foundText(f Found) string {
	var names []string
	for bit, name := range foundNames {
		if f&(1<<bit) != 0 {
			names = append(names, name)
		}
	}
	if names == nil {
		return "-"
	}
	return strings.Join(names, " ")
}

// readBank reads a bank summary and returns the statement and the warnings. It
// fails the test if there are faults.
func readBank(tb testing.TB, document string, asOf civil.Day) (*Statement, []fault.Item) {
	tb.Helper()
	v, err := wire.Parse([]byte(document))
	if err != nil {
		tb.Fatal(err)
	}
	var faults, warnings fault.List
	s := ReadStatement(v, asOf, &faults, &warnings)
	if err := faults.Err(); err != nil {
		tb.Fatal(err)
	}
	return s, warnings.Items()
}

func TestNarrations(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/narrations.txt")
	if err != nil {
		t.Fatal(err)
	}
	cases := 0
	for line := range strings.Lines(string(data)) {
		parts := strings.Split(strings.TrimSpace(line), "|")
		if strings.HasPrefix(line, "#") || len(parts) != 3 {
			continue
		}
		cases++
		head := strings.Fields(parts[0])
		var w wire.Writer
		w.Object().Key("transactions").Array().Object().
			Key("date").String("2026-08-05").Key("type").String(head[0]).Key("mode").String(head[1]).
			Key("amount").Int(5000).Key("narration").String(strings.TrimSpace(parts[1])).
			EndObject().EndArray().EndObject()
		s, _ := readBank(t, string(w.Buf), civil.DayOf(2026, 11, 15))
		got := s.Transactions[0]
		text := channelNames[got.Channel] + ": " + foundText(got.Found)
		if want := strings.Join(strings.Fields(parts[2]), " "); text != want {
			t.Errorf("%s\n got %s\nwant %s", strings.TrimSpace(line), text, want)
		}
	}
	if cases < 150 {
		t.Errorf("only %d narrations were read", cases)
	}
}

// TestEightLetters compares the result of reading eight bytes together with the
// result of reading them one by one.
func TestEightLetters(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := string(
			rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom([]byte("AZaz@[`{09/")), rapid.Byte()), 0, 20).Draw(t, "text"))
		want, end := uint64(0), 0
		for ; end < min(8, len(text)) && capital[text[end]] >= 'A'; end++ {
			want |= uint64(capital[text[end]]) << (8 * end)
		}
		if got, at := eightLetters(text, 0); got != want || at != end {
			t.Fatalf("%q: got %x up to %d, want %x up to %d", text, got, at, want, end)
		}
	})
}

// TestVocabularyFits checks that the hash table is sparse, that every word is
// found, and that no word is longer than maxWord.
func TestVocabularyFits(t *testing.T) {
	t.Parallel()
	n := 0
	for _, line := range lexicon {
		for word := range strings.FieldsSeq(line.list) {
			n++
			if len(word) > maxWord || word != strings.ToUpper(word) {
				t.Errorf("%s can never be found", word)
			}
			if got := readNarration("x/" + word + "-1").words; got&line.words != line.words {
				t.Errorf("%s is not found", word)
			}
		}
	}
	if 3*n > wordSlots {
		t.Errorf("%d words are too many for %d slots", n, wordSlots)
	}
}
