package main

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// node is a value of the API description whose members keep their order.
type node struct{ *yaml.Node }

// document is the API description.
type document struct{ root node }

func parse(text []byte) (document, error) {
	var n yaml.Node
	if err := yaml.Unmarshal(text, &n); err != nil {
		return document{}, err
	}
	if len(n.Content) != 1 {
		return document{}, fmt.Errorf("the API description is not one document")
	}
	return document{node{n.Content[0]}}, nil
}

// get returns a member, or a node without a value if there is none.
func (n node) get(name string) node {
	for key, value := range n.members {
		if key == name {
			return value
		}
	}
	return node{}
}

// members calls yield for each member of an object, in order.
func (n node) members(yield func(string, node) bool) {
	if n.Node == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !yield(n.Content[i].Value, node{n.Content[i+1]}) {
			return
		}
	}
}

// elements returns the elements of an array.
func (n node) elements() []node {
	if n.Node == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	elements := make([]node, len(n.Content))
	for i, e := range n.Content {
		elements[i] = node{e}
	}
	return elements
}

func (n node) exists() bool { return n.Node != nil }

// text returns the value of a scalar.
func (n node) text() string {
	if n.Node == nil {
		return ""
	}
	return n.Value
}

// has reports whether an array of texts contains a text.
func (n node) has(text string) bool {
	for _, e := range n.elements() {
		if e.text() == text {
			return true
		}
	}
	return false
}

// resolve follows a reference.
func (d document) resolve(n node) (node, error) {
	for n.get("$ref").exists() {
		found := d.root
		for part := range strings.SplitSeq(strings.TrimPrefix(n.get("$ref").text(), "#/"), "/") {
			found = found.get(part)
		}
		if !found.exists() {
			return node{}, fmt.Errorf("%s does not exist", n.get("$ref").text())
		}
		n = found
	}
	return n, nil
}

// referred returns the name of the schema that a reference names, or "".
func referred(n node) string {
	name, ok := strings.CutPrefix(n.get("$ref").text(), "#/components/schemas/")
	if !ok {
		return ""
	}
	return name
}

var wordStart = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// snake returns a name in Python's style: createDecision becomes
// create_decision, and Idempotency-Key becomes idempotency_key.
func snake(name string) string {
	name = wordStart.ReplaceAllString(name, "${1}_${2}")
	return keyword(strings.ToLower(strings.NewReplacer("-", "_", ".", "_").Replace(name)))
}

// keyword adds an underscore to a word that Python reserves.
func keyword(name string) string {
	switch name {
	case "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except",
		"finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass",
		"raise", "return", "try", "while", "with", "yield":
		return name + "_"
	}
	return name
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// firstSentence returns the beginning of a description, for a docstring.
func firstSentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if before, _, ok := strings.Cut(text, ". "); ok {
		text = before + "."
	}
	return strings.ReplaceAll(text, `\`, `\\`)
}
