package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"verdict/internal/tenant"
)

// TestIsolation checks that no tenant can reach another tenant's resources. It
// derives every way to name a resource from the contract, tries each with
// another tenant's resources, and searches every answer for that tenant's data.
// A new operation is tried without a change here, or fails the test until its
// parameters are classified.
func TestIsolation(t *testing.T) {
	t.Parallel()
	doc := loadContract(t)
	attempts := readAttempts(t, doc)
	fast := tenant.Rate{Allowance: 100_000, Window: time.Second, Burst: 100_000}
	plans := tenant.DefaultPricePlans().WithRates(tenant.Rates{Decide: fast, Write: fast, Backtest: fast})
	each(t, stackOptions{plans: plans}, func(s *stack) {
		s.begin(november)
		asha, birch := s.settle("Zebra"), s.settle("Quagga")
		for _, environment := range tenant.Environments() {
			victim := asha[environment]
			victim.note(doc)
			before := victim.everything(doc)
			other := elsewhere(environment)
			for _, stranger := range []*resident{birch[environment], birch[other], asha[other]} {
				for _, a := range attempts {
					a.byStranger(s.T, victim, stranger)
				}
				victim.absentFrom(s.T, stranger, "everything", stranger.everything(doc)...)
			}
			if diff := cmp.Diff(before, victim.everything(doc)); diff != "" {
				s.Errorf("strangers changed something in %s:\n%s", environment, diff)
			}
			// The attempts are meaningful only if the owner succeeds with them.
			for _, a := range attempts {
				a.byOwner(s.T, victim)
			}
		}
	})
}

func elsewhere(e tenant.Environment) tenant.Environment {
	if e == tenant.Live {
		return tenant.Sandbox
	}
	return tenant.Live
}

// resident is a tenant in one environment with at least two resources of every
// kind.
type resident struct {
	*member
	environment tenant.Environment
	// named maps the placeholders of the contract's examples, and parameter
	// names in braces, to the resident's own values.
	named placeholders
	// secrets lists texts that no other tenant may see.
	secrets []string
}

// nobody maps every placeholder to an id that does not exist. The answer about another tenant's resource must equal
// the answer about a missing resource.
var nobody = placeholders{
	"{decision_id}": "dec_01KA2W4Q8N5T7XJ3RZB6MCDVHE", "{evaluated_id}": "dec_01KA2W4Q8N5T7XJ3RZB6MCDVHE",
	"{draft_id}": "pol_01KA2W4Q8N5T7XJ3RZB6MCDVHE", "{spare_id}": "pol_01KA2W4Q8N5T7XJ3RZB6MCDVHE",
	"{rule_set_id}": "pol_01KA2W4Q8N5T7XJ3RZB6MCDVHE", "{scorecard_id}": "sc_01KA2W4Q8N5T7XJ3RZB6MCDVHE",
	"{alert_id}": "alr_01KA2W4Q8N5T7XJ3RZB6MCDVHE", "{blocked_key}": "hmac:5f0c7d6e1f2a4b3c8d9e0a1b2c3d4e5f",
	"{backtest_id}": "bt_01KA2W4Q8N5T7XJ3RZB6MCDVHE", "{job_id}": "bt_01KA2W4Q8N5T7XJ3RZB6MCDVHE",
	"{batch_id}":               "bat_01KA2W4Q8N5T7XJ3RZB6MCDVHE",
	"{spare_batch_id}":         "bat_01KA2W4Q8N5T7XJ3RZB6MCDVHE",
	"{old_batch_id}":           "bat_01KA2W4Q8N5T7XJ3RZB6MCDVHE",
	"{challenger_rule_set_id}": "pol_01KA2W4Q8N5T7XJ3RZB6MCDVHE",
	"{reference_backtest_id}":  "bt_01KA2W4Q8N5T7XJ3RZB6MCDVHE",
	"{webhook_id}":             "whk_01KA2W4Q8N5T7XJ3RZB6MCDVHE",
	"{spare_webhook_id}":       "whk_01KA2W4Q8N5T7XJ3RZB6MCDVHE",
	"{erasure_id}":             "era_01KA2W4Q8N5T7XJ3RZB6MCDVHE",
	"{deferred_id}":            "era_01KA2W4Q8N5T7XJ3RZB6MCDVHE",
	"{legal_hold_id}":          "lhd_01KA2W4Q8N5T7XJ3RZB6MCDVHE",
	"{applicant_ref}":          "nobody",
	"{list_name}":              "nobodys_list",
	"{spare_list_name}":        "nobodys_list",
	"{table_name}":             "nobodys_table",
	"{spare_table_name}":       "nobodys_table",
	"{run_id}":                 "run_01KA2W4Q8N5T7XJ3RZB6MCDVHE",
	"{collections_id}":         "run_01KA2W4Q8N5T7XJ3RZB6MCDVHE",
	"{subject_ref}":            "nobody",
	"{applicant_id}":           "nobody",
	"{policy_key}":             "nobody",
	"{name}":                   "nobody",
	"{actor}":                  "key_01KA2W4Q8N5T7XJ3RZB6MCDVHE",
	"{cursor}":                 "bm9ib2R5",
}

// settle creates a tenant with resources in both environments. All tenants use
// the same idempotency keys on the same paths, and these must not interfere.
func (s *stack) settle(name string) map[tenant.Environment]*resident {
	s.Helper()
	email := strings.ToLower(name) + "@example.in"
	signed := s.send("POST", "/api/signup", "",
		fmt.Sprintf(`{"email":%q,"org_name":"%s Finance","password":"correct horse battery"}`, email, name))
	signed.want(http.StatusCreated)
	m := &member{
		stack:    s,
		key:      signed.text("api_key"),
		tenantID: signed.text("tenant", "id"),
		userID:   signed.text("user", "id"),
	}
	settled := map[tenant.Environment]*resident{}
	for _, e := range tenant.Environments() {
		r := &resident{member: m.with(e, tenant.Admin, m.userID), environment: e, named: placeholders{}}
		mark := strings.ToLower(name) + "_" + string(e)
		r.secrets = []string{mark, name + " Finance", email}
		r.furnish(mark)
		settled[e] = r
	}
	return settled
}

// furnish creates at least two resources of every kind.
func (r *resident) furnish(mark string) {
	r.Helper()
	create := func(path, body, once string) answer {
		return r.post(path, body, "Idempotency-Key: "+once)
	}
	for _, set := range r.get("/v1/rule-sets").list("data") {
		if set, _ := set.(map[string]any); set["name"] != "SAFE_MODE" {
			r.named["{rule_set_id}"], _ = set["id"].(string)
		}
	}
	create("/v1/rule-sets/"+r.named["{rule_set_id}"]+"/activate", `{"note":"`+mark+`"}`, "0").want(http.StatusOK)
	for _, once := range []string{"1", "2"} {
		decision := create("/v1/decisions",
			`{"applicant":{"id":"`+mark+`","requested_amount":900000},"bureau_report":{"score":781}}`, once).
			want(http.StatusOK)
		evaluated := create("/v1/evaluate", evaluateBy(mark), once).want(http.StatusOK)
		draft := create("/v1/rule-sets", `{"name":"`+mark+once+`"}`, once).want(http.StatusCreated)
		card := create("/v1/scorecards", `{"name":"`+mark+`","base_points":650,"factors":[]}`, once).
			want(http.StatusCreated)
		product := create("/v1/rule-sets", `{
			"name":"`+mark+once+`","policy_key":"`+mark+`","base":"`+r.named["{rule_set_id}"]+`"
		}`, "product"+once)
		create("/v1/rule-sets/"+product.text("id")+"/activate", "", once).want(http.StatusOK)
		create("/v1/decisions", `{"policy_key":"`+mark+`","applicant":{"id":"`+mark+`"},"bureau_report":{"score":781}}`,
			"product"+once).want(http.StatusOK)
		r.named["{decision_id}"] = decision.text("decision_id")
		r.named["{draft_id}"] = draft.text("id")
		r.named["{scorecard_id}"] = card.text("id")
		r.named["{evaluated_id}"] = evaluated.text("decision_id")
		create("/v1/decisions/"+decision.text("decision_id")+"/review", `{"outcome":"upheld","note":"`+mark+`"}`, once).
			want(http.StatusCreated)
	}
	r.put("/v1/lender-profile", strings.ReplaceAll(lenderProfile, "Asha", mark)).want(http.StatusOK)
	r.named["{spare_id}"] = create("/v1/rule-sets", `{"name":"`+mark+`"}`, "spare").want(http.StatusCreated).text("id")
	r.named["{applicant_id}"], r.named["{policy_key}"], r.named["{name}"] = mark, mark, mark
	r.named["{actor}"] = r.get("/v1/rule-sets/" + r.named["{draft_id}"]).text("created_by")
	r.furnishBacktests(mark)
	r.furnishRuns(mark)
	r.furnishFraud(mark)
	r.furnishWebhooks(mark)
	r.furnishLists(mark)
	r.furnishErasures(mark)
	r.furnishExposures(mark)
	r.furnishHolds(mark)
}

// furnishErasures erases two applicants who have no other part in the tests.
func (r *resident) furnishErasures(mark string) {
	r.Helper()
	for _, person := range []string{"_gone", "_left"} {
		r.post("/v1/decisions", `{"applicant":{"id":"`+mark+person+`"},"bureau_report":{"score":560}}`).
			want(http.StatusOK)
		erased := r.post("/v1/erasures", `{"applicant_ref":"`+mark+person+`","reason":"applicant_request"}`).
			want(http.StatusCreated)
		r.named["{erasure_id}"] = erased.text("id")
	}
}

// furnishExposures reports two loans of the resident's applicant.
func (r *resident) furnishExposures(mark string) {
	r.Helper()
	for _, product := range []string{"_gold", "_card"} {
		r.post("/v1/exposures", `{"applicant_ref":"`+mark+`","product":"`+mark+product+`","outstanding":1000}`).
			want(http.StatusOK)
	}
}

// furnishHolds places two legal holds on the resident's applicant, and defers an erasure of the applicant.
func (r *resident) furnishHolds(mark string) {
	r.Helper()
	for _, reason := range []string{"audit", "litigation"} {
		held := r.post("/v1/legal-holds", `{"applicant_ref":"`+mark+`","reason":"`+reason+`"}`).want(http.StatusCreated)
		r.named["{legal_hold_id}"] = held.text("id")
	}
	deferred := r.post("/v1/erasures", `{"applicant_ref":"`+mark+`","reason":"other"}`).want(http.StatusAccepted)
	r.named["{deferred_id}"], r.named["{applicant_ref}"] = deferred.text("id"), mark
}

// furnishLists creates two lists and two tables, one of each to be deleted.
func (r *resident) furnishLists(mark string) {
	r.Helper()
	for placeholder, name := range map[string]string{"{list_name}": "list_" + mark,
		"{spare_list_name}": "spare_" + mark} {
		r.named[placeholder] = name
		r.put("/v1/lists/"+name,
			`{"type":"text","entries":[{"value":"`+mark+` employer"},{"value":"`+mark+` other"}]}`).
			want(http.StatusOK)
	}
	const table = `{"keys":[{"field":"employment_type"},{"field":"monthly_income","match":"range"}],
		"columns":[{"name":"segment","type":"text"}],"rows":[{"keys":["SALARIED",{"lt":9}],"values":["MARK row"]},
		{"keys":["SALARIED",{"gte":9}],"values":["MARK other"]}],
		"default":["MARK default"]}`
	for placeholder, name := range map[string]string{
		"{table_name}":       "table_" + mark,
		"{spare_table_name}": "more_" + mark,
	} {
		r.named[placeholder] = name
		r.put("/v1/tables/"+name, strings.ReplaceAll(table, "MARK", mark)).want(http.StatusOK)
	}
}

// furnishWebhooks creates two webhooks with a log. One of them is to be deleted.
func (r *resident) furnishWebhooks(mark string) {
	r.Helper()
	for _, name := range []string{"{webhook_id}", "{spare_webhook_id}"} {
		made := r.post("/v1/webhooks", `{"url":"https://`+strings.ReplaceAll(mark, "_", "-")+`.example/`+mark+`"}`).
			want(http.StatusCreated)
		r.named[name] = made.text("id")
		r.secrets = append(r.secrets, made.text("secret"))
		for range 2 {
			r.post("/v1/webhooks/"+r.named[name]+"/test", "").want(http.StatusOK)
		}
	}
}

// furnishRuns runs each agent twice, the second time with the resident's own
// strategy.
func (r *resident) furnishRuns(mark string) {
	r.Helper()
	for _, once := range []string{"1", "2"} {
		once = "Idempotency-Key: run" + once
		underwritten := r.post("/v1/agents/underwrite",
			`{"applicant":{"id":"`+mark+`"},"bureau_report":{"score":781},"purpose":"`+mark+`"}`, once)
		r.named["{run_id}"] = underwritten.want(http.StatusOK).text("run_id")
		advised := r.post("/v1/agents/collections",
			`{
				"loan":{"id":"`+mark+`","principal_outstanding":182000,"overdue_amount":17930,"dpd":47},
				"borrower":{"ref":"`+mark+`"}
			}`, once)
		r.named["{collections_id}"] = advised.want(http.StatusOK).text("run_id")
		r.send("PUT", "/v1/agents/collections/strategy", r.key, `{"name":"`+mark+`"}`).want(http.StatusOK)
	}
	r.named["{subject_ref}"] = mark
}

// furnishBacktests creates two finished backtests and two that wait in the
// queue, and two finished batches and one that waits.
func (r *resident) furnishBacktests(mark string) {
	r.Helper()
	for _, once := range []string{"1", "2"} {
		once = "Idempotency-Key: backtest" + once
		done := r.post("/v1/backtest", `{
			"rows":[{"applicant_id":"`+mark+`","score":742,"outcome":"good"},{"score":600,"outcome":"bad"}]
		}`, once)
		r.named["{backtest_id}"] = done.want(http.StatusOK).text("backtest_id")
		waits := r.post("/v1/backtest", `{"synthetic":{"n":60000}}`, once+"waits").want(http.StatusAccepted)
		r.named["{job_id}"] = waits.text("backtest_id")
	}
	for _, name := range []string{"{batch_id}", "{old_batch_id}", "{spare_batch_id}"} {
		started := r.post("/v1/decisions/batch", batchItem(mark, 0.32)+"\n"+batchItem(mark, 32), jobHeaders...)
		r.named[name] = started.want(http.StatusAccepted).text("batch_id")
	}
	r.runChunks(r.named["{batch_id}"], 1)
	r.runChunks(r.named["{old_batch_id}"], 1)
	r.named["{challenger_rule_set_id}"] = r.named["{draft_id}"]
	r.named["{reference_backtest_id}"] = r.named["{backtest_id}"]
}

// furnishFraud creates two acknowledged alerts and three confirmed alerts, so
// that the block list still has a second page after an entry is removed. All
// tenants use the same accounts, which must not be counted together.
func (r *resident) furnishFraud(mark string) {
	r.Helper()
	for i := range 5 {
		raised := ""
		for _, person := range []string{"x", "y"} {
			shared := fmt.Sprintf(`{"applicant_ref":"%s_%s","beneficiary_account":"0011223344%d"}`, mark, person, i)
			got := r.post("/v1/evaluate", evaluation(781, "", block{"fraud", shared})).want(http.StatusOK)
			raised, _ = got.at("fraud", "alert_ids", 0).(string)
		}
		if raised == "" {
			r.Fatal("there is no alert")
		}
		step := `{"status":"acknowledged"}`
		if i < 3 {
			step = `{"status":"closed","resolution":"confirmed_fraud","note":"` + mark + `"}`
		}
		moved := r.send("PATCH", "/v1/fraud/alerts/"+raised, r.key, step).want(http.StatusOK)
		if r.named["{alert_id}"] = raised; i < 3 {
			r.named["{blocked_key}"] = moved.text("entity", "key")
		}
	}
	r.send("PUT", "/v1/fraud/config", r.key, `{"fraud":{"mute_days":7}}`).want(http.StatusOK)
	r.send("PUT", "/v1/fraud/pincode-risk", r.key,
		`{"entries":[{"pincode":"400001","risk":"HIGH","reason":"`+mark+`"},{"pincode":"400","risk":"LOW"}]}`).
		want(http.StatusOK)
}

// evaluateBy returns an evaluate request with features for an applicant.
func evaluateBy(applicant string) string {
	return `{"bureau":"cibil","report":{"cibil":{"scoreData":{"score":781},"requestedAmount":900000,
		"reportDate":"2026-11-10",
		"enquiries":[{"date":"2026-11-03","product":"personal_loan"},{"date":"2026-10-30","product":"credit_card"}]}},
		"fraud":{"applicant_ref":"` + applicant + `"},"features":true}`
}

var anID = regexp.MustCompile(`\b[a-z]+_[0-9A-HJKMNP-TV-Z]{26}\b|hmac:[0-9a-f]+`)

// note adds every id that the resident can read to the secrets.
func (r *resident) note(doc *openapi3.T) {
	r.Helper()
	for _, text := range r.everything(doc) {
		r.secrets = append(r.secrets, anID.FindAllString(text, -1)...)
	}
	slices.Sort(r.secrets)
	r.secrets = slices.Compact(r.secrets)
	if len(r.secrets) < 20 {
		r.Fatalf("only %d secrets were found", len(r.secrets))
	}
}

// everything returns the answers to every GET of the contract, in each
// representation, with the resident's own ids.
func (r *resident) everything(doc *openapi3.T) (texts []string) {
	r.Helper()
	for _, template := range doc.Paths.InMatchingOrder() {
		operation := doc.Paths.Find(template).Get
		if operation == nil || public(operation) || operation.OperationID == "getHealth" ||
			operation.OperationID == "runSyntheticBacktest" || operation.OperationID == "getCapsule" ||
			operation.OperationID == "getApplicant" || operation.OperationID == "listContains" ||
			operation.OperationID == "lookUpTableRow" {
			continue // the answer belongs to no tenant, or the request stores something, or needs a query
		}
		path := template
		for _, p := range operation.Parameters {
			if p.Value.In == openapi3.ParameterInPath {
				value := placeholderOf(r.T, operation, template, p.Value)
				if !ownParts[p.Value.Name] {
					value = r.named[value]
				}
				path = strings.ReplaceAll(path, "{"+p.Value.Name+"}", value)
			}
		}
		for kind := range operation.Responses.Status(http.StatusOK).Value.Content {
			texts = append(texts, string(r.get(path, "Accept: "+kind).want(http.StatusOK).body))
		}
	}
	slices.Sort(texts)
	return texts
}

// absentFrom fails the test if the texts that a stranger read contain any of
// the resident's secrets. In the tenant's other environment, the ids of the
// tenant and the user are not secret.
func (r *resident) absentFrom(t *testing.T, stranger *resident, where string, texts ...string) {
	t.Helper()
	for _, secret := range r.secrets {
		if stranger.tenantID == r.tenantID && (secret == r.tenantID || secret == r.userID) {
			continue
		}
		for _, text := range texts {
			if strings.Contains(text, secret) {
				t.Errorf("%s: %s of a stranger (%s) reads %s of %s:\n%s", where, stranger.tenantID,
					stranger.environment, secret, r.environment, text)
			}
		}
	}
}

// attempt is a way to name a resource in a request.
type attempt struct {
	operation    *openapi3.Operation
	method, path string   // path with placeholders
	body         string   // with placeholders
	things       []string // the placeholders to try, one after the other
	in           string   // "path", "query" or "body"
	member       string
}

// theThing is the placeholder for the resource that an attempt names.
const theThing = "{thing}"

func (a attempt) name(thing string) string {
	return fmt.Sprintf("%s %s, %s in the %s (%s)", a.method, a.path, a.member, a.in, thing)
}

// send sends the request as sender, with thing as the id of the resource.
func (a attempt) send(sender *resident, thing string) answer {
	sender.Helper()
	path := strings.ReplaceAll(sender.named.fill(a.path), url.QueryEscape(theThing), url.QueryEscape(thing))
	return sender.send(a.method, strings.ReplaceAll(path, theThing, thing), sender.key,
		strings.ReplaceAll(sender.named.fill(a.body), theThing, thing))
}

// byStranger makes the attempt as a stranger and compares the answer with the
// answer about a missing resource.
func (a attempt) byStranger(t *testing.T, victim, stranger *resident) {
	t.Helper()
	for _, thing := range a.things {
		name := a.name(thing)
		got, none := a.send(stranger, victim.thing(a, thing)), a.send(stranger, nobody[thing])
		victim.absentFrom(t, stranger, name, string(got.body), fmt.Sprint(got.header))
		if got.status != none.status {
			t.Errorf("%s: %d, but %d when there is no such thing: %s", name, got.status, none.status, got.body)
		} else if diff := cmp.Diff(timeless(t, none.body), timeless(t, got.body)); diff != "" {
			t.Errorf("%s: the answer gives away that there is such a thing:\n%s", name, diff)
		}
		if a.in == "path" && got.status != http.StatusNotFound {
			t.Errorf("%s: %d, want 404: %s", name, got.status, got.body)
		}
		if data, isList := got.at("data").([]any); isList && a.in == "query" && len(data) > 0 {
			t.Errorf("%s: a list that is not empty: %s", name, got.body)
		}
		if ids[thing] != nil && a.in == "body" && got.status < 400 {
			t.Errorf("%s: %d, want a refusal: %s", name, got.status, got.body)
		}
	}
}

// byOwner makes the attempt as the owner of the resource, which must succeed.
func (a attempt) byOwner(t *testing.T, owner *resident) {
	t.Helper()
	for _, thing := range a.things {
		got := a.send(owner, owner.thing(a, thing))
		if got.status == http.StatusNoContent {
			continue
		}
		if got.status < 300 && got.header.Get("Content-Type") != "application/json" {
			continue
		}
		if data, isList := got.at("data").([]any); got.status >= 300 || isList && len(data) == 0 {
			t.Errorf("%s: the owner is answered with %d: %s", a.name(thing), got.status, got.body)
		}
		// Activate the first rule set again, because other attempts expect it
		// to be active.
		owner.post("/v1/rule-sets/"+owner.named["{rule_set_id}"]+"/activate", "").want(http.StatusOK)
	}
}

// thing returns the resident's own value for a placeholder. For a cursor, thing
// reads the first page of the list.
func (r *resident) thing(a attempt, thing string) string {
	r.Helper()
	if thing != "{cursor}" {
		return r.named[thing]
	}
	path, _, _ := strings.Cut(a.path, "&cursor=")
	cursor := r.get(r.named.fill(path)).want(http.StatusOK).text("pagination", "next_cursor")
	if cursor == "" {
		r.Fatalf("%s has no second page to point at", path)
	}
	return cursor
}
