package policytest

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// The names of a case's sections in a txtar file.
const (
	ApplicationSection = "application.json"
	ExpectSection      = "expect.json"
	AsOfSection        = "as_of.txt"
	FactsSection       = "facts.json"
)

// maxCases is the maximum number of cases in one file.
const maxCases = 10_000

// Case is one application and the parts of its decision that are compared.
type Case struct {
	Name        string // the name inside the file; "" if the file has one case without a name
	Comment     string // what the case shows
	Application wire.Value
	Expect      []Expectation
	AsOf        time.Time // zero if the case states no time
	// Facts are the facts that the service would find in its stored data.
	Facts []rule.NamedValue
}

// Expectation is one part of a decision with the value that it must have.
type Expectation struct {
	Path string
	Want wire.Value // null if the part must be absent
}

// Read reads the cases of a file. A file that begins with "{" or "[" is read as
// JSON, any other file as txtar. Faults of a section have the section's name before
// the JSON pointer.
func Read(data []byte) ([]Case, error) {
	if start := bytes.TrimLeft(data, " \t\r\n"); len(start) > 0 && (start[0] == '{' || start[0] == '[') {
		return readJSON(data)
	}
	return readArchive(data)
}

// readJSON reads one case, or an array of cases.
func readJSON(data []byte) ([]Case, error) {
	document, err := wire.Parse(data)
	if err != nil {
		return nil, err
	}
	entries := []wire.Value{document}
	if document.Kind() == wire.Array {
		entries = entries[:0]
		for _, e := range document.Elements() {
			entries = append(entries, e)
		}
	}
	if len(entries) == 0 || len(entries) > maxCases {
		return nil, fmt.Errorf("the file must have 1 to %d cases, but has %d", maxCases, len(entries))
	}
	var faults fault.List
	cases := make([]Case, 0, len(entries))
	for i, e := range entries {
		form := wire.NewForm(e, &faults)
		var c Case
		c.Name, _ = form.Text("name", 200)
		if c.Name == "" && len(entries) > 1 {
			c.Name = fmt.Sprint(i + 1)
		}
		if text, ok := form.Text("as_of", 64); ok {
			if c.AsOf, err = time.Parse(time.RFC3339, text); err != nil {
				form.Fail("as_of", fault.CodeInvalidField, notATime)
			}
		}
		if form.Require("application", "the body of a decision or an evaluate request") {
			c.Application = form.Get("application")
		}
		if facts := form.Get("facts"); facts.Given() {
			c.Facts = readFacts(facts, &faults)
		}
		form.Known("facts")
		if form.Require("expect", "an object with the parts that are compared") {
			c.Expect = readExpect(form.Get("expect"), &faults)
		}
		form.Done()
		cases = append(cases, c)
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return cases, nil
}

const notATime = "must be an RFC 3339 time such as 2026-11-15T09:30:00+05:30"

// readArchive reads the cases of a txtar file. The sections of one case have the
// same folder.
func readArchive(data []byte) ([]Case, error) {
	a := ParseArchive(data)
	if len(a.Sections) == 0 {
		return nil, fmt.Errorf("the file is neither JSON nor txtar: it has no line %q", "-- application.json --")
	}
	var cases []Case
	seen := map[string]bool{}
	parts := map[string][]string{} // the sections of each case
	for _, s := range a.Sections {
		folder, name := path.Split(s.Name)
		if seen[s.Name] {
			return nil, fmt.Errorf("the section %s occurs twice", s.Name)
		}
		seen[s.Name] = true
		folder = strings.TrimSuffix(folder, "/")
		at := slices.IndexFunc(cases, func(c Case) bool { return c.Name == folder })
		if at < 0 {
			at = len(cases)
			cases = append(cases, Case{Name: folder, Comment: strings.TrimSpace(a.Comment)})
		}
		if err := cases[at].readSection(name, s.Data); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		parts[folder] = append(parts[folder], name)
	}
	if len(cases) > maxCases {
		return nil, fmt.Errorf("the file must have 1 to %d cases, but has %d", maxCases, len(cases))
	}
	for _, c := range cases {
		for _, name := range []string{ApplicationSection, ExpectSection} {
			if !slices.Contains(parts[c.Name], name) {
				return nil, fmt.Errorf("the section %s is missing", path.Join(c.Name, name))
			}
		}
	}
	return cases, nil
}

func (c *Case) readSection(name string, data []byte) error {
	switch name {
	case AsOfSection:
		at, err := time.Parse(time.RFC3339, strings.TrimSpace(string(data)))
		if err != nil {
			return fmt.Errorf("%s", notATime)
		}
		c.AsOf = at
		return nil
	case ApplicationSection, ExpectSection, FactsSection:
	default:
		return fmt.Errorf("is not a section of a case%s The sections are %s, %s, %s and %s",
			meant(name, []string{ApplicationSection, FactsSection, ExpectSection, AsOfSection}),
			ApplicationSection, FactsSection, ExpectSection, AsOfSection)
	}
	v, err := wire.Parse(data)
	if err != nil {
		return err
	}
	var faults fault.List
	switch name {
	case ApplicationSection:
		c.Application = v
	case FactsSection:
		c.Facts = readFacts(v, &faults)
	default:
		c.Expect = readExpect(v, &faults)
	}
	return faults.Err()
}

// meant returns the end of a message about an unknown name: the name that was probably meant, or only a full stop.
func meant(name string, known []string) string {
	if near, _ := fault.Suggest(name, known, false); near != "" {
		return "; did you mean " + near + "?"
	}
	return "."
}

// meantPart does the same as meant for a part of a decision. In a path, only the first name is unknown.
func meantPart(name string) string {
	root, rest, path := strings.Cut(name, ".")
	if !path {
		return meant(name, slices.Concat(partNames, roots))
	}
	if near, _ := fault.Suggest(root, roots, false); near != "" {
		return "; did you mean " + near + "." + rest + "?"
	}
	return "."
}

// readExpect reads the object of expected parts.
func readExpect(v wire.Value, faults *fault.List) (list []Expectation) {
	if v.Kind() != wire.Object {
		faults.Add(v.Pointer(), fault.CodeWrongType, "must be an object, but is %s", v.Kind())
		return nil
	}
	if v.Len() == 0 {
		faults.Add(v.Pointer(), fault.CodeRequired, `must name at least one part, such as {"status": "APPROVED"}`)
	}
	for name, want := range v.Members() {
		if !isPart(name) {
			faults.Add(want.Pointer(), fault.CodeUnknownField,
				"is not a part of a decision%s The parts are %s, or a path such as offer.emi",
				meantPart(name), strings.Join(partNames, ", "))
			continue
		}
		list = append(list, Expectation{Path: name, Want: want})
	}
	return list
}
