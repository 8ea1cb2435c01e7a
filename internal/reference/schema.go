package reference

import (
	"fmt"
	"slices"
	"strings"
)

// fieldView shows one member of a body, one parameter or one header.
type fieldView struct {
	Name     string
	In       string // location of a parameter: "query", "path" or "header"
	Type     typeView
	Required bool
	Text     []textBlock
	Notes    []string // constraints that the type does not express
	Fields   []fieldView
}

// typeView is a type in words. Schema is the name of its schema, or "" if the
// schema has no name.
type typeView struct {
	Text   string
	Schema string
}

// maxDepth is the maximum number of levels of fields that are shown. Deeper levels
// are behind a link to the schema.
const maxDepth = 3

// fieldViews returns the members of an object, including those of "allOf". depth is the number of levels to add
// below these members. seen lists the schemas that contain this schema. They are not shown again, so that a
// recursive schema ends.
func fieldViews(schema documentNode, depth int, seen []string) []fieldView {
	if name := schema.reference(); name != "" {
		if slices.Contains(seen, name) {
			return nil
		}
		seen = append(slices.Clone(seen), name)
	}
	mandatory := requiredMembers(schema)
	var fields []fieldView
	for _, m := range schema.get("properties").members() {
		if m.value.get("readOnly").text() == "true" {
			continue // the service accepts and ignores these members, so the reader does not need them
		}
		fields = append(fields, schemaField(m.name, m.value, slices.Contains(mandatory, m.name), depth, seen))
	}
	for _, part := range schema.get("allOf").elements() {
		for _, f := range fieldViews(part, depth, seen) {
			f.Required = f.Required || slices.Contains(mandatory, f.Name)
			fields = append(fields, f)
		}
	}
	return fields
}

// requiredMembers returns the required members: those that the schema lists, and
// those that are listed beside a reference to the schema.
func requiredMembers(schema documentNode) []string {
	list := schema.own("required").texts()
	if schema.reference() != "" {
		list = append(list, requiredMembers(schema.target())...)
	}
	return list
}

func schemaField(name string, schema documentNode, mandatory bool, depth int, seen []string) fieldView {
	value, null := withoutNull(schema)
	f := fieldView{
		Name: name, Type: typeOf(value), Required: mandatory,
		Text: readText(schema.get("description").text()), Notes: notesOf(value),
	}
	if value != schema {
		f.Notes = append(f.Notes, notesOf(schema)...)
	}
	// For an optional member, null means the same as a missing member.
	if null && mandatory {
		f.Type.Text += " or null"
	}
	if len(f.Text) == 0 {
		f.Text = readText(value.get("description").text())
	}
	if f.Type.Schema != "" && !schema.own("description").given() && len(f.Text) > 1 {
		f.Text = f.Text[:1] // the rest is shown at the schema itself
	}
	if depth == 0 {
		return f
	}
	inner := value
	if value.get("items").given() {
		inner = value.get("items")
	}
	// On the lowest level, show only the link to a named schema.
	if inner.reference() != "" && depth == 1 {
		return f
	}
	f.Fields = fieldViews(inner, depth-1, seen)
	return f
}

// withoutNull returns the schema of the values other than null, and reports
// whether null is allowed.
func withoutNull(schema documentNode) (value documentNode, null bool) {
	for _, kind := range []string{"anyOf", "oneOf"} {
		var values []documentNode
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

// typeOf returns the type of a schema in words, without null. The type of a named
// object is its name. Other named schemas are described by their types.
func typeOf(schema documentNode) typeView {
	schema, _ = withoutNull(schema)
	types := slices.DeleteFunc(schema.get("type").texts(), func(name string) bool { return name == "null" })
	alternatives := schema.get("oneOf")
	switch {
	case len(types) == 1 && types[0] == "array":
		of := typeOf(schema.get("items"))
		return typeView{"array of " + plural(of.Text), of.Schema}
	case len(types) == 1 && types[0] == "object":
		if name := schema.reference(); name != "" {
			return typeView{name, name}
		}
		return typeView{Text: "object"}
	case alternatives.given():
		var names []string
		for _, a := range alternatives.elements() {
			if a.own("type").text() != "null" {
				names = append(names, typeOf(a).Text)
			}
		}
		return typeView{Text: strings.Join(names, " or ")}
	case len(types) == 0:
		return typeView{Text: "any"}
	}
	text := strings.Join(types, " or ")
	// "double" adds nothing to "number".
	if format := schema.get("format").text(); format != "" && format != "double" {
		text += ", " + format
	}
	return typeView{Text: text}
}

func plural(name string) string {
	switch name {
	case "string", "number", "integer", "boolean", "object":
		return name + "s"
	}
	return name
}

// notesOf returns the constraints of a schema in words.
func notesOf(schema documentNode) []string {
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

// alternativesOf returns the named schemas of "oneOf" and "anyOf".
func alternativesOf(schema documentNode) []typeView {
	var list []typeView
	for _, kind := range []string{"oneOf", "anyOf"} {
		for _, a := range schema.get(kind).elements() {
			if name := a.reference(); name != "" {
				list = append(list, typeView{name, name})
			}
		}
	}
	return list
}
