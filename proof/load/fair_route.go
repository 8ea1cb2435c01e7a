package load

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
		Content map[string]media `json:"content"`
	} `json:"requestBody"`
	Parameters []struct {
		Ref  string `json:"$ref"`
		Name string `json:"name"`
		In   string `json:"in"`
	} `json:"parameters"`
	Responses map[string]struct {
		Content map[string]json.RawMessage `json:"content"`
	} `json:"responses"`
}

// media is one content type of a body, with its examples.
type media struct {
	Example  json.RawMessage `json:"example"`
	Examples map[string]struct {
		Value json.RawMessage `json:"value"`
	} `json:"examples"`
}

// Sizes of the large bodies. They are below the limits of the routes.
const (
	largeBody  = 1000 << 10
	hugeReport = 8000 << 10
	smallForm  = 8000
)

const (
	jsonKind = "application/json"
	gzipped  = "Content-Encoding: gzip"
)

// Attacks returns attacks on every operation of the contract that the server publishes. Each operation is flooded
// with the request of its example. Operations of /v1 with a body are also flooded without a key, with large bodies,
// with bodies of many values, with every other content type that the contract names and with the same bodies
// compressed, and senders that announce a body and send one byte attack them. Operations that list are also asked for
// the largest page, and those that export for the export. Operations without a body are not attacked without a key,
// because all operations refuse a missing key in the same way. The first attacks do not concern an operation:
// connections, an unknown path, the documentation, and the console's sign-in. Arm must have made the objects whose ids
// are in the paths.
func Attacks(ctx context.Context, url, key string) ([]Attack, error) {
	var c contract
	if err := call(ctx, http.MethodGet, url+"/openapi.json", "", nil, http.StatusOK, &c); err != nil {
		return nil, fmt.Errorf("read the contract: %w", err)
	}
	ids, err := identities(ctx, url, key, slices.Collect(maps.Keys(c.Paths)))
	if err != nil {
		return nil, err
	}
	attacks := strangers()
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
			attacks = append(attacks, o.attacks(strings.ToUpper(method), path, ids.in(method, path), key)...)
		}
	}
	if len(attacks) < 50 {
		return nil, errors.New("the contract has too few operations")
	}
	return attacks, nil
}

// strangers returns the attacks that do not concern an operation. They need no key.
func strangers() []Attack {
	const form = "application/x-www-form-urlencoded"
	signIn := func(body string) []byte { return raw(http.MethodPost, "/console/signin", "", form, body) }
	return []Attack{
		{Name: "connections that say nothing", Style: Hold},
		{Name: "as many connections with requests, without a key", Style: Mass,
			Request: raw(http.MethodPost, "/v1/decisions", "", jsonKind, application(0))},
		{Name: "as many connections that read the documentation", Style: Mass,
			Request: raw(http.MethodGet, "/docs", "", "", "")},
		{Name: "requests for nothing, without a key", Request: raw(http.MethodGet, "/v1/nothing", "", "", "")},
		{Name: "documentation, without a key", Request: raw(http.MethodGet, "/docs", "", "", "")},
		{Name: "sign-in pages, without a session", Request: raw(http.MethodGet, "/console/signin", "", "", "")},
		{Name: "sign-ins with a wrong password", Request: signIn("email=nobody%40example.in&password=wrong+wrong")},
		{Name: "sign-ins announced and not sent", Style: Drip,
			Request: begun(signIn(strings.Repeat("x", smallForm)))},
		{Name: "large sign-ins announced and not sent", Style: Drip,
			Request: begun(signIn(strings.Repeat("x", hugeReport)))},
	}
}

// attacks returns the attacks on one operation.
func (o *operation) attacks(method, pattern, path, key string) []Attack {
	name := method + " " + pattern
	body, ok := o.example(jsonKind)
	if len(o.Body.Content) == 0 {
		return append([]Attack{{Name: name, Request: raw(method, path, key, "", "")}}, o.reads(name, path, key)...)
	}
	var attacks []Attack
	public := !strings.HasPrefix(pattern, "/v1/")
	size := sizeOf(pattern)
	if ok {
		attacks = append(attacks, Attack{Name: name, Request: raw(method, path, key, jsonKind, body)})
		rest := strings.TrimPrefix(strings.TrimSpace(body), "{")
		if rest != "}" {
			rest = "," + rest
		}
		padded := `{"padding":"` + strings.Repeat("x", size) + `"` + rest
		many := `{"padding":[` + strings.Repeat("0,", size/2) + `0]` + rest
		drip := Attack{Name: name + ", announced and not sent", Style: Drip,
			Request: begun(raw(method, path, key, jsonKind, padded))}
		if public {
			return append(attacks, drip)
		}
		attacks = append(attacks,
			Attack{Name: name + ", without a key", Request: raw(method, path, "", jsonKind, body)},
			Attack{Name: name + ", large", Request: raw(method, path, key, jsonKind, padded)},
			Attack{Name: name + ", many values", Request: raw(method, path, key, jsonKind, many)},
			Attack{Name: name + ", compressed", Request: raw(method, path, key, jsonKind, compressed(many), gzipped)},
			drip,
		)
	}
	return append(attacks, o.files(method, name, path, key, size)...)
}

// files returns the attacks with bodies that are not JSON documents: files and streams of rows.
func (o *operation) files(method, name, path, key string, size int) (attacks []Attack) {
	for _, kind := range slices.Sorted(maps.Keys(o.Body.Content)) {
		body, ok := o.example(kind)
		if kind == jsonKind || !ok {
			continue
		}
		sent := kind
		large := repeated(body, size)
		if kind == "multipart/form-data" {
			sent, body, large = kind+"; boundary=b", form(body, 1), form(body, size)
		}
		name := name + ", " + kind
		attacks = append(attacks,
			Attack{Name: name, Request: raw(method, path, key, sent, body)},
			Attack{Name: name + ", large", Request: raw(method, path, key, sent, large)},
			Attack{Name: name + ", compressed", Request: raw(method, path, key, sent, compressed(large), gzipped)},
			Attack{Name: name + ", announced and not sent", Style: Drip,
				Request: begun(raw(method, path, key, sent, large))},
		)
	}
	return attacks
}

// reads returns the attacks on an operation without a body that ask for more than the request without parameters: the
// largest page, and every other content type.
func (o *operation) reads(name, path, key string) (attacks []Attack) {
	if !strings.HasPrefix(name, http.MethodGet) {
		return nil
	}
	for _, p := range o.Parameters {
		if p.In == "query" && p.Name == "limit" || strings.HasSuffix(strings.ToLower(p.Ref), "/limit") {
			const most = "?limit=200"
			attacks = append(attacks, Attack{Name: name + most, Request: raw(http.MethodGet, path+most, key, "", "")})
		}
	}
	kinds := o.Responses["200"].Content
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		if len(kinds) > 1 && kind != jsonKind {
			attacks = append(attacks, Attack{
				Name: name + " as " + kind, Request: raw(http.MethodGet, path, key, "", "", "Accept: "+kind),
			})
		}
	}
	return attacks
}

// sizeOf returns the size of large bodies for an operation.
func sizeOf(pattern string) int {
	switch pattern {
	case "/v1/evaluate", "/v1/decisions/preview", "/v1/eligibility", "/v1/agents/underwrite", "/v1/backtest":
		return hugeReport
	}
	return largeBody
}

// example returns the first example of the body with the given content type. JSON without an example is "{}".
func (o *operation) example(kind string) (body string, ok bool) {
	m, ok := o.Body.Content[kind]
	if !ok {
		return "", false
	}
	value := m.Example
	if len(value) == 0 {
		for _, name := range slices.Sorted(maps.Keys(m.Examples)) {
			value = m.Examples[name].Value
			break
		}
	}
	switch {
	case kind == jsonKind:
		return cmp.Or(string(value), "{}"), true
	case json.Unmarshal(value, &body) == nil:
		return body, true
	}
	var fields struct{ File string }
	return fields.File, json.Unmarshal(value, &fields) == nil
}

// repeated returns text with its last line repeated until it has about size bytes.
func repeated(text string, size int) string {
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n")+"\n", "\n")
	last := lines[len(lines)-2]
	return strings.Join(lines, "") + strings.Repeat(last, max(0, size-len(text))/len(last))
}

// form returns a multipart form with a file of about size bytes.
func form(file string, size int) string {
	return "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"rows.csv\"\r\n\r\n" +
		repeated(file, size) + "\r\n--b--\r\n"
}

// compressed returns a text compressed with gzip.
func compressed(text string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = io.WriteString(w, text) // a buffer takes everything
	_ = w.Close()
	return out.String()
}

// identity maps the path of a list to the ids of two of the attacker's objects. Requests that change or delete an
// object use the second id, so that the first object still exists for the other requests.
type identity map[string][2]string

// identities reads two ids from the list of every path with an id. It returns an error if there are fewer objects.
func identities(ctx context.Context, url, key string, paths []string) (identity, error) {
	ids := identity{}
	for _, path := range paths {
		list, _, found := strings.Cut(path, "/{id}")
		if _, known := ids[list]; !found || known {
			continue
		}
		var page struct {
			Data []map[string]any `json:"data"`
		}
		if err := call(ctx, http.MethodGet, url+list, key, nil, http.StatusOK, &page); err != nil {
			return nil, fmt.Errorf("list %s: %w", list, err)
		}
		var objects []string
		for _, entry := range page.Data {
			for _, name := range []string{"id", "run_id", "backtest_id", "batch_id", "decision_id"} {
				if id, ok := entry[name].(string); ok {
					objects = append(objects, id)
					break
				}
			}
		}
		if len(objects) < 2 {
			return nil, fmt.Errorf("%s lists %d objects, and the attacks need two: Arm must make them", list,
				len(objects))
		}
		ids[list] = [2]string{objects[0], objects[1]}
	}
	return ids, nil
}

// in replaces the parameters of a path by the names of objects that Arm has made. Requests that replace or delete a
// list or a table use a different name. So the list and the table of Arm still exist for the requests that read
// them.
func (ids identity) in(method, path string) string {
	name, which := armedName, 0
	if method != "get" && method != "post" {
		name, which = name+"_changed", 1
	}
	path = strings.NewReplacer(
		"{code}", "invalid_field", "{ref}", armedApplicant, "{name}", name, "{level}", "0", "{index}", "000.p%2F1",
	).Replace(path)
	before, after, found := strings.Cut(path, "/{id}")
	if !found {
		return path
	}
	return before + "/" + ids[before][which] + after
}
