package api_test

import (
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"verdict/api/apitest"
)

// TestGeneratorsCanReadEveryType checks that a schema has at most one type besides null, because client
// generators do not support more, and that every number has the format "double". Some generators store a number
// without a format in 32 bits, which would lose paise.
func TestGeneratorsCanReadEveryType(t *testing.T) {
	t.Parallel()
	err := load(t).WalkSchemas(func(where string, ref *openapi3.SchemaRef) error {
		schema := ref.Value
		types := slices.DeleteFunc(slices.Clone(schema.Type.Slice()), func(name string) bool {
			return name == openapi3.TypeNull
		})
		if len(types) > 1 {
			t.Errorf("%s has the types %v; write a oneOf", where, types)
		}
		if slices.Contains(types, openapi3.TypeNumber) && schema.Format != "double" {
			t.Errorf("%s is a number without format: double", where)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestMembersHaveNoDefault checks that no member has a default, because
// openapi-typescript makes such a member required. Descriptions say what
// applies when a member is left out.
func TestMembersHaveNoDefault(t *testing.T) {
	t.Parallel()
	doc := load(t)
	for _, schemas := range []map[*openapi3.Schema]string{apitest.Requests(doc), apitest.Answers(doc)} {
		for schema, where := range schemas {
			if schema.Default != nil {
				t.Errorf("%s has a default; say in its description what holds when it is left out", where)
			}
		}
	}
}

// TestAnswersAreOpen checks that response schemas allow more members, so that a
// generated client does not refuse a member that a later version adds.
func TestAnswersAreOpen(t *testing.T) {
	t.Parallel()
	no := func(has *bool) bool { return has != nil && !*has }
	answers := apitest.Answers(load(t))
	for schema, where := range answers {
		parts := []*openapi3.Schema{schema}
		for _, part := range schema.AllOf {
			parts = append(parts, part.Value)
		}
		for _, part := range parts {
			if no(part.AdditionalProperties.Has) || no(part.UnevaluatedProperties.Has) {
				t.Errorf("%s is closed; leave out additionalProperties and unevaluatedProperties", where)
			}
		}
	}
	if len(answers) < 500 {
		t.Errorf("only %d schemas of answers were found", len(answers))
	}
}

// TestOptionalMembersTakeNull checks that every optional member of a request,
// unless it is read-only, accepts null, which means the same as leaving the
// member out.
func TestOptionalMembersTakeNull(t *testing.T) {
	t.Parallel()
	requests := apitest.Requests(load(t))
	for schema, where := range requests {
		for _, part := range append(schema.AllOf, &openapi3.SchemaRef{Value: schema}) {
			for name, member := range part.Value.Properties {
				if slices.Contains(schema.Required, name) || slices.Contains(part.Value.Required, name) ||
					member.Value.ReadOnly {
					continue
				}
				if !takesNull(member.Value) {
					t.Errorf("%s/%s is optional and does not take null", where, name)
				}
			}
		}
	}
	if len(requests) < 200 {
		t.Errorf("only %d schemas of requests were found", len(requests))
	}
}

// takesNull reports whether a schema accepts null. A schema without a type
// accepts every value.
func takesNull(schema *openapi3.Schema) bool {
	if schema.Type != nil {
		return schema.Type.IncludesNull() && (len(schema.Enum) == 0 || slices.Contains(schema.Enum, nil))
	}
	alternatives := slices.Concat(schema.AnyOf, schema.OneOf)
	return len(alternatives) == 0 && len(schema.AllOf) == 0 ||
		slices.ContainsFunc(alternatives, func(ref *openapi3.SchemaRef) bool { return takesNull(ref.Value) })
}
