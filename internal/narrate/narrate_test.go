package narrate_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"verdict/internal/narrate"
)

// failSafe ends a call that would otherwise hang. No test expects it.
const failSafe = 2 * time.Minute

// serve runs an endpoint and returns a client for this endpoint, which waits for an answer at most for timeout.
func serve(t *testing.T, timeout time.Duration, handler http.HandlerFunc) *narrate.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	client, err := narrate.New(
		narrate.Config{URL: server.URL + "/v1/", Key: "sk-test", Model: "small", Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestNarrateAsksAsTheProtocolWants(t *testing.T) {
	t.Parallel()
	client := serve(t, failSafe, func(w http.ResponseWriter, r *http.Request) {
		var got struct {
			Model    string
			Messages []struct{ Role, Content string }
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(body, &got) != nil {
			t.Errorf("%v: %s", err, body)
		}
		if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer sk-test" ||
			got.Model != "small" ||
			len(got.Messages) != 2 || got.Messages[1].Content != "the summary" {
			t.Errorf("asked %s with %s", r.URL.Path, body)
		}
		_, _ = io.WriteString(w,
			`{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"Better prose."}}],
				"usage":{"total_tokens":3}}`)
	})
	if text, err := client.Narrate(t.Context(), "the summary"); err != nil || text != "Better prose." {
		t.Errorf("%q, %v", text, err)
	}
}

func TestNarrateGivesUp(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.HandlerFunc{
		"an error": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://other.example/", http.StatusFound)
		},
		"no JSON":    func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
		"no choices": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"choices":[]}`) },
		"another shape": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"choices":[{"message":{"content":[1]}}]}`)
		},
		"twice the name": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"choices":[],"choices":[]}`)
		},
		"huge": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"`+strings.Repeat("x", 100_000)+`"}}]}`)
		},
		"cut off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"choices":`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if text, err := serve(t, failSafe, handler).Narrate(t.Context(), "the summary"); err == nil {
				t.Errorf("took %q", text)
			}
		})
	}
}

// TestNarrateTimeout checks that the client gives up if an endpoint never answers.
func TestNarrateTimeout(t *testing.T) {
	t.Parallel()
	client := serve(t, 20*time.Millisecond, func(_ http.ResponseWriter, r *http.Request) {
		// A server notices that the client has disconnected only after it has read the request.
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	if text, err := client.Narrate(t.Context(), "the summary"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%q, %v", text, err)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []narrate.Config{
		{URL: "", Model: "m"}, {URL: "ftp://host/", Model: "m"}, {URL: "https://user:secret@host/", Model: "m"},
		{URL: "https://host/v1"}, {URL: "://", Model: "m"},
	} {
		if _, err := narrate.New(c); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
