package httpapi

import (
	"encoding/json"
	"net/url"
	"strings"

	"gopkg.in/yaml.v3"
)

// docsWidth is the widest line of an example; what fits stays on one.
const docsWidth = 96

// docsJSON writes an example as JSON, in its own order. Short objects and
// lists stay on one line, so that a list of rules reads like a list.
func docsJSON(t docsTree) string {
	if t.at != nil && t.at.Kind == yaml.ScalarNode && t.at.Tag == "!!str" {
		return strings.TrimRight(t.at.Value, "\n") // an example that is text and no JSON
	}
	var b strings.Builder
	writeDocsJSON(&b, t.at, 0, 0)
	return b.String()
}

func writeDocsJSON(b *strings.Builder, n *yaml.Node, indent, used int) {
	line := docsJSONLine(n)
	if n == nil || n.Kind == yaml.ScalarNode || len(n.Content) == 0 || indent > 0 && indent+used+len(line) <= docsWidth {
		b.WriteString(line)
		return
	}
	pad := strings.Repeat(" ", indent+2)
	opening, closing, step := "[", "]", 1
	if n.Kind == yaml.MappingNode {
		opening, closing, step = "{", "}", 2
	}
	b.WriteString(opening)
	for i := 0; i+step <= len(n.Content); i += step {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n" + pad)
		key := ""
		if step == 2 {
			key = docsQuote(n.Content[i].Value) + ": "
		}
		b.WriteString(key)
		writeDocsJSON(b, n.Content[i+step-1], indent+2, len(key))
	}
	b.WriteString("\n" + strings.Repeat(" ", indent) + closing)
}

// docsJSONLine is a value on one line.
func docsJSONLine(n *yaml.Node) string {
	if n == nil {
		return "null"
	}
	var b strings.Builder
	switch n.Kind {
	case yaml.MappingNode:
		b.WriteString("{")
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(docsQuote(n.Content[i].Value) + ": " + docsJSONLine(n.Content[i+1]))
		}
		b.WriteString("}")
	case yaml.SequenceNode:
		b.WriteString("[")
		for i, e := range n.Content {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(docsJSONLine(e))
		}
		b.WriteString("]")
	default:
		if n.Tag == "!!str" || n.Tag == "!!timestamp" {
			return docsQuote(n.Value)
		}
		return n.Value
	}
	return b.String()
}

func docsQuote(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(text) != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// docsIDs are the ids that examples leave open, as shell variables.
var docsIDs = strings.NewReplacer(
	"{decision_id}", "$DECISION_ID", "{evaluated_id}", "$EVALUATED_ID", "{rule_set_id}", "$RULE_SET_ID", "{draft_id}", "$DRAFT_ID", "{spare_id}", "$SPARE_ID", "{scorecard_id}", "$SCORECARD_ID",
)

// docsCurl is a command that can be copied: the address and the key come from
// the environment, as the quick start sets them.
func docsCurl(method, path string, op docsTree, body docsTree) string {
	var query []string
	var headers []string
	if security := op.own("security"); !security.given() {
		headers = append(headers, `-H "Authorization: Bearer $VERDICT_KEY"`)
	}
	for _, p := range op.own("parameters").elements() {
		name, example := p.get("name").text(), p.get("example").text()
		switch in := p.get("in").text(); {
		case name == "Idempotency-Key":
			headers = append(headers, `-H "Idempotency-Key: $(uuidgen)"`)
		case example == "":
		case in == "path":
			path = strings.Replace(path, "{"+name+"}", docsIDs.Replace(example), 1)
		case in == "query":
			value := docsIDs.Replace(example)
			if value == example {
				value = url.QueryEscape(example)
			}
			query = append(query, name+"="+value)
		}
	}
	address := `"$VERDICT` + path
	if len(query) > 0 {
		address += "?" + strings.Join(query, "&")
	}
	lines := []string{"curl " + address + `"`}
	if method == "POST" && !body.given() {
		lines[0] = "curl -X POST " + address + `"`
	}
	lines = append(lines, headers...)
	if body.given() {
		lines = append(lines, "-H 'Content-Type: application/json'", "-d "+docsShell(docsJSON(body)))
	}
	return strings.Join(lines, " \\\n  ")
}

// docsShell quotes a body for a shell. An id to fill in stands outside of the
// quotes, so that the shell fills it in.
func docsShell(body string) string {
	body = strings.ReplaceAll(body, "'", `'\''`)
	for _, id := range []string{"decision_id", "rule_set_id", "draft_id", "scorecard_id"} {
		body = strings.ReplaceAll(body, "{"+id+"}", "'$"+strings.ToUpper(id)+"'")
	}
	return "'" + body + "'"
}
