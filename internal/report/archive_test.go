package report

import (
	"encoding/hex"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/civil"
)

func archived() (*History, *Statement) {
	h := &History{
		Reported: civil.DayOf(2026, 11, 10), HasAccounts: true, HasEnquiries: true, Last7: NoCount, Last30: 1,
		Last90: 2, Last180: 3, Accounts: []Account{
			{
				Product: CreditCard, Live: true, Adverse: Settled | SuitFiled, Opened: civil.DayOf(2020, 2, 29),
				Closed: civil.NoDay, Reported: civil.DayOf(2026, 10, 31), SanctionedPaise: 200_000_00,
				BalancePaise: NoAmount, OverduePaise: 0, InstalmentPaise: NoAmount, AdversePaise: 1, At: 3,
				ConvertedPaise: NoAmount, WrittenOffPaise: NoAmount, SettledPaise: NoAmount, WrittenOffDay: civil.NoDay,
				SettledDay: civil.NoDay,
				History:    []Payment{{Month: 2026*12 + 9, DaysPastDue: 31}, {Month: 2026*12 + 8}},
			},
			{
				Opened: civil.NoDay, Closed: civil.NoDay, Reported: civil.NoDay,
				ConvertedPaise: NoAmount, WrittenOffPaise: NoAmount, SettledPaise: NoAmount, WrittenOffDay: civil.NoDay,
				SettledDay: civil.NoDay,
			},
		},
		Enquiries: []Enquiry{{Made: civil.DayOf(1969, 12, 31), Product: HomeLoan, AmountPaise: NoAmount, At: 1}},
	}
	s := &Statement{
		DeclaredIncomePaise: NoAmount, DeclaredInstalmentPaise: 900000, DueInstalmentPaise: NoAmount, Breaks: 2,
		Transactions: []Transaction{
			{
				Day:          civil.DayOf(2026, 10, 1),
				Credit:       true,
				Channel:      Transfer,
				Found:        Income | Salary,
				AmountPaise:  62_000_00,
				BalancePaise: -5,
				At:           1,
			},
			{Day: civil.DayOf(2026, 10, 1), Channel: UPI, AmountPaise: 1, BalancePaise: NoAmount},
		},
	}
	return h, s
}

// archivedOwners returns a history that needs archive version 2.
func archivedOwners() *History {
	h, _ := archived()
	h.Accounts[0].Owner, h.Accounts[0].SettledPaise, h.Accounts[0].SettledDay = Guarantor, 0, civil.DayOf(2025, 1, 2)
	h.Accounts[1].WrittenOffPaise, h.Accounts[1].WrittenOffDay, h.Accounts[1].Microfinance = 5, 0, true
	h.Accounts[1].ConvertedPaise = 433_33
	more, _ := archived()
	h.Microfinance = more.Accounts
	h.Microfinance[0].Owner = Joint
	return h
}

// firstVersion is the encoding of archived() by the release before account owners
// were added.
const firstVersion = "0102bec4020202010204060406020ca29e02ffffffff0faac40280b48913ffffffffffffffffff0100" +
	"ffffffffffffffffff0102060482fc023e80fc0200000000ffffffff0fffffffff0fffffffff0f0000000000000002" +
	"010cffffffffffffffffff010202ffffffffffffffffff01c0ee6d0404eec30202040680ebf40509020000020002ffffffffffffffffff0100"

// TestArchiveOfTheFirstVersion checks that archives of an earlier release can
// be read, and that histories that fit version 1 are still encoded as the same
// bytes.
func TestArchiveOfTheFirstVersion(t *testing.T) {
	t.Parallel()
	history, statement := archived()
	if got := hex.EncodeToString(Archive(history, statement)); got != firstVersion {
		t.Errorf("it is written as\n%s, and was as\n%s", got, firstVersion)
	}
	data, err := hex.DecodeString(firstVersion)
	if err != nil {
		t.Fatal(err)
	}
	h, s, err := ReadArchive(data)
	if diff := cmp.Diff(history, h) + cmp.Diff(statement, s); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestArchiveComesBack(t *testing.T) {
	t.Parallel()
	history, statement := archived()
	for _, c := range []struct {
		h *History
		s *Statement
	}{
		{history, statement},
		{archivedOwners(), statement},
		{archivedOwners(), nil},
		{history, nil},
		{nil, statement},
		{nil, nil},
		{&History{}, &Statement{DueInstalmentPaise: NoAmount}},
	} {
		h, s, err := ReadArchive(Archive(c.h, c.s))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.h, h); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(c.s, s); diff != "" {
			t.Errorf("statement (-want +got):\n%s", diff)
		}
	}
}

func TestArchiveRefusesWhatItDidNotWrite(t *testing.T) {
	t.Parallel()
	whole := Archive(archived())
	for _, whole := range [][]byte{whole, Archive(archivedOwners(), nil)} {
		for n := range whole {
			if _, _, err := ReadArchive(whole[:n]); err == nil {
				t.Errorf("the first %d of %d bytes are read", n, len(whole))
			}
		}
	}
	for name, data := range map[string][]byte{
		"empty": nil, "another version": append([]byte{9}, whole[1:]...),
		"more": append(whole[:len(whole):len(whole)], 0),
	} {
		if _, _, err := ReadArchive(data); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}

func FuzzReadArchive(f *testing.F) {
	f.Add(Archive(archived()))
	f.Add(Archive(nil, nil))
	f.Add(Archive(archivedOwners(), nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, s, err := ReadArchive(data)
		if err != nil {
			return
		}
		again, more, err := ReadArchive(Archive(h, s))
		if diff := cmp.Diff(h, again) + cmp.Diff(s, more); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	})
}
