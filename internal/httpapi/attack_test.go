package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"verdict/internal/proof"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

// TestAttack sends hostile requests to every operation of the contract. The
// requests are derived from the contract and its examples, so that a new
// operation is attacked without a change here. Each kind of attack has its own
// service and database. By default the test tries a random sample, which depends on
// the commit (VERDICT_SEED sets another); with VERDICT_LONG it tries everything.
func TestAttack(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: attacks")
	}
	seed, err := proof.Seed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	doc := loadContract(t)
	s := &siege{doc: doc, requests: exampleRequests(t, doc), long: os.Getenv("VERDICT_LONG") != "", seed: seed}
	t.Cleanup(func() { s.report(t) })
	for _, wave := range []struct {
		kind   string
		attack func(*raid)
		stored bool // the attack reaches the database, so try it on SQLite and PostgreSQL
	}{
		{"credentials", attackCredentials, true},
		{"mass assignment", attackMembers, false},
		{"type confusion", attackTypes, false},
		{"injection", attackTexts, true},
		{"bombs", attackBombs, false},
		{"files", attackFiles, false},
		{"paths and methods", attackPaths, false},
		{"headers", attackHeaders, false},
		{"queries and cursors", attackQueries, true},
	} {
		t.Run(strings.ReplaceAll(wave.kind, " ", "_"), func(t *testing.T) {
			t.Parallel()
			attack := func(t *testing.T, db *store.DB) {
				t.Helper()
				wave.attack(s.raid(t, db, wave.kind))
			}
			if wave.stored || s.long {
				storetest.Each(t, attack)
				return
			}
			attack(t, storetest.Open(t, storetest.MigratedSQLite(t), store.Options{}))
		})
	}
}

// siege holds the data that all attacks share.
type siege struct {
	doc      *openapi3.T
	requests []exampleRequest
	long     bool
	seed     uint64
	tally    proof.Tally
}

// report logs how many requests were sent and how they were answered, and
// writes the figures with package proof if the test passed.
func (s *siege) report(t *testing.T) {
	t.Helper()
	operations := map[*openapi3.Operation]bool{}
	for _, r := range s.requests {
		operations[r.operation] = true
	}
	form := "a seeded part of everything"
	if s.long {
		form = "everything"
	}
	figures := fmt.Sprintf("%d operations and their %d example requests, %d hostile requests (%s, seed %d).\n\n%s",
		len(operations), len(s.requests), s.tally.Total(), form, s.seed, s.tally.Table("attack", "answered with"))
	t.Log(figures)
	if t.Failed() {
		return
	}
	text := proof.Origin(context.WithoutCancel(t.Context()), time.Now(), "make attack") + "\n" + figures
	if err := proof.Write(os.Getenv(proof.Variable), "attack", text); err != nil {
		t.Error(err)
	}
}

// raid is one kind of attack on one service.
type raid struct {
	*stack
	*siege
	kind   string
	what   string // describes the current attempt in messages
	chance *rand.Rand
	owner  *member
	ids    placeholders
}

// Planted values must not appear in refusals or logs. They are distinctive, so
// that no answer or log line contains them by coincidence.
const (
	plantedPassword = "QUAGGA horse battery"
	plantedText     = "QUAGGA"
	plantedNumber   = "7712397713"
)

// raid starts a service and executes all examples on it, so that there is a
// resource of every kind to attack.
func (s *siege) raid(t *testing.T, db *store.DB, kind string) *raid {
	t.Helper()
	fast := tenant.Rate{Allowance: 1_000_000, Window: time.Second, Burst: 1_000_000}
	plans, err := tenant.DefaultPricePlans().WithQuotas("free=unmetered")
	if err != nil {
		t.Fatal(err)
	}
	r := &raid{
		stack: start(t, db, stackOptions{
			plans:  plans.WithRates(tenant.Rates{Decide: fast, Write: fast, Backtest: fast}),
			signup: fast,
			caps:   usecase.Caps{Keys: 1_000}, // the attack on scopes creates a key for each request
		}), siege: s,
		kind: kind, chance: rand.New(rand.NewPCG(s.seed, 0)), ids: placeholders{},
	}
	t.Logf("%s=%d", proof.SeedVariable, s.seed)
	r.begin(november)
	signed := r.send("POST", "/api/signup", "", `{
		"email":"owner@example.in","org_name":"Owner Finance","password":"`+plantedPassword+`"
	}`).want(http.StatusCreated)
	r.owner = &member{
		stack:    r.stack,
		key:      signed.text("api_key"),
		tenantID: signed.text("tenant", "id"),
		userID:   signed.text("user", "id"),
		signed:   signed.object(),
	}
	r.ids["{rule_set_id}"] = signed.text("default_rule_set_id")
	for _, request := range s.requests {
		if public(request.operation) {
			continue
		}
		got := r.send(request.method, r.ids.fill(request.path), r.owner.key, r.ids.fill(request.body),
			request.headers...).want(request.status)
		r.ids.cosign(t, request, got)
		r.ids.startBatches(r.stack, request, r.owner.key)
		if got.header.Get("Content-Type") == "application/json" {
			r.ids.learn(request, got)
		}
	}
	// Cleanups run in reverse order, so the log is checked before anything is
	// closed.
	t.Cleanup(r.checkLog)
	return r
}

// some decides whether to make the next attempt. With VERDICT_LONG it always returns true, and otherwise with a
// probability of 1/of.
func (r *raid) some(of int) bool { return r.long || r.chance.IntN(of) == 0 }

// try sends a request and checks that the contract allows the answer, that the
// answer is no server error, and that a refusal repeats no planted value.
func (r *raid) try(method, path, key, body string, headers ...string) answer {
	r.Helper()
	got, err := r.trySend(method, path, key, body, headers...)
	if err != nil {
		r.Fatalf("%s: %s %.300s: %v", r.what, method, path, err)
	}
	for _, fault := range breaches(r.doc, method, path, body, got) {
		r.Errorf("%s: %s %.300s: %d: %s\n%.1000s", r.what, method, path, got.status, fault, got.body)
	}
	r.judge(got)
	return got
}

// ownWords matches the parts of a request that a refusal may repeat: the
// pointer to a fault, including member names. The author of a policy may also
// see the bounds of bins that overlap or leave a gap, and a name in braces that
// is not a field. None of these describes an applicant.
var ownWords = regexp.MustCompile(`"pointer":"(\\.|[^"\\])*"|` +
	`values from \S+ up to \S+ have (two bins|no bin)|` +
	`\{(\\.|[^"\\}])*\} is not a known field`)

// pointers matches the pointers of a refusal's faults. A detail begins with the
// first pointer.
var pointers = regexp.MustCompile(`"pointer":"((?:\\.|[^"\\])*)"`)

// judge counts an answer. It fails on a server error, and on a refusal that
// repeats a planted value or the key.
func (r *raid) judge(got answer) {
	r.Helper()
	r.tally.Add(r.kind, strconv.Itoa(got.status))
	if got.status >= http.StatusInternalServerError {
		r.Errorf("%s: %.300s: %d: %s", r.what, got.sent, got.status, got.body)
	}
	if got.status < http.StatusBadRequest {
		return
	}
	shown := string(got.body)
	for _, pointer := range pointers.FindAllStringSubmatch(shown, -1) {
		shown = strings.ReplaceAll(shown, `"detail":"`+pointer[1], "")
	}
	shown = ownWords.ReplaceAllString(shown, "") + fmt.Sprint(got.header)
	for _, secret := range []string{plantedText, plantedNumber, r.owner.key, r.owner.key[len("vk_sandbox_"):]} {
		if strings.Contains(shown, secret) {
			r.Errorf("%s: %.300s: the refusal repeats %s: %s", r.what, got.sent, secret, shown)
		}
	}
}

// checkLog fails unless every log line is a JSON record below the level
// "ERROR", and no line contains a planted value, a key, or the owner's email
// address or name.
func (r *raid) checkLog() {
	r.Helper()
	log := r.log.String()
	lines := strings.Split(strings.TrimSuffix(log, "\n"), "\n")
	for _, line := range lines {
		var record struct{ Time, Level, Msg string }
		err := json.Unmarshal([]byte(line), &record)
		if err != nil || record.Time == "" || record.Level == "" || record.Msg == "" {
			r.Fatalf("a line of the log is no record: %.500s", line)
		}
		if record.Level == "ERROR" || strings.Contains(record.Msg, "panic") {
			r.Errorf("the log tells of a mistake: %.3000s", line)
		}
	}
	for _, secret := range []string{
		plantedText, plantedNumber, "vk_sandbox_", "vk_live_", "owner@example.in", "Owner Finance",
	} {
		if at := strings.Index(log, secret); at >= 0 {
			r.Errorf("the log repeats %s: %.300s", secret, log[max(0, at-200):])
		}
	}
	if len(lines) < 10 {
		r.Errorf("only %d requests were logged", len(lines))
	}
}
