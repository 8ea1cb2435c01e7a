package httpapi_test

import (
	"crypto/ed25519"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"verdict/internal/capsule"
	"verdict/internal/evidence"
	"verdict/internal/tenant"
)

// TestEvidence reads the log, a proof and a capsule, with keys that may read nothing else. It verifies them as an
// examiner does.
func TestEvidence(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		m.get("/v1/log/checkpoint").refused(http.StatusNotFound, "not_found")
		id := m.post("/v1/decisions", sample).want(http.StatusOK).text("decision_id")
		if got, err := s.trySend("GET", "/v1/decisions/"+id+"/proof", m.key, ""); err != nil ||
			got.status != http.StatusConflict || got.text("code") != "not_signed_yet" {
			s.Errorf("a proof before the first checkpoint: %v, %s", err, got.body)
		}

		auditor := m.with(tenant.Sandbox, tenant.LogRead, m.userID)
		published := string(auditor.get("/v1/log/key").want(http.StatusOK).body)
		log, err := note.NewVerifier(strings.TrimSpace(published))
		if err != nil {
			s.Fatal(err)
		}
		keys, err := evidence.ParseLogKeys(published)
		if err != nil {
			s.Fatal(err)
		}
		signed := auditor.get("/v1/log/checkpoint").want(http.StatusOK)
		c, err := evidence.OpenCheckpoint(signed.body, log)
		if err != nil || c.Size < 1 {
			s.Errorf("the checkpoint is %+v, %v", c, err)
		}
		leaves := auditor.get(fmt.Sprintf("/v1/log/tile/entries/000.p%%2F%d", c.Size)).want(http.StatusOK).body
		path := fmt.Sprint("/v1/log/tile/entries/000.p/", c.Size)
		if plain, err := s.trySend("GET", path, auditor.key, ""); err != nil || string(plain.body) != string(leaves) {
			s.Errorf("the same tile with a slash: %v, %s", err, plain.body)
		}
		proof, err := evidence.ParseProof(auditor.get("/v1/decisions/" + id + "/proof").want(http.StatusOK).body)
		if err != nil {
			s.Fatal(err)
		}
		var leaf []byte
		for range proof.Index + 1 {
			end := 2 + int(binary.BigEndian.Uint16(leaves))
			leaf, leaves = leaves[2:end], leaves[end:]
		}
		if _, err := proof.Verify(leaf, log); err != nil || !strings.Contains(string(leaf), id) {
			s.Errorf("%s: %v", leaf, err)
		}
		for _, path := range []string{"/v1/decisions/" + id + "/capsule", "/v1/decisions/" + id} {
			auditor.get(path).refused(http.StatusForbidden, "insufficient_scope")
		}

		examiner := m.with(tenant.Sandbox, tenant.EvidenceRead, m.userID)
		examiner.get("/v1/log/checkpoint").refused(http.StatusForbidden, "insufficient_scope")
		read, err := capsule.Parse(examiner.get("/v1/decisions/" + id + "/capsule").want(http.StatusOK).body)
		if err != nil {
			s.Fatal(err)
		}
		if r := read.Check(keys, nil); r.Decided != nil || r.Logged != nil {
			s.Errorf("%+v", r)
		}
		if got := m.get("/v1/audit?object=" + id); !strings.Contains(string(got.body), "decision.capsule_read") {
			s.Errorf("the audit trail is %s", got.body)
		}
		for _, path := range []string{
			"/v1/log/tile/0/000", "/v1/log/tile/1/000.p%2F1", "/v1/log/tile/0/%2E%2E%2Fkey", "/v1/log/tile/x/y",
			"/v1/log/tile/entries/000.p%2F200", "/v1/log/tile/data/000.p%2F1",
		} {
			auditor.get(path).refused(http.StatusNotFound, "not_found")
		}
	})
}

// TestEvidenceIsIsolated checks that each environment of each tenant has a log of its own.
func TestEvidenceIsIsolated(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		asha, ravi := s.signup(), s.signup()
		id := asha.post("/v1/decisions", sample).want(http.StatusOK).text("decision_id")
		asha.get("/v1/log/checkpoint").want(http.StatusOK)
		live := asha.with(tenant.Live, tenant.Admin, asha.userID)
		for _, other := range []*member{ravi, live} {
			for _, path := range []string{"/v1/decisions/" + id + "/proof", "/v1/decisions/" + id + "/capsule"} {
				other.get(path).refused(http.StatusNotFound, "not_found")
			}
			for n := range 20 { // the log may contain the rule sets of the signup
				got, err := s.trySend("GET", fmt.Sprint("/v1/log/tile/entries/000.p/", n+1), other.key, "")
				if err != nil || strings.Contains(string(got.body), id) {
					s.Errorf("another log has the decision: %v, %s", err, got.body)
				}
			}
			if string(other.get("/v1/log/key").body) == string(asha.get("/v1/log/key").body) {
				s.Error("two logs have the same name")
			}
		}
	})
}

// TestCosignatures lets a witness cosign the log with a key that may only read the log. Afterwards the capsule shows
// when the witness saw this state of the log.
func TestCosignatures(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		id := m.post("/v1/decisions", sample).want(http.StatusOK).text("decision_id")
		m.get("/v1/log/checkpoint").want(http.StatusOK) // the stack signs the log before this request
		auditor := m.with(tenant.Sandbox, tenant.LogRead, m.userID)
		published := string(auditor.get("/v1/log/key").want(http.StatusOK).body)
		keys, err := evidence.ParseLogKeys(published)
		if err != nil {
			s.Fatal(err)
		}
		signed := auditor.get("/v1/log/checkpoint").want(http.StatusOK).body
		c, _, err := keys.Open(signed)
		if err != nil {
			s.Fatal(err)
		}
		secret := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
		body, err := json.Marshal(map[string]string{
			"checkpoint":  string(signed) + evidence.Cosign(c, "auditor.example", secret, 1_794_900_000),
			"witness_key": evidence.WitnessKeyText("auditor.example", secret),
		})
		if err != nil {
			s.Fatal(err)
		}
		for range 2 { // a second time changes nothing
			if got := auditor.post("/v1/log/cosignatures", string(body)).want(http.StatusOK); got.text("witness") !=
				"auditor.example" || got.text("seen_at") != "2026-11-17T07:20:00Z" {
				s.Errorf("got %s", got.body)
			}
		}
		auditor.post("/v1/log/cosignatures", `{"checkpoint":"x"}`).
			refused(http.StatusUnprocessableEntity, "invalid_field")
		m.with(tenant.Sandbox, tenant.Decide, m.userID).post("/v1/log/cosignatures", string(body)).
			refused(http.StatusForbidden, "insufficient_scope")

		examiner := m.with(tenant.Sandbox, tenant.EvidenceRead, m.userID)
		witnesses, err := capsule.ReadKeys(published, evidence.WitnessKeyText("auditor.example", secret))
		if err != nil {
			s.Fatal(err)
		}
		result, err := capsule.Verify(examiner.get("/v1/decisions/"+id+"/capsule").want(http.StatusOK).body, witnesses)
		want := capsule.Sentence{
			Truth: capsule.Yes, Text: "the witness auditor.example saw this state of the log at 2026-11-17T07:20:00Z",
		}
		if err != nil || !result.Holds || result.Sentences[len(result.Sentences)-1] != want {
			s.Errorf("%+v, %v", result, err)
		}
	})
}
