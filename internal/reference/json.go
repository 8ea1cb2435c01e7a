package reference

import (
	"encoding/json"
	"fmt"

	"gopkg.in/yaml.v3"

	"verdict/internal/wire"
)

// openAPIJSON converts the OpenAPI document to JSON. Members keep their order.
func openAPIJSON(document []byte) ([]byte, error) {
	tree, err := readTree(document)
	if err != nil {
		return nil, err
	}
	var w wire.Writer
	if err := writeJSON(&w, tree.at); err != nil {
		return nil, fmt.Errorf("write the OpenAPI document as JSON: %w", err)
	}
	return w.Buf, nil
}

func writeJSON(w *wire.Writer, node *yaml.Node) error {
	switch node.Kind {
	case yaml.MappingNode:
		w.Object()
		for i := 0; i+1 < len(node.Content); i += 2 {
			w.Name(node.Content[i].Value)
			if err := writeJSON(w, node.Content[i+1]); err != nil {
				return err
			}
		}
		w.EndObject()
	case yaml.SequenceNode:
		w.Array()
		for _, element := range node.Content {
			if err := writeJSON(w, element); err != nil {
				return err
			}
		}
		w.EndArray()
	case yaml.ScalarNode:
		return writeScalar(w, node)
	default:
		return fmt.Errorf("line %d has neither a mapping, a sequence nor a scalar", node.Line)
	}
	return nil
}

func writeScalar(w *wire.Writer, node *yaml.Node) error {
	switch node.ShortTag() {
	case "!!null":
		w.Null()
	case "!!bool", "!!int", "!!float":
		var value any
		if err := node.Decode(&value); err != nil {
			return fmt.Errorf("line %d: %w", node.Line, err)
		}
		text, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("line %d: %w", node.Line, err)
		}
		w.Raw(text)
	default: // a string, or a type such as a date that JSON does not have
		w.String(node.Value)
	}
	return nil
}
