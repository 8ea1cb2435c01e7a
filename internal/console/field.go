package console

import "fmt"

// field is the data of the template pieces "input", "area", "select", "boxes" and "radios".
type field struct {
	Name, Label  string
	Type         string // type of an input; "text" by default
	Value        string
	Hint         string
	Fault        string
	Autocomplete string
	Inputmode    string
	Placeholder  string
	Pattern      string
	Min, Max     string
	Step         string
	Rows         string // height of an area
	Required     bool
	Autofocus    bool
	Mono         bool // for ids, conditions and other text that machines read
	Options      []option
}

// option is one choice of a select or one box of a group.
type option struct {
	Value, Label, Hint string
	Chosen             bool
}

// Described returns the ids of the field's hint and fault, for aria-describedby.
func (f *field) Described() string {
	switch {
	case f.Hint != "" && f.Fault != "":
		return "h-" + f.Name + " e-" + f.Name
	case f.Hint != "":
		return "h-" + f.Name
	case f.Fault != "":
		return "e-" + f.Name
	}
	return ""
}

// newField returns a field for a template. more is a list of pairs of a setting's name and its value;
// the method set lists the settings. A posted value takes precedence over the setting "value", except
// for passwords.
//
//	{{template "input" (field .Form "email" "E-mail" "type" "email" "required" true)}}
func newField(f *form, name, label string, more ...any) (*field, error) {
	out := &field{Name: name, Label: label, Type: "text", Fault: f.Fault(name)}
	if len(more)%2 != 0 {
		return out, fmt.Errorf("field %s: the last setting has no value", name)
	}
	for i := 0; i < len(more); i += 2 {
		word, _ := more[i].(string)
		if err := out.set(word, more[i+1]); err != nil {
			return out, err
		}
	}
	if f.Posted() {
		if out.Type != "password" {
			out.Value = f.Value(name)
		}
		for i := range out.Options {
			out.Options[i].Chosen = f.Has(name, out.Options[i].Value)
		}
		return out, nil
	}
	for i := range out.Options {
		out.Options[i].Chosen = out.Options[i].Chosen || out.Value != "" && out.Options[i].Value == out.Value
	}
	return out, nil
}

func (f *field) set(word string, value any) error {
	texts := map[string]*string{
		"type":         &f.Type,
		"value":        &f.Value,
		"hint":         &f.Hint,
		"autocomplete": &f.Autocomplete,
		"inputmode":    &f.Inputmode,
		"placeholder":  &f.Placeholder,
		"pattern":      &f.Pattern,
		"min":          &f.Min,
		"max":          &f.Max,
		"step":         &f.Step,
		"rows":         &f.Rows,
	}
	flags := map[string]*bool{"required": &f.Required, "autofocus": &f.Autofocus, "mono": &f.Mono}
	switch at, is := texts[word]; {
	case is:
		*at = fmt.Sprint(value)
	case flags[word] != nil:
		*flags[word], _ = value.(bool)
	case word == "options":
		list, is := value.([]option)
		if !is {
			return fmt.Errorf("field %s: options must be a []option", f.Name)
		}
		f.Options = append([]option(nil), list...)
	default:
		return fmt.Errorf("field %s: unknown setting %q", f.Name, word)
	}
	return nil
}

// options returns choices for a template from pairs of a value and its label.
func options(pairs ...string) ([]option, error) {
	if len(pairs)%2 != 0 {
		return nil, fmt.Errorf("options: the last value has no label")
	}
	var list []option
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, option{Value: pairs[i], Label: pairs[i+1]})
	}
	return list, nil
}
