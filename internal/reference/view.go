package reference

import (
	"slices"
	"strings"

	"verdict/internal/frauddesk"
)

// pageView holds everything that the pages show.
type pageView struct {
	Service  string // version of the service
	Title    string
	Summary  string
	Intro    []textBlock
	Access   []textBlock
	Groups   []*groupView
	Schemas  []schemaView
	Errors   []errorView
	Items    []errorView
	Warnings []warningView
	Problem  string // example of a problem
	Tables   []tableView
}

// tableView shows the origin of a data table that is embedded in the binary.
type tableView struct{ Use, Title, Publisher, Licence, Date, Attribution string }

func tableViews() []tableView {
	var list []tableView
	for _, t := range frauddesk.Tables() {
		list = append(list, tableView{t.Table, t.Title, t.Publisher, t.Licence, t.Date, t.Attribution})
	}
	return list
}

// groupView shows the operations with one tag.
type groupView struct {
	ID, Name   string
	Intro      []textBlock
	Operations []operationView
}

// operationView shows one method of one path.
type operationView struct {
	ID, Method, Path, Summary string
	Text                      []textBlock
	Public                    bool
	Scope                     string
	Parameters                []fieldView
	Body                      *bodyView
	Requests                  []exampleView
	Answers                   []answerView
	Refusals                  []refusalView
}

// bodyView shows the fields of a body.
type bodyView struct {
	Type         typeView
	Optional     bool
	Alternatives []typeView
	Fields       []fieldView
}

type exampleView struct{ Caption, Text string }

// answerView shows an answer that is not a problem.
type answerView struct {
	Status, MediaType string
	Text              []textBlock
	Body              bodyView
	Headers           []fieldView
	Examples          []exampleView
}

// refusalView shows an error status with its codes.
type refusalView struct {
	Status string
	Codes  []string
}

// schemaView shows a schema of the components.
type schemaView struct {
	Name  string
	Type  typeView
	Text  []textBlock
	Notes []string
	Body  bodyView
}

// errorView shows the page of an error code.
type errorView struct {
	Code, Title         string
	Status              int
	StatusText          string
	Meaning, Cause, Fix []textBlock
	Example             string
	Item                bool        // whether only an entry of "errors" can have the code
	File                bool        // whether only a row of a file, or a run that failed, can have the code
	Related             []errorView // codes of the entries in "errors" of this problem
}

// warningView shows the code of a warning.
type warningView struct {
	Code string
	Text []textBlock
}

func newPageView(openapi []byte, service string) (*pageView, error) {
	doc, err := readTree(openapi)
	if err != nil {
		return nil, err
	}
	v := &pageView{
		Tables:  tableViews(),
		Service: service,
		Title:   doc.get("info", "title").text(),
		Summary: doc.get("info", "summary").text(),
		Intro:   readText(doc.get("info", "description").text()),
		Access:  readText(doc.get("components", "securitySchemes", "bearer", "description").text()),
	}
	v.addOperations(doc)
	for _, m := range doc.get("components", "schemas").members() {
		v.Schemas = append(v.Schemas, schemaView{
			Name:  m.name,
			Type:  typeOf(m.value.target()),
			Text:  readText(m.value.get("description").text()),
			Notes: notesOf(m.value),
			Body:  newBodyView(m.value, 1),
		})
	}
	slices.SortStableFunc(v.Schemas, func(a, b schemaView) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	v.addErrors(problemExamples(doc))
	for _, w := range warningNotes {
		v.Warnings = append(v.Warnings, warningView{w.Code, readText(w.Meaning)})
	}
	return v, nil
}

// addOperations adds the operations, grouped by tag.
func (v *pageView) addOperations(doc documentNode) {
	for _, tag := range doc.get("tags").elements() {
		name := tag.get("name").text()
		v.Groups = append(v.Groups, &groupView{
			ID:    strings.ReplaceAll(strings.ToLower(name), " ", "-"),
			Name:  name,
			Intro: readText(tag.get("description").text()),
		})
	}
	for _, path := range doc.get("paths").members() {
		for _, method := range path.value.members() {
			op := newOperation(strings.ToUpper(method.name), path.name, method.value)
			tag := strings.Join(method.value.get("tags").texts(), " ")
			at := slices.IndexFunc(v.Groups, func(g *groupView) bool { return g.Name == tag })
			if at < 0 {
				at, v.Groups = len(v.Groups), append(v.Groups, &groupView{ID: "other", Name: tag})
			}
			v.Groups[at].Operations = append(v.Groups[at].Operations, op)
		}
	}
}

func newOperation(method, path string, t documentNode) operationView {
	op := operationView{
		ID:      t.get("operationId").text(),
		Method:  method,
		Path:    path,
		Summary: t.get("summary").text(),
		Text:    readText(t.get("description").text()),
		Scope:   t.get("x-scope").text(),
		Public:  t.own("security").given(),
	}
	for _, p := range t.get("parameters").elements() {
		f := schemaField(p.get("name").text(), p.get("schema"), p.get("required").text() == "true", 0, nil)
		f.In, f.Text = p.get("in").text(), readText(p.get("description").text())
		op.Parameters = append(op.Parameters, f)
	}
	if request := t.get("requestBody"); request.given() {
		media := request.get("content", "application/json")
		body := newBodyView(media.get("schema"), maxDepth)
		body.Optional = request.get("required").text() != "true"
		op.Body = &body
		for _, e := range media.get("examples").members() {
			caption := e.value.get("summary").text()
			if status := e.value.get("x-expect-status").text(); status != "" && status[0] != '2' {
				caption += " (answered with " + status + ")"
			}
			op.Requests = append(op.Requests, exampleView{caption, curlCommand(method, path, t, e.value.get("value"))})
		}
	} else {
		op.Requests = []exampleView{{Text: curlCommand(method, path, t, documentNode{})}}
	}
	for _, r := range t.get("responses").members() {
		op.addAnswer(r.name, r.value)
	}
	return op
}

// addAnswer adds an answer of the operation. If the answer can only be a problem, it is added to the refusals
// instead.
func (op *operationView) addAnswer(status string, t documentNode) {
	problem := t.get("content", "application/problem+json")
	content := t.get("content").members()
	if problem.given() && len(content) == 1 {
		refusal := refusalView{Status: status}
		for _, e := range problem.get("examples").members() {
			refusal.Codes = append(refusal.Codes, e.name)
		}
		op.Refusals = append(op.Refusals, refusal)
		return
	}
	var headers []fieldView
	for _, h := range t.get("headers").members() {
		f := schemaField(h.name, h.value.get("schema"), false, 0, nil)
		f.Text = readText(h.value.get("description").text())
		headers = append(headers, f)
	}
	if len(content) == 0 {
		op.Answers = append(op.Answers, answerView{
			Status:  status,
			Text:    readText(t.get("description").text()),
			Headers: headers,
		})
	}
	for i, media := range content {
		if media.name == "application/problem+json" {
			continue
		}
		a := answerView{Status: status, MediaType: media.name, Body: newBodyView(media.value.get("schema"), maxDepth-1)}
		if i == 0 {
			a.Text, a.Headers = readText(t.get("description").text()), headers
		}
		for _, e := range media.value.get("examples").members() {
			a.Examples = append(a.Examples, exampleView{e.value.get("summary").text(), jsonText(e.value.get("value"))})
		}
		op.Answers = append(op.Answers, a)
	}
}

func newBodyView(schema documentNode, depth int) bodyView {
	inner := schema
	if schema.get("items").given() {
		inner = schema.get("items")
	}
	return bodyView{Type: typeOf(schema), Alternatives: alternativesOf(schema), Fields: fieldViews(inner, depth, nil)}
}
