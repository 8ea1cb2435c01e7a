package httpapi_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
)

// injections are texts with a special meaning in SQL, LIKE patterns, HTML,
// templates, spreadsheets, terminals, logs or Markdown. The service must treat
// all of them as plain text.
var injections = []string{
	"'; DROP TABLE decisions; -- " + plantedText, plantedText + "' OR '1'='1",
	`\'; SELECT pg_sleep(9); --` + plantedText, "%" + plantedText + "_%", `"><script>` + plantedText + `</script>`,
	`<img src=x onerror=` + plantedText + `>`, `" onmouseover="` + plantedText, `javascript:` + plantedText,
	`{{` + plantedText + `}}`, `${` + plantedText + `}`, `</textarea></title><script>` + plantedText + `</script>`,
	`=cmd|' /C calc'!` + plantedText, "+" + plantedText, "-" + plantedText, "@" + plantedText, "\t=" + plantedText,
	" =" + plantedText, "\r=" + plantedText, plantedText + "\r\nSet-Cookie: a=b",
	plantedText + "\n{\"time\":\"now\",\"level\":\"ERROR\",\"msg\":\"forged\"}", plantedText + "\x1b[2J\x1b[31m",
	plantedText + "\u202e\u2066\u200b", plantedText + "😀\U0010FFFF", plantedText + "\u2028\u2029",
	"[" + plantedText + "](javascript:alert(1))", "# " + plantedText + "\n\n- [x] <b>bold</b>",
	"../../" + plantedText, plantedText + "\ufeff\ufffe",
}

// rawInjections are invalid JSON strings, spliced into a body as raw bytes.
var rawInjections = []string{
	`"` + plantedText + `\u0000"`, `"\ud800` + plantedText + `"`, `"` + plantedText + `\udc00\ud800"`,
	"\"" + plantedText + "\xff\"", "\"" + plantedText + "\xc0\xaf\"", "\"" + plantedText + "\x00\"",
	"\"" + plantedText + "\n\"", "\"" + plantedText + "\x1b\"",
}

// attackTexts puts each injection into every string of every example, and then
// reads all resources back in every representation.
func attackTexts(r *raid) {
	kept := 0
	for _, request := range r.requests {
		if request.body == "" {
			continue
		}
		body, path := r.ids.fill(request.body), r.ids.fill(request.path)
		value, key := readBody(r.T, body), r.owner.key
		var plain any
		if public(request.operation) {
			key = ""
		} else if request.status < http.StatusBadRequest {
			if answered := r.try(request.method, path, key, body, request.headers...).body; len(answered) > 0 {
				plain = readBody(r.T, string(answered))
			}
		}
		for _, at := range places(value, nil) {
			was, isText := at.at(value).(string)
			if !isText {
				continue
			}
			shown := shownAt(plain, was)
			for _, text := range injections {
				if r.some(30) && r.inject(request, at, key, text, shown) {
					kept++
				}
			}
			for _, raw := range rawInjections {
				if r.some(30) {
					r.what = fmt.Sprintf("%q at %q of %s", raw, at.pointer(), request.name)
					got := r.try(request.method, path, key, splice(r, at, body, raw), request.headers...)
					got.refused(http.StatusBadRequest, "malformed_json")
				}
			}
		}
	}
	if kept == 0 {
		r.Error("nothing of all that was taken for a text")
	}
	r.injectFile()
	r.readBack()
	r.stillServes()
}

// shownAt returns the places of an answer whose value is exactly the text.
func shownAt(answered any, text string) (list []place) {
	for _, at := range places(answered, nil) {
		if at.at(answered) == text {
			list = append(list, at)
		}
	}
	return list
}

// inject sends one text. At the places in shown, the answer must have the text
// exactly as sent, except for surrounding spaces. inject reports whether the
// answer has the text at one of these places.
func (r *raid) inject(request exampleRequest, at place, key, text string, shown []place) (kept bool) {
	r.Helper()
	raw, err := json.Marshal(text)
	if err != nil {
		r.Fatal(err)
	}
	r.what = fmt.Sprintf("%q at %q of %s", text, at.pointer(), request.name)
	got := r.try(request.method, r.ids.fill(request.path), key,
		at.with(r.T, r.ids.fill(request.body), string(raw)), request.headers...)
	if got.status >= http.StatusBadRequest {
		return false
	}
	if !utf8.Valid(got.body) {
		r.Errorf("%s: the answer is not UTF-8", r.what)
	}
	answered := readBody(r.T, string(got.body))
	for _, at := range places(answered, nil) {
		came, isText := at.at(answered).(string)
		same := func(other place) bool { return other.pointer() == at.pointer() }
		if isText && strings.Contains(came, plantedText) && slices.ContainsFunc(shown, same) {
			if kept = true; strings.TrimSpace(came) != strings.TrimSpace(text) {
				r.Errorf("%s came back otherwise at %s: %q", r.what, at.pointer(), came)
			}
		}
	}
	return kept
}

// splice puts raw bytes, which no JSON encoder would write, at a place of a
// body.
func splice(r *raid, at place, body, raw string) string {
	const mark = `"THE-PLACE-OF-THE-TEXT"`
	return strings.Replace(at.with(r.T, body, mark), mark, raw, 1)
}

// injectFile uploads a CSV file with every injection as a cell and a formula as
// a column name.
func (r *raid) injectFile() {
	r.Helper()
	var file strings.Builder
	w := csv.NewWriter(&file)
	rows := [][]string{{"applicant_id", "score", "outcome", "=cmd|" + plantedText}}
	for i, text := range injections {
		rows = append(rows, []string{text, strconv.Itoa(600 + i*7), []string{"good", "bad"}[i%2], text})
	}
	if err := w.WriteAll(rows); err != nil {
		r.Fatal(err)
	}
	got := r.owner.upload("", "text/csv", file.String()).want(http.StatusOK)
	r.judge(got)
	r.ids["{backtest_id}"] = got.text("backtest_id")
}

// readBack reads every list and every resource in it, in each representation
// that the contract offers.
func (r *raid) readBack() {
	r.Helper()
	seen := map[string]int{}
	for _, template := range r.doc.Paths.InMatchingOrder() {
		operation := r.doc.Paths.Find(template).Get
		if operation == nil || public(operation) || operation.OperationID == "runSyntheticBacktest" {
			continue
		}
		for _, path := range r.readable(template, operation) {
			for kind := range operation.Responses.Status(http.StatusOK).Value.Content {
				got := r.try("GET", path, r.owner.key, "", "Accept: "+kind)
				if got.status != http.StatusOK { // rows exist only after a run has ended
					continue
				}
				seen[kind] += strings.Count(string(got.body), plantedText)
				r.asData(path, kind, string(got.body))
			}
		}
	}
	for _, kind := range []string{"application/json", "text/csv"} {
		if seen[kind] == 0 {
			r.Errorf("nothing of all that was read back as %s; what was: %v", kind, seen)
		}
	}
	r.Logf("texts read back by form: %v", seen)
}

// readable returns the paths that result from a path template: one with the id
// of the contract's example, and one for each id in the corresponding list.
func (r *raid) readable(template string, operation *openapi3.Operation) (paths []string) {
	r.Helper()
	at := strings.Index(template, "{")
	if at < 0 {
		return []string{template}
	}
	for _, p := range operation.Parameters {
		if p.Value.In == openapi3.ParameterInPath {
			paths = append(paths,
				strings.ReplaceAll(template, "{"+p.Value.Name+"}", r.ids[fmt.Sprint(p.Value.Example)]))
		}
	}
	list := r.owner.get(template[:at-1] + "?limit=100")
	rows, _ := list.listed()
	for _, row := range rows {
		row, _ := row.(map[string]any)
		for _, name := range []string{"id", "decision_id", "backtest_id", "run_id"} {
			if id, is := row[name].(string); is {
				paths = append(paths, template[:at]+id+template[strings.Index(template, "}")+1:])
				break
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// asData fails if an injected text is active in the answer: as markup, as a
// formula or as Markdown.
func (r *raid) asData(path, kind, body string) {
	r.Helper()
	switch kind {
	case "text/html":
		for _, alive := range []string{
			"<script>" + plantedText, "<img src=x", `" onmouseover="` + plantedText, `href="javascript:`,
		} {
			if strings.Contains(body, alive) {
				r.Errorf("%s: %s is part of the page", path, alive)
			}
		}
	case "text/csv":
		rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
		if err != nil {
			r.Errorf("%s is no CSV: %v", path, err)
		}
		for _, cell := range slices.Concat(rows...) {
			start := strings.TrimLeft(cell, " \u00a0")
			_, err := strconv.ParseFloat(start, 64)
			if start != "" && err != nil && strings.ContainsRune("=+-@\t\r\n", rune(start[0])) {
				r.Errorf("%s has a formula in it: %q", path, cell)
			}
		}
	case "application/json":
		for name, text := range markdownOf(readBody(r.T, body), "", map[string]string{}) {
			for _, alive := range []string{
				"<script>" + plantedText, "<img src=x", plantedText + "](javascript:", "\n# " + plantedText, "\x1b",
			} {
				if strings.Contains(text, alive) {
					r.Errorf("%s: %q is Markup in %s: %s", path, alive, name, text)
				}
			}
		}
	}
}

// markdownOf finds the members of a document that contain Markdown. It adds them to found, keyed by their pointers.
func markdownOf(value any, at string, found map[string]string) map[string]string {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if text, isText := member.(string); isText && name == "memo" {
				found[at+"/"+name] = text
			}
			markdownOf(member, at+"/"+name, found)
		}
	case []any:
		for i, item := range value {
			markdownOf(item, at+"/"+strconv.Itoa(i), found)
		}
	}
	return found
}
