// Package apitest reads the OpenAPI document for tests. The published document
// allows additional members in the objects of answers, because clients must
// tolerate new members. Tests must not tolerate a member that is not documented,
// so they use a closed copy, whose answers allow only documented members.
package apitest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// answeredNull lists members of the schemas that requests and answers share. The listed members may be null in
// an answer. The other members of these schemas may be null only in a request.
var answeredNull = []string{"gps_match_radius_km", "missing_points"}

// Load reads an OpenAPI document and resolves its references.
func Load(document []byte) (*openapi3.T, error) {
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return nil, fmt.Errorf("load the contract: %w", err)
	}
	return doc, nil
}

// LoadClosed reads an OpenAPI document and closes its answers: their objects allow
// only documented members. In schemas that requests and answers share, only the
// members in answeredNull may be null.
func LoadClosed(document []byte) (*openapi3.T, error) {
	doc, err := Load(document)
	if err != nil {
		return nil, err
	}
	sent := Requests(doc)
	answers := Answers(doc)
	for schema, where := range answers {
		if err := closeObject(schema, where); err != nil {
			return nil, err
		}
	}
	for schema := range answers {
		if _, shared := sent[schema]; !shared {
			continue
		}
		for name, member := range schema.Properties {
			if !slices.Contains(answeredNull, name) {
				refuseNull(member.Value)
			}
		}
	}
	return doc, nil
}

// closeObject closes one schema. It first copies the members of the parts of an
// allOf into the schema and removes the allOf. A part that was closed separately
// would refuse the members of the other parts.
func closeObject(schema *openapi3.Schema, where string) error {
	for _, part := range schema.AllOf {
		if len(part.Value.AllOf)+len(part.Value.AnyOf)+len(part.Value.OneOf) > 0 {
			return fmt.Errorf("%s is composed too deeply to be closed", where)
		}
		properties := openapi3.Schemas{}
		maps.Copy(properties, part.Value.Properties)
		maps.Copy(properties, schema.Properties)
		schema.Properties = properties
		schema.Required = append(slices.Clone(schema.Required), part.Value.Required...)
	}
	schema.AllOf = nil
	more := schema.AdditionalProperties
	if len(schema.Properties) > 0 && more.Has == nil && more.Schema == nil {
		closed := false
		schema.AdditionalProperties = openapi3.AdditionalProperties{Has: &closed}
	}
	return nil
}

func refuseNull(schema *openapi3.Schema) {
	if schema.Type.IncludesNull() {
		types := slices.DeleteFunc(slices.Clone(schema.Type.Slice()), func(name string) bool {
			return name == openapi3.TypeNull
		})
		kept := openapi3.Types(types)
		schema.Type = &kept
	}
	isNull := func(ref *openapi3.SchemaRef) bool { return ref.Value.Type.Is(openapi3.TypeNull) }
	schema.AnyOf = slices.DeleteFunc(slices.Clone(schema.AnyOf), isNull)
	schema.OneOf = slices.DeleteFunc(slices.Clone(schema.OneOf), isNull)
}

// Requests returns every schema that describes a part of a request's body. The
// value of the map is the first place at which the schema was found, such as
// "POST /v1/decisions/applicant".
func Requests(doc *openapi3.T) map[*openapi3.Schema]string {
	found := map[*openapi3.Schema]string{}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			if operation.RequestBody != nil {
				reachContent(operation.RequestBody.Value.Content, method+" "+path, found)
			}
		}
	}
	return found
}

// Answers returns every schema that describes a part of an answer's body, with the
// first place at which it was found, like Requests. The parts of an allOf are left
// out, because they do not describe a separate object.
func Answers(doc *openapi3.T) map[*openapi3.Schema]string {
	found := map[*openapi3.Schema]string{}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			for status, response := range operation.Responses.Map() {
				reachContent(response.Value.Content, method+" "+path+" "+status, found)
			}
		}
	}
	return found
}

func reachContent(content openapi3.Content, where string, found map[*openapi3.Schema]string) {
	for _, media := range content {
		if media.Schema != nil {
			reach(media.Schema, where, found)
		}
	}
}

func reach(ref *openapi3.SchemaRef, where string, found map[*openapi3.Schema]string) {
	if _, seen := found[ref.Value]; seen || ref.Value == nil {
		return
	}
	schema := ref.Value
	found[schema] = where
	for _, part := range schema.AllOf {
		reachInside(part.Value, where, found)
	}
	reachInside(schema, where, found)
}

func reachInside(schema *openapi3.Schema, where string, found map[*openapi3.Schema]string) {
	for name, member := range schema.Properties {
		reach(member, where+"/"+name, found)
	}
	for _, alternatives := range []openapi3.SchemaRefs{schema.AnyOf, schema.OneOf} {
		for _, alternative := range alternatives {
			reach(alternative, where, found)
		}
	}
	if schema.Items != nil {
		reach(schema.Items, where+"/-", found)
	}
	if schema.AdditionalProperties.Schema != nil {
		reach(schema.AdditionalProperties.Schema, where+"/*", found)
	}
}
