package report

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// FuzzReadBureau reads arbitrary bytes as a report of any bureau. The history must not exceed the limits, must have
// each month at most once and in order, and must have no date in the future.
func FuzzReadBureau(f *testing.F) {
	files, err := filepath.Glob("../signal/testdata/bureau/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatalf("no golden reports: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, member := range archive.Files {
			if member.Name == "report.json" {
				f.Add(member.Data)
			}
		}
	}
	for _, seed := range []string{
		`{}`, `[]`, `null`,
		`{"accounts":[{"paymentHistory":[{"month":"2026-10","dpd":0},{"month":"2026-10","dpd":1}]}]}`,
		`{"SCORE":[{"BureauScore":[]}],"CAPS":[],"CAIS_Account":[[]]}`,
		`{"HISTORY":[{"NAME":"","DATES":"|","VALUES":""}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := wire.Parse(data)
		if err != nil {
			return
		}
		for _, bureau := range []string{"cibil", "experian", "equifax", "crif", "other"} {
			var faults, warnings fault.List
			h := ReadBureau(bureau, v, today, &faults, &warnings)
			ScoreNumber(Score(bureau, v))
			if warnings.Len() > int(notices) {
				t.Fatalf("%d warnings", warnings.Len())
			}
			if h != nil {
				checkHistory(t, h)
			}
		}
	})
}

func checkHistory(t *testing.T, h *History) {
	t.Helper()
	if len(h.Accounts) > MaxAccounts || len(h.Enquiries) > MaxEnquiries {
		t.Fatalf("%d accounts, %d enquiries", len(h.Accounts), len(h.Enquiries))
	}
	if len(h.Accounts) > 0 && !h.HasAccounts || len(h.Enquiries) > 0 && !h.HasEnquiries {
		t.Fatal("a list that was not there has entries")
	}
	for _, e := range h.Enquiries {
		if !e.Made.Known() || e.Made > today+1 || e.AmountPaise < 0 && e.AmountPaise != NoAmount {
			t.Fatalf("enquiry %+v", e)
		}
	}
	again, _, err := ReadArchive(Archive(h, nil))
	if diff := cmp.Diff(h, again, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Fatalf("archived and read, %v (-want +got):\n%s", err, diff)
	}
	checkAccounts(t, h.Accounts, maxAmountPaise*365/12+1) // a daily instalment is converted to a monthly amount
	checkAccounts(t, h.Microfinance, maxAmountPaise*365/12+1)
}

func checkAccounts(t *testing.T, accounts []Account, most int64) {
	t.Helper()
	if len(accounts) > MaxAccounts {
		t.Fatalf("%d accounts", len(accounts))
	}
	for i := range accounts {
		a := &accounts[i]
		if a.WrittenOffDay > today+1 || a.SettledDay > today+1 || a.Opened > today+1 || a.Closed > today+1 ||
			a.Reported > today+1 {
			t.Fatalf("account %d is of the future", i)
		}
		if a.Live && (a.Closed.Known() || a.Adverse&(WrittenOff|Settled) != 0) {
			t.Fatalf("account %d is live and over", i)
		}
		for _, amount := range []int64{a.SanctionedPaise, a.OverduePaise, a.InstalmentPaise, a.AdversePaise,
			a.WrittenOffPaise, a.SettledPaise} {
			if amount < 0 && amount != NoAmount || amount > most {
				t.Fatalf("account %d has an amount of %d", i, amount)
			}
		}
		if len(a.History) > MaxMonths {
			t.Fatalf("account %d has %d months", i, len(a.History))
		}
		for j, p := range a.History {
			if p.DaysPastDue < 0 || p.Month > (today+1).Month() || j > 0 && p.Month >= a.History[j-1].Month {
				t.Fatalf("account %d: month %d out of order: %+v", i, j, a.History)
			}
		}
	}
}
