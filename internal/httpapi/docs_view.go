package httpapi

import (
	"slices"
	"strings"

	"verdict/internal/frauddesk"
)

// docsView is everything the pages show.
type docsView struct {
	Service  string // the version that serves it
	Title    string
	Summary  string
	Intro    []docsBlock
	Access   []docsBlock
	Groups   []*docsGroup
	Schemas  []docsSchema
	Errors   []docsError
	Items    []docsError
	Warnings []docsWarning
	Problem  string // an example
	Tables   []docsTable
}

// docsTable is a table in the binary, and whose it is.
type docsTable struct{ Use, Title, Publisher, Licence, Date, Attribution string }

func docsTables() []docsTable {
	var list []docsTable
	for _, t := range frauddesk.Tables() {
		list = append(list, docsTable{t.Table, t.Title, t.Publisher, t.Licence, t.Date, t.Attribution})
	}
	return list
}

// docsGroup is the operations under one tag.
type docsGroup struct {
	ID, Name   string
	Intro      []docsBlock
	Operations []docsOperation
}

// docsOperation is one method of one path.
type docsOperation struct {
	ID, Method, Path, Summary string
	Text                      []docsBlock
	Public                    bool
	Scope                     string
	Parameters                []docsField
	Body                      *docsBody
	Requests                  []docsExample
	Answers                   []docsAnswer
	Refusals                  []docsRefusal
}

// docsBody is what a body looks like.
type docsBody struct {
	Type         docsType
	Optional     bool
	Alternatives []docsType
	Fields       []docsField
}

// docsExample is an example with its caption.
type docsExample struct{ Caption, Text string }

// docsAnswer is an answer that is no problem.
type docsAnswer struct {
	Status, MediaType string
	Text              []docsBlock
	Body              docsBody
	Headers           []docsField
	Examples          []docsExample
}

// docsRefusal is a status of problems with the codes it can have.
type docsRefusal struct {
	Status string
	Codes  []string
}

// docsSchema is one of the components.
type docsSchema struct {
	Name  string
	Type  docsType
	Text  []docsBlock
	Notes []string
	Body  docsBody
}

// docsError is an error code with its page's content.
type docsError struct {
	Code, Title          string
	Status               int
	StatusText           string
	Meaning, Cause, Mend []docsBlock
	Example              string
	Item                 bool // only an entry of errors can have it
	// Related are the codes that the entries of this problem's errors have.
	Related []docsError
}

// docsWarning is the code of a warning.
type docsWarning struct {
	Code string
	Text []docsBlock
}

func newDocsView(openapi []byte, service string) (*docsView, error) {
	doc, err := readDocsTree(openapi)
	if err != nil {
		return nil, err
	}
	v := &docsView{
		Tables:  docsTables(),
		Service: service,
		Title:   doc.get("info", "title").text(),
		Summary: doc.get("info", "summary").text(),
		Intro:   readDocsText(doc.get("info", "description").text()),
		Access:  readDocsText(doc.get("components", "securitySchemes", "bearer", "description").text()),
	}
	v.operations(doc)
	for _, m := range doc.get("components", "schemas").members() {
		v.Schemas = append(v.Schemas, docsSchema{
			Name: m.name, Type: docsTypeOf(m.value.target()), Text: readDocsText(m.value.get("description").text()),
			Notes: docsNotes(m.value), Body: newDocsBody(m.value, 1),
		})
	}
	v.errors(docsProblems(doc))
	for _, w := range warningNotes {
		v.Warnings = append(v.Warnings, docsWarning{w.Code, readDocsText(w.Meaning)})
	}
	return v, nil
}

// operations reads the paths into the groups of their tags.
func (v *docsView) operations(doc docsTree) {
	for _, tag := range doc.get("tags").elements() {
		name := tag.get("name").text()
		v.Groups = append(v.Groups, &docsGroup{
			ID: strings.ReplaceAll(strings.ToLower(name), " ", "-"), Name: name, Intro: readDocsText(tag.get("description").text()),
		})
	}
	for _, path := range doc.get("paths").members() {
		for _, method := range path.value.members() {
			op := newDocsOperation(strings.ToUpper(method.name), path.name, method.value)
			tag := strings.Join(method.value.get("tags").texts(), " ")
			at := slices.IndexFunc(v.Groups, func(g *docsGroup) bool { return g.Name == tag })
			if at < 0 {
				at, v.Groups = len(v.Groups), append(v.Groups, &docsGroup{ID: "other", Name: tag})
			}
			v.Groups[at].Operations = append(v.Groups[at].Operations, op)
		}
	}
}

func newDocsOperation(method, path string, t docsTree) docsOperation {
	op := docsOperation{
		ID: t.get("operationId").text(), Method: method, Path: path, Summary: t.get("summary").text(),
		Text: readDocsText(t.get("description").text()), Scope: t.get("x-scope").text(), Public: t.own("security").given(),
	}
	for _, p := range t.get("parameters").elements() {
		f := docsSchemaField(p.get("name").text(), p.get("schema"), p.get("required").text() == "true", 0, nil)
		f.In, f.Text = p.get("in").text(), readDocsText(p.get("description").text())
		op.Parameters = append(op.Parameters, f)
	}
	if request := t.get("requestBody"); request.given() {
		media := request.get("content", "application/json")
		body := newDocsBody(media.get("schema"), docsDepth)
		body.Optional = request.get("required").text() != "true"
		op.Body = &body
		for _, e := range media.get("examples").members() {
			caption := e.value.get("summary").text()
			if status := e.value.get("x-expect-status").text(); status != "" && status[0] != '2' {
				caption += " (answered with " + status + ")"
			}
			op.Requests = append(op.Requests, docsExample{caption, docsCurl(method, path, t, e.value.get("value"))})
		}
	} else {
		op.Requests = []docsExample{{Text: docsCurl(method, path, t, docsTree{})}}
	}
	for _, r := range t.get("responses").members() {
		op.answer(r.name, r.value)
	}
	return op
}

// answer sorts an answer under the answers or the refusals.
func (op *docsOperation) answer(status string, t docsTree) {
	problem := t.get("content", "application/problem+json")
	content := t.get("content").members()
	if problem.given() && len(content) == 1 {
		refusal := docsRefusal{Status: status}
		for _, e := range problem.get("examples").members() {
			refusal.Codes = append(refusal.Codes, e.name)
		}
		op.Refusals = append(op.Refusals, refusal)
		return
	}
	var headers []docsField
	for _, h := range t.get("headers").members() {
		f := docsSchemaField(h.name, h.value.get("schema"), false, 0, nil)
		f.Text = readDocsText(h.value.get("description").text())
		headers = append(headers, f)
	}
	if len(content) == 0 {
		op.Answers = append(op.Answers, docsAnswer{Status: status, Text: readDocsText(t.get("description").text()), Headers: headers})
	}
	for i, media := range content {
		if media.name == "application/problem+json" {
			continue
		}
		a := docsAnswer{Status: status, MediaType: media.name, Body: newDocsBody(media.value.get("schema"), docsDepth-1)}
		if i == 0 {
			a.Text, a.Headers = readDocsText(t.get("description").text()), headers
		}
		for _, e := range media.value.get("examples").members() {
			a.Examples = append(a.Examples, docsExample{e.value.get("summary").text(), docsJSON(e.value.get("value"))})
		}
		op.Answers = append(op.Answers, a)
	}
}

func newDocsBody(schema docsTree, depth int) docsBody {
	inner := schema
	if schema.get("items").given() {
		inner = schema.get("items")
	}
	return docsBody{Type: docsTypeOf(schema), Alternatives: docsAlternatives(schema), Fields: docsFields(inner, depth, nil)}
}
