package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// contract holds the parts of the OpenAPI document from which attacks are
// derived.
type contract struct {
	Paths map[string]map[string]json.RawMessage `json:"paths"`
}

// operation is an operation of the contract.
type operation struct {
	Body struct {
		Content map[string]struct {
			Example  json.RawMessage `json:"example"`
			Examples map[string]struct {
				Value json.RawMessage `json:"value"`
			} `json:"examples"`
		} `json:"content"`
	} `json:"requestBody"`
}

// Sizes of the large bodies. They are below the limits of the routes.
const (
	largeBody  = 1000 << 10
	hugeReport = 8000 << 10
)

// Attacks returns attacks on every operation of the contract that the server
// publishes. Each operation is flooded with the request of its example.
// Operations of /v1 with a body are also flooded without a key, with large
// bodies and with bodies of many values, and attacked by senders that announce
// a body and send one byte. Operations without a body are not attacked without
// a key, because they all refuse that in the same way. The first attacks are on
// no operation: idle connections, an unknown path, the documentation, and the
// console's sign-in.
func Attacks(ctx context.Context, url, key string) ([]Attack, error) {
	var c contract
	if err := call(ctx, http.MethodGet, url+"/openapi.json", "", nil, http.StatusOK, &c); err != nil {
		return nil, fmt.Errorf("read the contract: %w", err)
	}
	ids, err := identities(ctx, url, key)
	if err != nil {
		return nil, err
	}
	attacks := []Attack{
		{Name: "connections that say nothing", Style: Hold},
		{Name: "requests for nothing, without a key", Request: raw(http.MethodGet, "/v1/nothing", "", "", "")},
		{Name: "documentation, without a key", Request: raw(http.MethodGet, "/docs", "", "", "")},
		{Name: "sign-in pages, without a session", Request: raw(http.MethodGet, "/console/signin", "", "", "")},
		{Name: "sign-ins with a wrong password", Request: raw(http.MethodPost, "/console/signin", "",
			"application/x-www-form-urlencoded", "email=nobody%40example.in&password=wrong+wrong")},
		{Name: "sign-ins announced and not sent", Style: Drip, Request: raw(http.MethodPost, "/console/signin", "",
			"application/x-www-form-urlencoded", strings.Repeat("x", 200<<10))},
	}
	for _, path := range slices.Sorted(maps.Keys(c.Paths)) {
		for _, method := range []string{"get", "post", "put", "patch", "delete"} {
			text, ok := c.Paths[path][method]
			if !ok {
				continue
			}
			var o operation
			if err := json.Unmarshal(text, &o); err != nil {
				return nil, fmt.Errorf("read the contract: %s %s: %w", method, path, err)
			}
			attacks = append(attacks, o.attacks(strings.ToUpper(method), path, ids.in(path), key)...)
		}
	}
	if len(attacks) < 50 {
		return nil, errors.New("the contract has too few operations")
	}
	return attacks, nil
}

// attacks returns the attacks on one operation.
func (o *operation) attacks(method, pattern, path, key string) []Attack {
	name := method + " " + pattern
	public := !strings.HasPrefix(pattern, "/v1/")
	body := o.example()
	if body == "" {
		return []Attack{{Name: name, Request: raw(method, path, key, "", "")}}
	}
	const kind = "application/json"
	size := largeBody
	switch pattern {
	case "/v1/evaluate", "/v1/decisions/preview", "/v1/eligibility", "/v1/agents/underwrite", "/v1/backtest":
		size = hugeReport
	}
	padded := `{"padding":"` + strings.Repeat("x", size) + `",` + strings.TrimPrefix(strings.TrimSpace(body), "{")
	many := `{"padding":[` + strings.Repeat("0,", size/2) + `0],` + strings.TrimPrefix(strings.TrimSpace(body), "{")
	attacks := []Attack{{Name: name, Request: raw(method, path, key, kind, body)}}
	if public {
		return attacks
	}
	return append(attacks,
		Attack{Name: name + ", without a key", Request: raw(method, path, "", kind, body)},
		Attack{Name: name + ", large", Request: raw(method, path, key, kind, padded)},
		Attack{Name: name + ", many values", Request: raw(method, path, key, kind, many)},
		Attack{Name: name + ", announced and not sent", Style: Drip, Request: raw(method, path, key, kind, padded)},
	)
}

// example returns the first example of the JSON body, "{}" if there is no
// example, or "" if the operation has no JSON body.
func (o *operation) example() string {
	media, ok := o.Body.Content["application/json"]
	if !ok {
		return ""
	}
	if len(media.Example) > 0 {
		return string(media.Example)
	}
	for _, name := range slices.Sorted(maps.Keys(media.Examples)) {
		return string(media.Examples[name].Value)
	}
	return "{}"
}

// identity maps the prefix of a path to the id of one of the attacker's
// objects.
type identity map[string]string

// identities reads one id from each list that is not empty.
func identities(ctx context.Context, url, key string) (identity, error) {
	ids := identity{}
	for prefix, list := range map[string]string{
		"/v1/decisions/": "/v1/decisions", "/v1/rule-sets/": "/v1/rule-sets", "/v1/backtest/": "/v1/backtest",
		"/v1/agents/runs/": "/v1/agents/runs",
	} {
		var page struct {
			Data []map[string]any `json:"data"`
		}
		if err := call(ctx, http.MethodGet, url+list+"?limit=1", key, nil, http.StatusOK, &page); err != nil {
			return nil, fmt.Errorf("list %s: %w", list, err)
		}
		for _, entry := range page.Data {
			for _, name := range []string{"id", "decision_id", "backtest_id", "run_id"} {
				if id, ok := entry[name].(string); ok {
					ids[prefix] = id
				}
			}
		}
	}
	return ids, nil
}

// in replaces the parameter of a path by an id or a code.
func (ids identity) in(path string) string {
	before, after, found := strings.Cut(path, "{id}")
	if !found {
		return strings.ReplaceAll(path, "{code}", "invalid_field")
	}
	id := ids[before]
	if id == "" {
		id = "nobody"
	}
	return before + id + after
}

// HostilePolicy returns the body of a request that adds rules to the active policy.
// The added rules read fields that an applicant can change. Each of them has many
// alternatives, and none ever hits.
func HostilePolicy(rules int) string {
	const alternatives = 15
	var b strings.Builder
	b.WriteString(`{"name":"hostile","patch":{"knockouts":{"set":[`)
	for i := range rules {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `{"id":"KO_H%05d","stage":1,"action":"decline","reason_code":"FOIR_HIGH",`+
			`"condition_ast":{"op":"or","args":[`, i)
		for k := range alternatives {
			if k > 0 {
				b.WriteString(",")
			}
			field, value := "foir_effective", fmt.Sprintf("4.%05d", alternatives*i+k+10_000)
			if k%3 == 0 {
				field, value = "requested_amount", fmt.Sprint(900_000_000+alternatives*i+k)
			}
			fmt.Fprintf(&b, `{"op":"gt","field":%q,"value":%s}`, field, value)
		}
		b.WriteString(`]}}`)
	}
	b.WriteString(`]}}}`)
	return b.String()
}

// Arm stores a few decisions and agent runs of the attacker, and activates a
// hostile policy.
func Arm(ctx context.Context, url, key string, rules int) error {
	for i := range 3 {
		var decided struct{}
		if err := call(ctx, http.MethodPost, url+"/v1/agents/underwrite", key, []byte(application(i)), http.StatusOK,
			&decided); err != nil {
			return fmt.Errorf("underwrite: %w", err)
		}
	}
	var made struct {
		ID string `json:"id"`
	}
	if err := call(ctx, http.MethodPost, url+"/v1/rule-sets", key, []byte(HostilePolicy(rules)), http.StatusCreated,
		&made); err != nil {
		return fmt.Errorf("make the hostile policy: %w", err)
	}
	var active struct{}
	if err := call(ctx, http.MethodPost, url+"/v1/rule-sets/"+made.ID+"/activate", key, nil, http.StatusOK,
		&active); err != nil {
		return fmt.Errorf("activate the hostile policy: %w", err)
	}
	return nil
}
