package replay_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"verdict/internal/proof"
	"verdict/internal/store/storetest"
)

// TestLong verifies every corpus on both databases; "make replay" runs it. It
// also verifies a million decisions in a separate process, whose memory must not
// grow with the number of decisions. It writes the results to a file.
func TestLong(t *testing.T) {
	t.Parallel()
	if os.Getenv("VERDICT_LONG") == "" {
		t.Skip("make replay runs it")
	}
	rows := [][]string{{"what", "decisions", "seconds", "per second", "peak memory"}}
	binary := filepath.Join(t.TempDir(), "verdict")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "verdict/cmd/verdict").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, file := range corpora(t) {
		for kind, databaseURL := range map[string]string{
			"SQLite":     storetest.SQLite(t),
			"PostgreSQL": storetest.Postgres(t),
		} {
			restored(t, file, databaseURL)
			one := verifyProcess(t, binary, databaseURL)
			rows = append(rows, one.row(filepath.Base(file)+" on "+kind))
		}
	}
	databaseURL := storetest.SQLite(t)
	files := corpora(t)
	db, _ := restored(t, files[len(files)-1], databaseURL)
	drawnAgain(t, db, corpusPolicies)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	few := verifyProcess(t, binary, databaseURL)
	many := multiply(t, databaseURL, few.decisions, million())
	all := verifyProcess(t, binary, databaseURL)
	if all.decisions != many {
		t.Errorf("%d decisions were verified of %d", all.decisions, many)
	}
	// The peak varies because of read-ahead and garbage collection. Holding ten
	// thousand decisions in memory would add 40 MiB.
	if all.peakKiB > 2*few.peakKiB+32<<10 {
		t.Errorf("memory grows with the number of decisions: from %d to %d KiB", few.peakKiB, all.peakKiB)
	}
	rows = append(rows, all.row("the same decisions, repeated, on SQLite"))
	text := proof.Origin(t.Context(), time.Now(), "make replay") + "\n" + proof.Table(rows) +
		fmt.Sprintf("\nEvery decision had the same hash as its answer. So had the %d requests of the newest corpus, "+
			"which were read and decided again.\n", corpusPolicies*perPolicy)
	t.Log(text)
	if t.Failed() {
		return // do not document results of a failed test
	}
	if err := proof.Write(os.Getenv(proof.Variable), "replay", text); err != nil {
		t.Error(err)
	}
}

// million returns how many decisions TestLong verifies. VERDICT_REPLAY_DECISIONS can set another number.
func million() int64 {
	if n, err := strconv.ParseInt(os.Getenv("VERDICT_REPLAY_DECISIONS"), 10, 64); err == nil {
		return n
	}
	return 1_000_000
}

// verification is the result of a "verdict verify" process.
type verification struct {
	decisions int64
	took      time.Duration
	peakKiB   int64
}

func (v verification) row(what string) []string {
	return []string{
		what, strconv.FormatInt(v.decisions, 10), fmt.Sprintf("%.1f", v.took.Seconds()),
		fmt.Sprintf("%.0f", float64(v.decisions)/v.took.Seconds()), fmt.Sprintf("%d MiB", v.peakKiB>>10),
	}
}

// verifyProcess runs "verdict verify" and fails the test if the command reports
// an error.
func verifyProcess(t *testing.T, binary, databaseURL string) (v verification) {
	t.Helper()
	var out, said bytes.Buffer
	c := exec.CommandContext(t.Context(), binary, "verify", "-database-url", databaseURL)
	c.Stdout, c.Stderr = &out, &said
	begun := time.Now()
	if err := c.Run(); err != nil {
		t.Fatalf("verify: %v: %s %s", err, &out, &said)
	}
	v.took = time.Since(begun)
	if usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		v.peakKiB = usage.Maxrss
	}
	if _, err := fmt.Sscanf(out.String(), "%d decisions reproduce", &v.decisions); err != nil {
		t.Fatalf("verify says %q", out.String())
	}
	return v
}

// multiply copies the decisions of a SQLite file under other ids until their number is about want. The hash of a
// decision does not include its id. multiply returns the number of decisions.
func multiply(t *testing.T, databaseURL string, have, want int64) int64 {
	t.Helper()
	raw, err := sql.Open("sqlite", strings.TrimPrefix(databaseURL, "sqlite:")+
		"?_pragma=synchronous(off)&_pragma=ignore_check_constraints(1)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = raw.Close() }() // later reads would show a failed write
	const columns = `created_micros, applicant_ref, status, grade, policy_key, policy_id, policy_version, endpoint, ` +
		`engine_version, hash, actor, response, facts`
	// The copies have no entries in the journal, like decisions from before it existed.
	if _, err := raw.ExecContext(t.Context(), "DELETE FROM installation WHERE name = 'journal_complete'"); err != nil {
		t.Fatal(err)
	}
	copies := want / have
	for k := range copies - 1 {
		_, err := raw.ExecContext(t.Context(), `INSERT INTO decisions (tenant_id, environment, id, `+columns+`)
			SELECT tenant_id, environment, id || $1, `+columns+` FROM decisions WHERE id NOT LIKE '%+%'`,
			fmt.Sprintf("+%d", k))
		if err != nil {
			t.Fatal(err)
		}
	}
	return have * copies
}
