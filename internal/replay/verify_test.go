package replay_test

import (
	"bytes"
	"crypto/ed25519"
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"verdict/internal/application"
	"verdict/internal/evidencedesk"
	"verdict/internal/logkey"
	"verdict/internal/proof"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
	"verdict/internal/wire"
)

// leastVerified is the minimum number of decisions that "verdict verify" checks in a second.
const leastVerified = 8_000

// profileVariable is the environment variable with the file for a CPU profile of the verification.
const profileVariable = "VERDICT_VERIFY_PROFILE"

// TestLongVerify stores decisions as the service does, encrypted, with their entries in a signed log, and verifies them
// with everything that "verdict verify" checks. "make replay" does it with a million decisions on each database, and
// then the test checks the rate.
func TestLongVerify(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: PostgreSQL")
	}
	count, long := int64(1_000), os.Getenv("VERDICT_LONG") != ""
	if long {
		count = million()
	}
	rows := [][]string{{"database", "decisions", "seconds", "per second", "processor time of the process for each"}}
	for _, database := range []struct {
		name string
		url  func(testing.TB) string
	}{{"SQLite", storetest.MigratedSQLite}, {"PostgreSQL", storetest.MigratedPostgres}} {
		took, used := verifyStored(t, database.url(t), count)
		rate := float64(count) / took.Seconds()
		rows = append(rows, []string{
			database.name, strconv.FormatInt(count, 10), fmt.Sprintf("%.1f", took.Seconds()), fmt.Sprintf("%.0f", rate),
			(used / time.Duration(count)).Round(time.Microsecond).String(),
		})
		if os.Getenv(proof.Variable) != "" && rate < leastVerified {
			t.Errorf("%s: %.0f decisions were verified a second, and must be at least %d", database.name, rate,
				leastVerified)
		}
	}
	text := proof.Origin(t.Context(), time.Now(), "make replay") + "\n" + proof.Table(rows) +
		"\nThe decisions were stored encrypted and with entries in a signed log. Each was decided again and compared " +
		"with its entry, and the entries with the log. Every tenth had a feature vector.\n"
	t.Log(text)
	if !long || t.Failed() {
		return
	}
	if err := proof.Write(os.Getenv(proof.Variable), "verify", text); err != nil {
		t.Error(err)
	}
}

// verifyStored stores decisions and returns how long it takes to verify them, and the processor time that it takes.
func verifyStored(t *testing.T, databaseURL string, count int64) (took, used time.Duration) {
	t.Helper()
	signed, err := logkey.OpenSigned(filepath.Join(t.TempDir(), "log-key"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = signed.Close() }() // an error does not matter, because nothing is signed any more
	options := usecase.Options{
		Now: time.Now, MasterKey: usecasetest.MasterKey,
		Log: evidencedesk.Options{Key: ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize)),
			Signed: signed},
	}
	db := storetest.Open(t, databaseURL, store.Options{})
	h := usecasetest.Open(t, db, options)
	h.Caller.Plan = tenant.PricePlan{Unmetered: true, StoredBytes: 1 << 40}
	storeDecisions(t, h, count)
	// A call signs only a part of a long journal, so that other logs are signed meanwhile.
	for behind := true; behind; {
		if err := h.Service.Evidence.SignAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		left, err := db.System().Unsigned(t.Context(), store.ScopeName{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		behind = len(left) > 0
	}
	fresh, err := usecase.New(storetest.Open(t, databaseURL, store.Options{}), options) // its caches are empty
	if err != nil {
		t.Fatal(err)
	}
	if name := os.Getenv(profileVariable); name != "" {
		file, err := os.Create(name + "." + db.Kind())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = file.Close() }() // an error is noticed later, when the profile cannot be read
		if err := pprof.StartCPUProfile(file); err != nil {
			t.Fatal(err)
		}
		defer pprof.StopCPUProfile()
	}
	begun, before := time.Now(), processorTime()
	found, err := fresh.Decisions.Audit.Verify(t.Context(), "", nil)
	if err != nil || found.Failed != 0 || found.Checked != count || found.NoEntry != 0 {
		t.Fatalf("verify finds %+v, %v", found, err)
	}
	logs, err := fresh.Evidence.Audit(t.Context(), "")
	if err != nil || len(logs.Wrong) != 0 || logs.Leaves < count {
		t.Fatalf("the logs are %+v, %v", logs, err)
	}
	return time.Since(begun), processorTime() - before
}

// storeDecisions makes decisions, many at a time, so that they are committed together.
func storeDecisions(t *testing.T, h *usecasetest.House, count int64) {
	t.Helper()
	const together = 64
	var next atomic.Int64
	var workers sync.WaitGroup
	for range together {
		workers.Go(func() {
			for i := next.Add(1); i <= count; i = next.Add(1) {
				if err := storeDecision(t, h, i); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	workers.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

// storeDecision makes the decision with the given number. Every tenth decision has a feature vector. Each person
// applies five times.
func storeDecision(t *testing.T, h *usecasetest.House, i int64) error {
	if i%10 == 0 {
		body, err := wire.Parse(fmt.Appendf(nil, `{"bureau":"cibil","features":true,"applicant_ref":"F-%d",
			"report":{"cibil":{"scoreData":{"score":%d},"reportDate":"2026-01-10","accounts":[
			{"accountType":"personal_loan","openDate":"2024-02-11","status":"active","sanctionedAmount":200000,
			"currentBalance":%d,"emi":6900}]}}}`, i/50, 600+i%250, 1000*(i%150)))
		if err != nil {
			return err
		}
		_, err = h.Service.Decisions.Evaluate(t.Context(), h.Caller, application.EvaluateRequest(body), nil)
		return err
	}
	body, err := wire.Parse(fmt.Appendf(nil, `{"applicant":{"id":"A-%d","monthly_income":%d,"foir":0.%d,
		"requested_amount":600000},"bureau_report":{"score":%d,"enquiries_6m":%d,"active_tradelines":4,
		"max_dpd_12m":0}}`,
		i/5, 20_000+i%90_000, 10+i%55, 600+i%250, i%7))
	if err != nil {
		return err
	}
	_, err = h.Service.Decisions.Decide(t.Context(), h.Caller, application.DecisionRequest(body), nil)
	return err
}

// processorTime returns the processor time that this process has used.
func processorTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used) // it cannot fail for this process
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
