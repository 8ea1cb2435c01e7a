package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"verdict/internal/backtest"
	"verdict/internal/operation"
	"verdict/internal/study"
)

// tiny holds limits that make every backtest of more than ten rows a job with
// many chunks.
var tiny = study.BacktestLimits{SmallRows: 10, ChunkBytes: 2 << 10, ChunkRows: 50}

// bookCSV returns a synthetic book as a CSV file.
func bookCSV(rows int) string {
	book := backtest.Book{Seed: 7, BadRate: 150_000}
	return strings.Join(book.Header(), ",") + "\n" + string(book.Append(nil, 1, rows))
}

// asRows returns a CSV file as the rows of a JSON body.
func asRows(t *testing.T, file string) string {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(file)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]map[string]any, 0, len(lines))
	for _, line := range lines[1:] {
		row := map[string]any{}
		for i, cell := range line {
			if _, err := strconv.ParseFloat(cell, 64); err == nil {
				row[lines[0][i]] = json.Number(cell)
			} else if cell != "" {
				row[lines[0][i]] = cell
			}
		}
		rows = append(rows, row)
	}
	return encoded(t, rows)
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func zipped(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// form returns a multipart body with the fields before the file.
func form(t *testing.T, file string, fields ...string) (body, contentType string) {
	t.Helper()
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	for i := 0; i < len(fields); i += 2 {
		if err := w.WriteField(fields[i], fields[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile("file", "book.csv")
	if err == nil {
		_, err = part.Write([]byte(file))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), w.FormDataContentType()
}

// upload sends a file. No schema describes the bytes of the file, so only the
// answer is checked against the contract.
func (m *member) upload(query, contentType, file string, headers ...string) answer {
	m.Helper()
	path := "/v1/backtest" + query
	got, err := m.trySend("POST", path, m.key, file, append([]string{"Content-Type: " + contentType}, headers...)...)
	if err != nil {
		m.Fatal(err)
	}
	checkContract(m.T, "POST", path, "", got)
	return got
}

// finish runs the queued chunks and returns the backtest.
func (m *member) finish(spread *waiting, accepted answer) answer {
	m.Helper()
	accepted.want(http.StatusAccepted)
	for chunks := spread.take(); len(chunks) > 0; chunks = spread.take() { // chunks of a replay can add more chunks
		m.run(chunks)
	}
	return m.get("/v1/backtest/" + accepted.text("backtest_id")).want(http.StatusOK)
}

// run runs chunks in the same way as a worker.
func (m *member) run(chunks []operation.Chunk) {
	m.Helper()
	for _, c := range chunks {
		if err := m.service.Chunks.Run(m.Context(), c); err != nil {
			m.Fatal(err)
		}
	}
}

// figures returns the members of a report that depend neither on when the
// report was made nor on how its rows were sent.
func figures(t *testing.T, report any) map[string]any {
	t.Helper()
	members, ok := report.(map[string]any)
	if !ok {
		t.Fatalf("this is no report: %v", report)
	}
	for _, name := range []string{"backtest_id", "source", "duration_ms", "created_at"} {
		if members[name] == nil {
			t.Errorf("the report has no %s", name)
		}
		delete(members, name)
	}
	return members
}

// on returns a copy of the member that sends its requests to another node.
func (m *member) on(node *stack) *member {
	other := *m
	other.stack = node
	return &other
}

// stricter creates a draft that declines more applications, and returns its id.
func (m *member) stricter() string {
	m.Helper()
	return m.post("/v1/rule-sets",
		`{"name":"Stricter","knockouts":[{"id":"KO_STRICT","stage":1,"action":"decline","reason_code":"BUR_ENQ",
		"condition_ast":{"op":"gte","field":"enquiries_6m","value":2}}]}`).want(http.StatusCreated).text("id")
}

// points fails unless the faults of a refusal begin with these pointers, in
// this order.
func (a answer) points(want ...string) {
	a.t.Helper()
	for i, place := range want {
		if got := a.at("errors", i, "pointer"); got != place {
			a.t.Errorf("%s: fault %d is at %v, want %s: %s", a.sent, i, got, place, a.body)
		}
	}
}
