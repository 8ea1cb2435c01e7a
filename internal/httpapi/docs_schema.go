package httpapi

import (
	"fmt"
	"slices"
	"strings"
)

// docsField is one member of a body, or one parameter.
type docsField struct {
	Name     string
	In       string // of a parameter: query, path or header
	Type     docsType
	Required bool
	Text     []docsBlock
	Notes    []string // what the type alone does not say
	Fields   []docsField
}

// docsType is a type in words, with the schema it can be looked up under.
type docsType struct {
	Text   string
	Schema string
}

// docsDepth is how far the fields of fields are shown before a reader is sent
// to the schema instead.
const docsDepth = 3

// docsFields lists the members of an object, those of allOf among them. With
// depth they come with their own members; seen keeps a schema that holds
// itself from never ending.
func docsFields(schema docsTree, depth int, seen []string) []docsField {
	if name := schema.reference(); name != "" {
		if slices.Contains(seen, name) {
			return nil
		}
		seen = append(slices.Clone(seen), name)
	}
	mandatory := docsRequired(schema)
	var fields []docsField
	for _, m := range schema.get("properties").members() {
		if m.value.get("readOnly").text() == "true" {
			continue // accepted and ignored; naming them would not help anybody
		}
		fields = append(fields, docsSchemaField(m.name, m.value, slices.Contains(mandatory, m.name), depth, seen))
	}
	for _, part := range schema.get("allOf").elements() {
		for _, f := range docsFields(part, depth, seen) {
			f.Required = f.Required || slices.Contains(mandatory, f.Name)
			fields = append(fields, f)
		}
	}
	return fields
}

// docsRequired lists what must be there: by the schema itself, and by what
// stands beside a reference to it.
func docsRequired(schema docsTree) []string {
	list := schema.own("required").texts()
	if schema.reference() != "" {
		list = append(list, docsRequired(schema.target())...)
	}
	return list
}

func docsSchemaField(name string, schema docsTree, mandatory bool, depth int, seen []string) docsField {
	value, null := docsWithoutNull(schema)
	f := docsField{
		Name: name, Type: docsTypeOf(value), Required: mandatory,
		Text: readDocsText(schema.get("description").text()), Notes: docsNotes(value),
	}
	if value != schema {
		f.Notes = append(f.Notes, docsNotes(schema)...)
	}
	// Of an optional member null says the same as leaving it out.
	if null && mandatory {
		f.Type.Text += " or null"
	}
	if len(f.Text) == 0 {
		f.Text = readDocsText(value.get("description").text())
	}
	if f.Type.Schema != "" && !schema.own("description").given() && len(f.Text) > 1 {
		f.Text = f.Text[:1] // the rest stands with the schema
	}
	if depth == 0 {
		return f
	}
	inner := value
	if value.get("items").given() {
		inner = value.get("items")
	}
	// In the list of schemas a named one has a place of its own.
	if inner.reference() != "" && depth == 1 {
		return f
	}
	f.Fields = docsFields(inner, depth-1, seen)
	return f
}

// docsWithoutNull returns the schema of the values besides null, and reports
// whether null is allowed.
func docsWithoutNull(schema docsTree) (value docsTree, null bool) {
	for _, kind := range []string{"anyOf", "oneOf"} {
		var values []docsTree
		for _, a := range schema.own(kind).elements() {
			if a.own("type").text() == "null" {
				null = true
			} else {
				values = append(values, a)
			}
		}
		if null && len(values) == 1 {
			return values[0], true
		}
	}
	return schema, null || slices.Contains(schema.get("type").texts(), "null")
}

// docsTypeOf is a type in words, without null. A named object is looked up; a
// named scalar says all in its own words.
func docsTypeOf(schema docsTree) docsType {
	schema, _ = docsWithoutNull(schema)
	types := slices.DeleteFunc(schema.get("type").texts(), func(name string) bool { return name == "null" })
	alternatives := schema.get("oneOf")
	switch {
	case len(types) == 1 && types[0] == "array":
		of := docsTypeOf(schema.get("items"))
		return docsType{"array of " + docsPlural(of.Text), of.Schema}
	case len(types) == 1 && types[0] == "object":
		if name := schema.reference(); name != "" {
			return docsType{name, name}
		}
		return docsType{Text: "object"}
	case alternatives.given():
		var names []string
		for _, a := range alternatives.elements() {
			if a.own("type").text() != "null" {
				names = append(names, docsTypeOf(a).Text)
			}
		}
		return docsType{Text: strings.Join(names, " or ")}
	case len(types) == 0:
		return docsType{Text: "any"}
	}
	text := strings.Join(types, " or ")
	// That a number is a double goes without saying.
	if format := schema.get("format").text(); format != "" && format != "double" {
		text += ", " + format
	}
	return docsType{Text: text}
}

func docsPlural(name string) string {
	switch name {
	case "string", "number", "integer", "boolean", "object":
		return name + "s"
	}
	return name
}

// docsNotes are the bounds of a value, in words.
func docsNotes(schema docsTree) []string {
	var notes []string
	note := func(format, key string) {
		if text := schema.get(key).text(); text != "" {
			notes = append(notes, fmt.Sprintf(format, text))
		}
	}
	if values := schema.get("enum").texts(); len(values) > 0 {
		notes = append(notes, "one of "+strings.Join(values, ", "))
	}
	note("always %s", "const")
	note("from %s", "minimum")
	note("above %s", "exclusiveMinimum")
	note("up to %s", "maximum")
	note("at least %s characters", "minLength")
	note("at most %s characters", "maxLength")
	note("at most %s entries", "maxItems")
	note("default %s", "default")
	note("matches %s", "pattern")
	return notes
}

// docsAlternatives are the schemas of which a body is one.
func docsAlternatives(schema docsTree) []docsType {
	var list []docsType
	for _, kind := range []string{"oneOf", "anyOf"} {
		for _, a := range schema.get(kind).elements() {
			if name := a.reference(); name != "" {
				list = append(list, docsType{name, name})
			}
		}
	}
	return list
}
