package reference

import (
	"errors"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// documentNode is a node of the OpenAPI document. The document is read as a tree
// and not into types, because the page keeps the order of its members. A node that
// does not exist is the zero documentNode, and so are all nodes below it.
type documentNode struct {
	at   *yaml.Node
	root *yaml.Node
}

func readTree(document []byte) (documentNode, error) {
	var file yaml.Node
	if err := yaml.Unmarshal(document, &file); err != nil {
		return documentNode{}, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	if len(file.Content) != 1 || file.Content[0].Kind != yaml.MappingNode {
		return documentNode{}, errors.New("read the OpenAPI document: it is not a mapping")
	}
	return documentNode{file.Content[0], file.Content[0]}, nil
}

// given reports whether the node exists.
func (t documentNode) given() bool { return t.at != nil }

// text returns a scalar as it is written in the document, or "" if the node is not
// a scalar.
func (t documentNode) text() string {
	if t.at == nil || t.at.Kind != yaml.ScalarNode {
		return ""
	}
	return t.at.Value
}

// own returns a member of a mapping, without following a reference.
func (t documentNode) own(name string) documentNode {
	if t.at == nil || t.at.Kind != yaml.MappingNode {
		return documentNode{}
	}
	for i := 0; i+1 < len(t.at.Content); i += 2 {
		if t.at.Content[i].Value == name {
			return documentNode{t.at.Content[i+1], t.root}
		}
	}
	return documentNode{}
}

// get returns the node at a path of members. It follows references. A member beside
// a reference takes precedence over the same member of the target.
func (t documentNode) get(path ...string) documentNode {
	for _, name := range path {
		next := t.own(name)
		for from := t; !next.given() && from.own("$ref").given(); {
			from = from.target()
			next = from.own(name)
		}
		t = next
	}
	return t
}

// reference returns the name of the component that the node refers to, or "" if the
// node is not a reference.
func (t documentNode) reference() string {
	ref := t.own("$ref").text()
	return ref[strings.LastIndex(ref, "/")+1:]
}

// target returns the node that t refers to, or t itself if t is not a reference.
func (t documentNode) target() documentNode {
	path, ok := strings.CutPrefix(t.own("$ref").text(), "#/")
	if !ok {
		return t
	}
	to := documentNode{t.root, t.root}
	for name := range strings.SplitSeq(path, "/") {
		to = to.own(name)
	}
	return to
}

// member is one member of a mapping.
type member struct {
	name  string
	value documentNode
}

// members returns the members of a mapping in the order of the document. It follows a reference.
func (t documentNode) members() []member {
	t = t.target()
	if t.at == nil || t.at.Kind != yaml.MappingNode {
		return nil
	}
	list := make([]member, 0, len(t.at.Content)/2)
	for i := 0; i+1 < len(t.at.Content); i += 2 {
		list = append(list, member{t.at.Content[i].Value, documentNode{t.at.Content[i+1], t.root}})
	}
	return list
}

// elements returns the elements of a sequence.
func (t documentNode) elements() []documentNode {
	if t.at == nil || t.at.Kind != yaml.SequenceNode {
		return nil
	}
	list := make([]documentNode, len(t.at.Content))
	for i, n := range t.at.Content {
		list[i] = documentNode{n, t.root}
	}
	return list
}

// texts returns the texts of a sequence of scalars, or of a single scalar.
func (t documentNode) texts() []string {
	if text := t.text(); text != "" {
		return []string{text}
	}
	list := make([]string, 0, 4)
	for _, e := range t.elements() {
		list = append(list, e.text())
	}
	return list
}
