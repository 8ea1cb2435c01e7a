package app

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"verdict/internal/proof"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// crowd sends applications to a service and records every answer.
type crowd struct {
	url, key string
	name     string // the prefix of its Idempotency-Keys
	next     atomic.Int64
	done     chan struct{}
	busy     sync.WaitGroup

	mu       sync.Mutex
	answered map[string]string // decision ids by Idempotency-Key
	more     chan struct{}     // signalled when there are more answers
	wrong    []string
}

// gather starts the senders of a crowd.
func gather(url, key, name string) *crowd {
	const people = 6
	c := &crowd{
		url:      url,
		key:      key,
		name:     name,
		done:     make(chan struct{}),
		answered: map[string]string{},
		more:     make(chan struct{}, 1),
	}
	for range people {
		c.busy.Go(func() {
			for {
				select {
				case <-c.done:
					return
				default:
					c.apply()
				}
			}
		})
	}
	return c
}

// apply sends one application. It alternates between stated facts with
// different scores, stated facts that are referred, and a report with features
// and a shared account.
func (c *crowd) apply() {
	n := c.next.Add(1)
	once := fmt.Sprintf("%s-%d", c.name, n)
	path, body := "/v1/decisions", fmt.Sprintf(
		`{"applicant":{"id":"A-%d","monthly_income":85000,"foir":0.32},"bureau_report":{"score":%d,"enquiries_6m":2}}`,
		n, 600+n%250)
	switch n % 3 {
	case 1:
		body = fmt.Sprintf(
			`{
				"applicant":{"id":"A-%d","monthly_income":85000,"foir":0.32},
				"bureau_report":{"score":780,"enquiries_6m":2,"max_dpd_12m":45}
			}`, n)
	case 2:
		path, body = "/v1/evaluate",
			fmt.Sprintf(
				`{"bureau":"cibil","report":{"cibil":{"scoreData":{"score":%d},"reportDate":"2026-01-10",
			"accounts":[{"accountType":"personal_loan",
			"openDate":"2024-02-11","status":"active","sanctionedAmount":200000,"currentBalance":120000,"emi":6900}]}},
			"features":true,
			"fraud":{"applicant_ref":"A-%d","beneficiary_account":"50100%03d","ip":"49.36.12.7","pincode":"400001"}}`,
				640+n%200, n, n%7)
	}
	status, answer, err := (&node{url: c.url}).send(path, c.key, once, body)
	c.mu.Lock()
	defer c.mu.Unlock()
	id, _ := answer["decision_id"].(string)
	if err != nil || status != http.StatusOK || id == "" {
		c.wrong = append(c.wrong, fmt.Sprintf("%s: %d %v %v", once, status, answer, err))
		return
	}
	c.answered[once] = id
	select {
	case c.more <- struct{}{}:
	default:
	}
}

// send sends an idempotent POST request.
func (n *node) send(path, key, once, body string) (int, map[string]any, error) {
	status, answer, ok := n.call(http.MethodPost, path, key, once, body)
	if !ok {
		return status, answer, fmt.Errorf("no whole answer to %s", path)
	}
	return status, answer, nil
}

// until waits for the given number of further answers, or for a failure. It
// returns all answers so far.
func (c *crowd) until(more int) map[string]string {
	enough := len(c.known()) + more
	for {
		if known := c.known(); len(known) >= enough || len(c.failures()) > 0 {
			return known
		}
		<-c.more
	}
}

func (c *crowd) known() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.answered)
}

func (c *crowd) failures() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wrong
}

// leave stops the senders.
func (c *crowd) leave() {
	close(c.done)
	c.busy.Wait()
}

// TestBackupUnderLoad takes backups of a service from another process while
// applications arrive, and restores them into each kind of database. A backup must be a
// consistent snapshot with every answer given before it began, Verify must reproduce
// every decision in it, and the service must work on the restored database.
func TestBackupUnderLoad(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: load")
	}
	rounds := 1
	if os.Getenv("VERDICT_LONG") != "" {
		rounds = 20
	}
	lines := [][]string{{"from", "into", "backups", "decisions in the last", "restored and verified",
		"answered while they were taken", "longest, held until 40 more were answered", "largest"}}
	//nolint:thelper // these functions are the test itself: report failures at their own lines
	t.Run("from", func(t *testing.T) {
		var mu sync.Mutex
		storetest.EachURL(t, func(t *testing.T, databaseURL string) {
			found := backupRounds(t, databaseURL, rounds)
			mu.Lock()
			defer mu.Unlock()
			lines = append(lines, found.row())
		})
	})
	text := proof.Origin(t.Context(), time.Now(), "make replay") + "\n" + proof.Table(lines)
	t.Log(text)
	if rounds == 1 || t.Failed() {
		return // document only long runs that passed
	}
	if err := proof.Write(os.Getenv(proof.Variable), "backup", text); err != nil {
		t.Error(err)
	}
}

// backups holds the results of rounds of backup and restore.
type backups struct {
	kind                   string
	rounds, last, restored int64
	during                 int
	longest                time.Duration
	largest                int
}

func (b *backups) row() []string {
	return []string{
		b.kind, "sqlite and postgres", fmt.Sprint(b.rounds), fmt.Sprint(b.last), fmt.Sprint(b.restored),
		fmt.Sprint(b.during), b.longest.Round(time.Millisecond).String(), fmt.Sprintf("%d KiB", b.largest>>10),
	}
}

// backupRounds takes several backups of a busy service.
func backupRounds(t *testing.T, databaseURL string, rounds int) *backups {
	t.Helper()
	a, _, _ := startApp(t, "-database-url", databaseURL, "-rate-decide", "1000000/s", "-log-level", "error")
	key := signUp(t, a)
	operator := storetest.Open(t, databaseURL, store.Options{})
	found := &backups{kind: operator.Kind()}
	for round := range rounds {
		c := gather(a.URL(), key, fmt.Sprintf("round-%d", round))
		before := c.until(60)
		begun := time.Now()
		var backup bytes.Buffer
		during := sync.OnceFunc(func() { c.until(40) })
		stats, err := operator.Backup(t.Context(), &backup, func(string, int64) { during() })
		if err != nil {
			c.leave()
			t.Fatal(err)
		}
		found.longest, found.largest = max(found.longest, time.Since(begun)), max(found.largest, backup.Len())
		found.rounds, found.last, found.during = found.rounds+1, stats.Rows["decisions"],
			found.during+len(c.known())-len(before)
		// Verify must also work under load, and must end although decisions
		// keep arriving.
		verified, err := a.service.Decisions.Audit.Verify(t.Context(), "", nil)
		if err != nil || verified.Failed > 0 || verified.Checked < int64(len(before)) {
			t.Errorf("verify under load: %d of %d wrong, %v", verified.Failed, verified.Checked, err)
		}
		c.leave() // before the restored database is checked
		for _, wrong := range c.failures() {
			t.Error(wrong)
		}
		for _, into := range []func(testing.TB) string{storetest.SQLite, storetest.Postgres} {
			t.Run("restored", func(t *testing.T) {
				target := into(t)
				again, err := store.Restore(t.Context(), target, bytes.NewReader(backup.Bytes()), store.Options{}, nil)
				if err != nil || again.SHA256 != stats.SHA256 {
					t.Fatalf("restore: %v; %s of %s", err, again.SHA256, stats.SHA256)
				}
				checkRestored(t, target, key, before, stats.Rows)
			})
			found.restored += stats.Rows["decisions"]
		}
	}
	return found
}

// checkRestored starts a service on the restored database and checks it against
// the answers of the original service.
func checkRestored(t *testing.T, databaseURL, key string, before map[string]string, rows map[string]int64) {
	t.Helper()
	a, _, _ := startApp(t, "-database-url", databaseURL, "-rate-decide", "1000000/s", "-log-level", "error")
	verified, err := a.service.Decisions.Audit.Verify(t.Context(), "", nil)
	if err != nil || verified.Failed > 0 || verified.Checked != rows["decisions"] {
		t.Errorf("%d of %d decisions do not reproduce, %d are in the backup, %v: %v",
			verified.Failed, verified.Checked, rows["decisions"], err, verified.Wrong)
	}
	n := &node{url: a.URL()}
	if _, usage, _ := n.call(http.MethodGet, "/v1/usage", key, "", ""); usage["used"] != float64(rows["decisions"]) {
		t.Errorf("%d decisions, %v used", rows["decisions"], usage["used"])
	}
	// Every request had an Idempotency-Key, so an answer was stored with each decision.
	if rows["idempotency_keys"] != rows["decisions"] {
		t.Errorf("%d decisions, %d answers kept", rows["decisions"], rows["idempotency_keys"])
	}
	for once, id := range before {
		status, answer, ok := n.call(http.MethodGet, "/v1/decisions/"+id, key, "", "")
		if again, _ := answer["re_explanation"].(map[string]any); !ok || status != http.StatusOK ||
			again["verified"] != true {
			t.Errorf("%s of %s, answered before the backup: %d %v", id, once, status, answer)
		}
	}
	for query, what := range wholes {
		if strays := count(t, databaseURL, query); strays != 0 {
			t.Errorf("%d: %s", strays, what)
		}
	}
	for query, what := range map[string]string{
		"SELECT count(*) FROM decision_features": "feature vectors", "SELECT count(*) FROM referrals": "referrals",
		"SELECT count(*) FROM fraud_alert_evidence": "evidence of alerts",
	} {
		if count(t, databaseURL, query) == 0 {
			t.Errorf("the test leaves no %s behind", what)
		}
	}
	if status, answer, _ := n.call(http.MethodPost, "/v1/decisions", key, "", decisionBody); status != http.StatusOK {
		t.Errorf("the restored service answers %d %v", status, answer)
	}
}

// Each query of wholes counts rows whose related rows are missing. wholes maps the
// query to the error text for such rows.
var wholes = map[string]string{
	`SELECT count(*) FROM decisions d WHERE endpoint = 'POST /v1/evaluate'
		AND NOT EXISTS (SELECT 1 FROM decision_features f
		WHERE f.tenant_id = d.tenant_id AND f.environment = d.environment
		AND f.decision_id = d.id)`: "evaluated without the features asked for",
	`SELECT count(*) FROM decision_features f WHERE NOT EXISTS (SELECT 1 FROM decisions d
		WHERE d.tenant_id = f.tenant_id AND d.environment = f.environment
		AND d.id = f.decision_id)`: "features without a decision",
	`SELECT count(*) FROM decisions d WHERE status = 'REFERRED' AND NOT EXISTS (SELECT 1 FROM referrals r
		WHERE r.tenant_id = d.tenant_id AND r.environment = d.environment
		AND r.decision_id = d.id)`: "referred and not in the queue",
	`SELECT count(*) FROM fraud_alert_evidence e WHERE NOT EXISTS (SELECT 1 FROM fraud_alerts a
		WHERE a.tenant_id = e.tenant_id AND a.environment = e.environment
		AND a.id = e.alert_id)`: "evidence without an alert",
	`SELECT count(*) FROM fraud_alert_evidence e WHERE part = 'decision' AND NOT EXISTS (SELECT 1 FROM decisions d
		WHERE d.tenant_id = e.tenant_id AND d.environment = e.environment
		AND d.id = e.ref)`: "evidence without a decision",
}

// count runs a query directly on the database.
func count(t *testing.T, databaseURL, query string) (n int64) {
	t.Helper()
	raw := storetest.Raw(t, databaseURL)
	tx, err := raw.BeginTx(context.WithoutCancel(t.Context()), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }() // nothing was changed
	if strings.HasPrefix(databaseURL, "postgres") {
		if _, err := tx.ExecContext(t.Context(), "SELECT set_config('verdict.role', 'system', true)"); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}
