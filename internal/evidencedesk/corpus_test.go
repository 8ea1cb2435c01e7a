package evidencedesk_test

import (
	"bytes"
	"crypto/ed25519"
	"os"
	"path/filepath"
	"testing"

	"verdict/internal/capsule"
	"verdict/internal/document"
	"verdict/internal/evidence"
	"verdict/internal/golden"
	"verdict/internal/list"
	"verdict/internal/listdesk"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase/usecasetest"
)

// secondCorpus is the folder of the second corpus of capsules, which every later version must accept. With -update,
// TestSecondCorpus replaces the capsules. Do that only as long as no release has them.
const secondCorpus = "../capsule/testdata/second"

// secondPolicy is a policy that reads a list, a table and own exposure, and has a limit cap and a band with a
// condition.
const secondPolicy = `{"name":"second corpus","include_defaults":true,"exposure":{"max_total":500000},
	"inputs":[{"name":"applicant.employer","type":"string"}],
	"knockouts":[{"id":"KO_EMPLOYER","stage":1,"action":"refer","reason_code":"EMPLOYER",
		"condition_ast":{"op":"in_list","field":"applicant.employer","list":"refused"}}],
	"adjustments":[{"id":"ADJ_TABLE","delta":7,
		"condition_ast":{"op":"gte","field":"table.segments.factor","value":10}}],
	"limit_caps":[{"id":"CAP_TABLE","of":{"op":"mul","args":[{"field":"table.segments.factor"},{"value":20000}]},
		"when":{"op":"exists","field":"table.segments.factor"},"reason_code":"CAP"}]}`

// TestSecondCorpus makes capsules of decisions with everything that came after the first corpus: several people, lists,
// tables, own exposure, limit caps, a log key that was replaced, and the signature of a witness. Each capsule must pass
// all checks.
func TestSecondCorpus(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.SQLite(t), store.Options{})
	if _, err := db.Secrets().SetLogKey(t.Context(), evidence.PublicOf(key)); err != nil {
		t.Fatal(err)
	}
	next := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{8}, ed25519.SeedSize))
	h := open(t, db, newMemory())
	h.Service = nodeWith(t, db, newMemory(), &keyFile{has: next})
	names := map[string]string{"before.json": h.Decided(t, usecasetest.Sample)}
	sign(t, h)
	old := capsuleOf(t, h, names["before.json"])
	change := evidence.NewKeyChange(key, next, "2026-11-17T02:00:00.000Z")
	if done, err := db.Secrets().ReplaceLogKey(t.Context(), change.From, change.To, change.String()); err != nil ||
		!done {
		t.Fatalf("replaced: %t, %v", done, err)
	}
	names["people.json"] = h.Decided(t, withPeople)
	activateSecond(t, h)
	for name, ask := range map[string]string{
		"looked-up.json": `{"applicant_ref":"L-1","applicant":{"monthly_income":850000,"foir":0.1,
			"requested_amount":400000,"employer":"Acme","employment_type":"SALARIED"},
			"bureau_report":{"score":860,"enquiries_6m":0}}`,
		"listed.json": `{"applicant_ref":"L-2","applicant":{"monthly_income":850000,"foir":0.1,
			"requested_amount":400000,"employer":"globex","employment_type":"STUDENT"},
			"bureau_report":{"score":860,"enquiries_6m":0}}`,
	} {
		names[name] = h.Decided(t, ask)
	}
	sign(t, h)
	auditor := witnessNamed("auditor.example")
	if _, err := auditor.cosign(t, h, 1_763_400_000); err != nil {
		t.Fatal(err)
	}
	public, err := h.Service.Evidence.Key(t.Context(), h.Caller)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := capsule.ReadKeys(public, auditor.public())
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"log.pub": []byte(public), "witness.pub": []byte(auditor.public() + "\n")}
	for name, id := range names {
		text := capsuleOf(t, h, id)
		if name == "before.json" { // this capsule was fetched before the key was replaced
			text = old
		}
		files[name] = text
		if result, err := capsule.Verify(text, keys); err != nil || !result.Holds {
			t.Errorf("%s: %+v, %v", name, result, err)
		}
	}
	if !golden.Update() {
		return
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(secondCorpus, name), text, 0o600); err != nil {
			t.Error(err)
		}
	}
}

// capsuleOf returns the text of a capsule.
func capsuleOf(t *testing.T, h *usecasetest.House, id string) []byte {
	t.Helper()
	made, err := h.Service.Evidence.Capsule(t.Context(), h.Caller, id)
	if err != nil {
		t.Fatal(err)
	}
	return append(made.Append(nil), '\n')
}

// activateSecond stores the list and the table that secondPolicy reads, and activates it.
func activateSecond(t *testing.T, h *usecasetest.House) {
	t.Helper()
	_, err := h.Service.Lists.Replace(t.Context(), h.Caller, "refused", listdesk.Upload{
		Type: list.Text, Entries: []listdesk.NewEntry{{Value: "Globex"}},
	}, operation.AnyVersion)
	if err != nil {
		t.Fatal(err)
	}
	upload, err := document.ReadTable("segments")(usecasetest.Parse(t, `{"keys":[{"field":"employment_type"}],
		"columns":[{"name":"factor","type":"number"}],
		"rows":[{"keys":["SALARIED"],"values":[17.5]},{"keys":["STUDENT"],"values":[2]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Service.Tables.Replace(t.Context(), h.Caller, "segments", upload, operation.AnyVersion); err != nil {
		t.Fatal(err)
	}
	made, err := h.Service.Policies.CreateRuleSet(t.Context(), h.Caller, usecasetest.Draft(t, secondPolicy), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Service.Policies.Activate(t.Context(), h.Caller, made.ID, policydesk.Activation{}, nil); err != nil {
		t.Fatal(err)
	}
}
