package decisioning_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"verdict/internal/application"
	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/privacydesk"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
	"verdict/internal/wire"
)

// canary is an income that must be stored only encrypted.
const canary = "87654321"

// canaryRequest is a decision request whose facts and answer contain the canary.
const canaryRequest = `{"applicant":{"id":"A-%","monthly_income":` + canary + `,"foir":0.32,"requested_amount":600000},
	"bureau_report":{"score":742,"enquiries_6m":2,"active_tradelines":4,"max_dpd_12m":0}}`

// storedBytes returns everything that the database stores about decisions: on SQLite its
// files, on PostgreSQL the rows as texts.
func storedBytes(t *testing.T, databaseURL string) []byte {
	t.Helper()
	if file, embedded := store.FileOf(databaseURL); embedded {
		var all []byte
		for _, name := range []string{file, file + "-wal"} {
			content, err := os.ReadFile(name)
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			all = append(all, content...)
		}
		return all
	}
	tx, err := storetest.Raw(t, databaseURL).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }() // the transaction only reads
	if _, err := tx.ExecContext(t.Context(), "SELECT set_config('verdict.role', 'system', true)"); err != nil {
		t.Fatal(err)
	}
	var all []byte
	for _, query := range []string{
		"SELECT concat(applicant_ref, plain)::bytea || response || facts FROM decisions",
		"SELECT vector || source FROM decision_features", "SELECT request || response FROM agent_runs",
		"SELECT body FROM idempotency_keys", "SELECT facts FROM decision_people",
	} {
		rows, err := tx.QueryContext(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var row []byte
			if err := rows.Scan(&row); err != nil {
				t.Fatal(err)
			}
			all = append(all, row...)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// decideFor decides the canary request for an applicant, with an idempotency key, and returns
// the answer. include is a member of the request, or "".
func decideFor(t *testing.T, h *usecasetest.House, service *usecase.Set, name, include string) []byte {
	t.Helper()
	body := strings.Replace(canaryRequest, "%", name, 1)
	body = strings.Replace(body, "{", "{"+include, 1)
	reply := operation.Reply[decisioning.Decided]{
		Idempotency: &operation.Idempotency{Route: "POST /v1/decisions", Key: name, Hash: name},
	}
	request := application.DecisionRequest(usecasetest.Parse(t, body))
	decided, err := service.Decisions.Decide(t.Context(), h.Caller, request, &reply)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(reply.Answer(decided).Body)
}

// TestDecisionsAreStoredEncrypted checks that the database does not contain the canary unencrypted, and that the
// decision, its repeated answer and its explanation can still be read.
func TestDecisionsAreStoredEncrypted(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		h := usecasetest.Open(t, db, usecase.Options{})
		for _, include := range []string{"", `"include":["facts"],`} {
			name := "plain"
			if include != "" {
				name = "facts"
			}
			answer := decideFor(t, h, h.Service, name, include)
			if again := decideFor(t, h, h.Service, name, include); !bytes.Equal(again, answer) {
				t.Errorf("the repeated answer is\n%s\nwant\n%s", again, answer)
			}
			readsAs(t, h, h.Service, answer, include == "")
		}
		stored := storedBytes(t, databaseURL)
		if bytes.Contains(stored, []byte(canary)) {
			t.Error("the canary is stored unencrypted")
		}
		if !bytes.Contains(stored, []byte("A-plain")) { // proves that the search above can find a stored text
			t.Error("the applicant's reference is not stored")
		}
	})
}

// readsAs checks that the decision of an answer is verified, and that its facts and its story can be read. If same
// is true, the stored answer must be equal to answer. same is false for an answer with facts.
func readsAs(t *testing.T, h *usecasetest.House, service *usecase.Set, answer []byte, same bool) {
	t.Helper()
	v, err := wire.Parse(answer)
	if err != nil {
		t.Fatal(err)
	}
	id := v.Get("decision_id").Text()
	caller := h.Caller
	explained, err := service.Decisions.Decision(t.Context(), caller, id, decisioning.WithFacts)
	if err != nil {
		t.Fatal(err)
	}
	if !explained.Again.Verified || same && !bytes.Equal(explained.Response, answer) {
		t.Errorf("%s is stored as\n%s\nverified %v, want\n%s", id, explained.Response, explained.Again, answer)
	}
	var facts wire.Writer
	explained.Facts.Write(&facts)
	if !bytes.Contains(facts.Buf, []byte(canary)) {
		t.Errorf("the facts of %s are %s", id, facts.Buf)
	}
	story, err := service.Decisions.Story(t.Context(), caller, id)
	if err != nil || story.Why != "" {
		t.Errorf("the story of %s: %q, %v", id, story.Why, err)
	}
}

// TestOlderDecisionsAreEncrypted stores decisions without a master key, and then encrypts them with a master key.
// The encryption is interrupted once. Every answer must stay the same, and no canary may be left in the files of
// SQLite.
func TestOlderDecisionsAreEncrypted(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		clock := usecasetest.NewClock()
		off, err := usecase.New(db, usecase.Options{Now: clock.Now, PasswordCost: usecasetest.Cheap})
		if err != nil {
			t.Fatal(err)
		}
		signed, err := off.Operator.Signup(t.Context(), tenant.Signup{
			Email: "asha@example.in", OrgName: "Asha Finance", Password: tenant.NewSecret(usecasetest.Password),
		})
		if err != nil {
			t.Fatal(err)
		}
		caller, err := off.Access.Authenticate(t.Context(), signed.Key)
		if err != nil {
			t.Fatal(err)
		}
		h := &usecasetest.House{T: t, Service: off, Signed: signed, Caller: caller}
		request := application.EvaluateRequest(usecasetest.Parse(t, withFeatures))
		measured, err := off.Decisions.Evaluate(t.Context(), caller, request, nil)
		if err != nil {
			t.Fatal(err)
		}
		joint := strings.Replace(withPeople, `"monthly_income":30000`, `"monthly_income":`+canary, 1)
		for _, primary := range []string{"P-1", "P-2"} { // below, P-2 is erased and C-1 is not
			request := decision(t, strings.Replace(joint, "P-1", primary, 1))
			if _, err := off.Decisions.Decide(t.Context(), caller, request, nil); err != nil {
				t.Fatal(err)
			}
		}
		clock.Pass(60 * 24 * time.Hour) // the offers have ended by then
		if _, err := off.Privacy.Erase(t.Context(), caller,
			privacydesk.NewErasure{ApplicantRef: "P-2", Reason: "other"}, nil); err != nil {
			t.Fatal(err)
		}
		const older = 60 // more than one batch
		answers := make([][]byte, older)
		for i := range answers {
			answers[i] = decideFor(t, h, off, strconv.Itoa(i), "")
		}
		if !bytes.Contains(storedBytes(t, databaseURL), []byte(canary)) {
			t.Fatal("the canary is not stored unencrypted, so this test shows nothing")
		}

		sealed, err := usecase.New(db, usecase.Options{
			Now: clock.Now, PasswordCost: usecasetest.Cheap, MasterKey: usecasetest.MasterKey,
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, interrupt := context.WithCancel(t.Context())
		done, err := sealed.Decisions.Audit.SealOlder(ctx, func(int64) { interrupt() })
		if !errors.Is(err, context.Canceled) || done == 0 || done > older {
			t.Fatalf("%d are done when it is interrupted: %v", done, err)
		}
		readsAs(t, h, sealed, answers[0], true)       // encrypted
		readsAs(t, h, sealed, answers[older-1], true) // still readable
		for range 2 {
			if err := sealed.Protect(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if complete, err := db.System().DocumentsSealed(t.Context()); err != nil || !complete {
			t.Errorf("it is not recorded that all documents are sealed: %v", err)
		}
		if bytes.Contains(storedBytes(t, databaseURL), []byte(canary)) {
			t.Error("the canary is still stored unencrypted")
		}
		for i, answer := range answers {
			readsAs(t, h, sealed, answer, true)
			if again := decideFor(t, h, sealed, strconv.Itoa(i), ""); !bytes.Equal(again, answer) {
				t.Errorf("the repeated answer is\n%s\nwant\n%s", again, answer)
			}
		}
		vector, err := sealed.Decisions.Features(t.Context(), caller, measured.ID,
			decisioning.FeatureFilter{PopulatedOnly: true, Provenance: true}, operation.List{Limit: 5})
		if err != nil || len(vector.Data) == 0 {
			t.Errorf("the features are %v, %v", vector, err)
		}
		found, err := sealed.Decisions.Audit.Verify(t.Context(), "", nil)
		if err != nil || found.Failed != 0 || found.Checked != older+3 || found.Erased != 1 {
			t.Errorf("verify finds %+v, %v", found, err)
		}
		keyless, err := usecase.New(db, usecase.Options{Now: clock.Now})
		if err != nil {
			t.Fatal(err)
		}
		if found, err := keyless.Decisions.Audit.Verify(t.Context(), "", nil); !errors.Is(err, journal.ErrNoMasterKey) {
			t.Errorf("without the master key, verify finds %+v, %v", found, err)
		}
	})
}

// TestRequestHashIsKeyed checks that the stored hash of a request is not the plain hash of its body. With a plain
// hash, somebody could confirm a guess of the body. The test also checks that a repeated request still gets an answer
// that was stored before hashes were keyed.
func TestRequestHashIsKeyed(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		h := usecasetest.Open(t, db, usecase.Options{})
		answer := decideFor(t, h, h.Service, "body", "")
		i := intrude(t, databaseURL, db.Kind())
		stored := i.texts("SELECT request_hash FROM idempotency_keys")
		if len(stored) != 1 || !strings.HasPrefix(stored[0], operation.KeyedPrefix) {
			t.Errorf("stored is %q", stored)
		}
		i.do("UPDATE idempotency_keys SET request_hash = 'body'") // as earlier versions have stored it
		if again := decideFor(t, h, h.Service, "body", ""); !bytes.Equal(again, answer) {
			t.Errorf("the answer of an earlier version is repeated as %s", again)
		}
		i.do("UPDATE idempotency_keys SET request_hash = 'another'")
		reply := operation.Reply[decisioning.Decided]{
			Idempotency: &operation.Idempotency{Route: "POST /v1/decisions", Key: "body", Hash: "body"},
		}
		request := application.DecisionRequest(usecasetest.Parse(t, usecasetest.Sample))
		_, err := h.Service.Decisions.Decide(t.Context(), h.Caller, request, &reply)
		if fault.CodeOf(err) != fault.CodeIdempotencyKeyReused {
			t.Errorf("another request with the same key: %v", err)
		}
	})
}
