package main

import (
	"fmt"
	"strconv"
	"strings"
)

const typesHead = `"""The documents of the API, generated from api/openapi.yaml by clients/generate.

Every document is a plain dict. These types only tell editors and type checkers what is in it.
"""

from __future__ import annotations

from typing import Any, Literal, Required, TypeAlias, TypedDict, Union

`

// typeWriter writes the types, including those of objects inside other objects.
type typeWriter struct {
	document document
	out      strings.Builder
	written  map[string]bool
}

// types returns the module with the types of all documents.
func (d document) types() (string, error) {
	w := &typeWriter{document: d, written: map[string]bool{}}
	schemas := d.root.get("components").get("schemas")
	for name, schema := range schemas.members {
		if err := w.schema(name, schema); err != nil {
			return "", fmt.Errorf("schema %s: %w", name, err)
		}
	}
	for _, item := range d.root.get("paths").members {
		for _, operation := range item.members {
			if _, _, err := d.body(w, operation); err != nil {
				return "", err
			}
			if _, _, err := d.answer(w, operation); err != nil {
				return "", err
			}
		}
	}
	return typesHead + w.out.String(), nil
}

// schema writes the type of a named schema: a class for an object, otherwise
// an alias.
func (w *typeWriter) schema(name string, s node) error {
	if w.written[name] {
		return nil
	}
	w.written[name] = true
	if s.get("properties").exists() || s.get("allOf").exists() {
		return w.class(name, s)
	}
	expression, err := w.expression(name, s)
	if err != nil {
		return err
	}
	fmt.Fprintf(&w.out, "\n%s: TypeAlias = %s\n", name, expression)
	return nil
}

// member is a member of an object.
type member struct {
	name, expression string
	required         bool
}

// class writes an object with named members, including the members of all parts of an allOf.
func (w *typeWriter) class(name string, s node) error {
	var members []member
	if err := w.collect(name, s, &members); err != nil {
		return err
	}
	plain := true
	for _, m := range members {
		plain = plain && identifier.MatchString(m.name) && keyword(m.name) == m.name
	}
	if !plain {
		fmt.Fprintf(&w.out, "\n%s = TypedDict(%q, {\n", name, name)
		for _, m := range members {
			fmt.Fprintf(&w.out, "    %q: %s,\n", m.name, m.typed())
		}
		w.out.WriteString("}, total=False)\n")
		return nil
	}
	fmt.Fprintf(&w.out, "\nclass %s(TypedDict, total=False):\n", name)
	if text := firstSentence(s.get("description").text()); text != "" {
		fmt.Fprintf(&w.out, "    \"\"\"%s\"\"\"\n\n", strings.ReplaceAll(text, `"`, `'`))
	}
	if len(members) == 0 {
		w.out.WriteString("    pass\n")
	}
	for _, m := range members {
		fmt.Fprintf(&w.out, "    %s: %s\n", m.name, m.typed())
	}
	return nil
}

func (m member) typed() string {
	if m.required {
		return "Required[" + m.expression + "]"
	}
	return m.expression
}

// collect adds the members of an object and of the parts of its allOf. A later
// part replaces members of an earlier one.
func (w *typeWriter) collect(name string, s node, members *[]member) error {
	for _, part := range s.get("allOf").elements() {
		resolved, err := w.document.resolve(part)
		if err != nil {
			return err
		}
		partName := name
		if referred(part) != "" {
			partName = referred(part)
		}
		if err := w.collect(partName, resolved, members); err != nil {
			return err
		}
	}
	for key, property := range s.get("properties").members {
		expression, err := w.expression(name+camel(key), property)
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		m := member{name: key, expression: expression}
		replaced := false
		for i := range *members {
			if (*members)[i].name == key {
				(*members)[i], replaced = m, true
			}
		}
		if !replaced {
			*members = append(*members, m)
		}
	}
	for _, required := range s.get("required").elements() {
		for i := range *members {
			if (*members)[i].name == required.text() {
				(*members)[i].required = true
			}
		}
	}
	return nil
}

// camel returns a name as a part of a type's name.
func camel(name string) string {
	var out strings.Builder
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}) {
		out.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return out.String()
}

// expression returns the type of a schema as an expression. An object with
// named members becomes a class called name.
func (w *typeWriter) expression(name string, s node) (string, error) {
	if ref := referred(s); ref != "" {
		return `"` + ref + `"`, nil
	}
	if alternatives := append(s.get("oneOf").elements(), s.get("anyOf").elements()...); len(alternatives) > 0 {
		return w.union(name, s, alternatives)
	}
	if s.get("const").exists() {
		return "Literal[" + literal(s.get("const")) + "]", nil
	}
	kinds := s.get("type").elements()
	if len(kinds) == 0 {
		kinds = []node{s.get("type")}
	}
	var parts []string
	for _, kind := range kinds {
		part, err := w.kind(name, s, kind.text())
		if err != nil {
			return "", err
		}
		parts = append(parts, part)
	}
	return joined(parts), nil
}

// union returns the alternatives of a schema. If the schema itself has members, its anyOf only says which
// members are required, so union returns the object.
func (w *typeWriter) union(name string, s node, alternatives []node) (string, error) {
	if s.get("properties").exists() {
		return w.kind(name, s, "object")
	}
	var parts []string
	for i, a := range alternatives {
		part, err := w.expression(name+strconv.Itoa(i+1), a)
		if err != nil {
			return "", err
		}
		parts = append(parts, part)
	}
	return joined(parts), nil
}

// joined returns the union of types, each once.
func joined(parts []string) string {
	seen := map[string]bool{}
	var unique []string
	for _, p := range parts {
		if !seen[p] {
			seen[p] = true
			unique = append(unique, p)
		}
	}
	if len(unique) == 1 {
		return unique[0]
	}
	return "Union[" + strings.Join(unique, ", ") + "]"
}

// kind returns the type for one JSON type of a schema.
func (w *typeWriter) kind(name string, s node, kind string) (string, error) {
	if values := s.get("enum").elements(); len(values) > 0 && kind != "null" {
		var literals []string
		for _, v := range values {
			if v.Tag != "!!null" {
				literals = append(literals, literal(v))
			}
		}
		return "Literal[" + strings.Join(literals, ", ") + "]", nil
	}
	switch kind {
	case "":
		return "Any", nil
	case "null":
		return "None", nil
	case "string":
		return "str", nil
	case "integer":
		return "int", nil
	case "number":
		return "float", nil
	case "boolean":
		return "bool", nil
	case "array":
		if !s.get("items").exists() {
			return "list[Any]", nil
		}
		element, err := w.expression(name+"Item", s.get("items"))
		return "list[" + element + "]", err
	case "object":
		if s.get("properties").exists() || s.get("allOf").exists() {
			return `"` + name + `"`, w.nested(name, s)
		}
		if values := s.get("additionalProperties"); values.get("type").exists() || values.get("$ref").exists() ||
			values.get("oneOf").exists() || values.get("anyOf").exists() {
			value, err := w.expression(name+"Value", values)
			return "dict[str, " + value + "]", err
		}
		return "dict[str, Any]", nil
	}
	return "", fmt.Errorf("unknown type %q", kind)
}

// nested writes the class of an object inside another object. The members of the outer object are collected before
// its class is written, so the inner class comes first.
func (w *typeWriter) nested(name string, s node) error {
	if w.written[name] {
		return nil
	}
	w.written[name] = true
	return w.class(name, s)
}

// literal returns a constant as Python writes it.
func literal(n node) string {
	if n.Tag == "!!str" {
		return strconv.Quote(n.text())
	}
	switch n.text() {
	case "true":
		return "True"
	case "false":
		return "False"
	}
	return n.text()
}
