package reference

import (
	"errors"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// documentNode is a place in the OpenAPI document. The document is read as a tree
// and not into types, because the page shows things in the order in which they
// were written. A place that is not there is the zero tree, and everything
// below it too.
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
		return documentNode{}, errors.New("read the OpenAPI document: it is no mapping")
	}
	return documentNode{file.Content[0], file.Content[0]}, nil
}

func (t documentNode) given() bool { return t.at != nil }

// text is a scalar as it was written, "" when there is none.
func (t documentNode) text() string {
	if t.at == nil || t.at.Kind != yaml.ScalarNode {
		return ""
	}
	return t.at.Value
}

// own is a member of a mapping, without following a reference.
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

// get walks down members, through references; what stands beside a reference
// wins over what it refers to.
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

// reference is the name of the component that is referred to here, "" when
// none is.
func (t documentNode) reference() string {
	ref := t.own("$ref").text()
	return ref[strings.LastIndex(ref, "/")+1:]
}

// target is what is referred to here; the place itself when nothing is.
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

// memberView is one member of a mapping.
type memberView struct {
	name  string
	value documentNode
}

// members lists a mapping in the order of the document.
func (t documentNode) members() []memberView {
	t = t.target()
	if t.at == nil || t.at.Kind != yaml.MappingNode {
		return nil
	}
	list := make([]memberView, 0, len(t.at.Content)/2)
	for i := 0; i+1 < len(t.at.Content); i += 2 {
		list = append(list, memberView{t.at.Content[i].Value, documentNode{t.at.Content[i+1], t.root}})
	}
	return list
}

// elements lists a sequence.
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

// texts lists a sequence of scalars, or a single one.
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
