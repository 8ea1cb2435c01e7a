package reference

import (
	"encoding/json"
	"net/url"
	"strings"

	"gopkg.in/yaml.v3"
)

// lineWidth is the length in bytes up to which an object or a list stays on one line.
const lineWidth = 96

// jsonText returns an example as JSON, with the members in the order of the document. Below the top level, objects and
// lists that fit into lineWidth stay on one line, so that a list of rules has one line for each rule.
func jsonText(t documentNode) string {
	if t.at != nil && t.at.Kind == yaml.ScalarNode && t.at.Tag == "!!str" {
		return strings.TrimRight(t.at.Value, "\n") // the example is text and not JSON
	}
	var b strings.Builder
	writeExample(&b, t.at, 0, 0)
	return b.String()
}

// writeExample writes a value. used is the number of bytes before the value on its line, without the indent.
func writeExample(b *strings.Builder, n *yaml.Node, indent, used int) {
	line := jsonLine(n)
	fits := indent > 0 && indent+used+len(line) <= lineWidth
	if fits || n == nil || n.Kind == yaml.ScalarNode || len(n.Content) == 0 {
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
			key = quoteJSON(n.Content[i].Value) + ": "
		}
		b.WriteString(key)
		writeExample(b, n.Content[i+step-1], indent+2, len(key))
	}
	b.WriteString("\n" + strings.Repeat(" ", indent) + closing)
}

// jsonLine returns a value as JSON on one line.
func jsonLine(n *yaml.Node) string {
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
			b.WriteString(quoteJSON(n.Content[i].Value) + ": " + jsonLine(n.Content[i+1]))
		}
		b.WriteString("}")
	case yaml.SequenceNode:
		b.WriteString("[")
		for i, e := range n.Content {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(jsonLine(e))
		}
		b.WriteString("]")
	default:
		if n.Tag == "!!str" || n.Tag == "!!timestamp" {
			return quoteJSON(n.Value)
		}
		return n.Value
	}
	return b.String()
}

func quoteJSON(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(text) != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// sampleIDs replaces the id placeholders of examples by shell variables.
var sampleIDs = strings.NewReplacer(
	"{decision_id}", "$DECISION_ID",
	"{evaluated_id}", "$EVALUATED_ID",
	"{rule_set_id}", "$RULE_SET_ID",
	"{draft_id}", "$DRAFT_ID",
	"{spare_id}", "$SPARE_ID",
	"{scorecard_id}", "$SCORECARD_ID",
	"{cosigned_checkpoint}", "$COSIGNED_CHECKPOINT",
)

// curlCommand returns a curl command that can be copied. The address and the key
// are the environment variables that the quick start sets.
func curlCommand(method, path string, op documentNode, body documentNode) string {
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
			path = strings.Replace(path, "{"+name+"}", sampleIDs.Replace(example), 1)
		case in == "query":
			value := sampleIDs.Replace(example)
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
		lines = append(lines, "-H 'Content-Type: application/json'", "-d "+shellQuoted(jsonText(body)))
	}
	return strings.Join(lines, " \\\n  ")
}

// shellQuoted quotes a body for a shell. Placeholders for ids become variables
// outside of the quotes, so that the shell replaces them.
func shellQuoted(body string) string {
	body = strings.ReplaceAll(body, "'", `'\''`)
	for _, id := range []string{"decision_id", "rule_set_id", "draft_id", "scorecard_id"} {
		body = strings.ReplaceAll(body, "{"+id+"}", "'$"+strings.ToUpper(id)+"'")
	}
	return "'" + body + "'"
}
