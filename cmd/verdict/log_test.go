package main

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestLogExample compares the log line on the page about operations with the
// line of a real decision: both have the same members in the same order.
func TestLogExample(t *testing.T) {
	t.Parallel()
	examples := fenced(t, "../../docs/OPERATIONS.md", "json")
	if len(examples) != 1 {
		t.Fatalf("the page shows %d log lines", len(examples))
	}
	member := regexp.MustCompile(`"([a-z_]+)":`)
	names := func(line string) (list []string) {
		for _, m := range member.FindAllStringSubmatch(line, -1) {
			list = append(list, m[1])
		}
		return list
	}
	if !json.Valid([]byte(examples[0])) {
		t.Error("the example is not JSON")
	}
	collector := "http://127.0.0.1:1" // nobody listens; the lines have a trace id anyway
	p := startServe(t, "-database-url", "sqlite:"+filepath.Join(t.TempDir(), "verdict.db"),
		"-log-format", "json", "-log-level", "debug", "-otlp-endpoint", collector)
	key, _ := ask(t, p.url+"/api/signup", "",
		`{"email":"a@example.in","org_name":"Asha Finance","password":"a long password"}`)["api_key"].(string)
	ask(t, p.url+"/v1/decisions", key, `{"applicant":{"id":"A-1"},"bureau_report":{"score":742}}`)
	stopServe(t, p)
	for line := range strings.Lines(p.log.String()) {
		if strings.Contains(line, `"route":"POST /v1/decisions"`) {
			if !slices.Equal(names(line), names(examples[0])) {
				t.Errorf("the page shows the members %v, a real line has %v", names(examples[0]), names(line))
			}
			return
		}
	}
	t.Errorf("no line for the decision in\n%s", p.log)
}
