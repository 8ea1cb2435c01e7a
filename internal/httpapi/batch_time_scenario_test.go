package httpapi_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"verdict/internal/tenant"
)

// TestBatchStreamTimeout checks that a stream ends when its time is over, although its next line may still take long
// to arrive.
func TestBatchStreamTimeout(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{pace: time.Hour, whole: 200 * time.Millisecond}, func(s *stack) {
		l := s.signup().stream("/v1/decisions/batch")
		got := l.read()
		detail, _ := got.at("error", "detail").(string)
		if got.at("error", "code") != "request_timeout" || !strings.Contains(detail, "200ms") {
			s.Errorf("the last line is %s", got.body)
		}
		l.end()
	})
}

// TestBatchJobTimeout checks that the upload of a job ends when its time is over.
func TestBatchJobTimeout(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{pace: time.Hour, whole: 200 * time.Millisecond}, func(s *stack) {
		body, to := io.Pipe()
		defer func() { _ = to.Close() }()
		request, err := http.NewRequestWithContext(s.Context(), http.MethodPost, s.url+"/v1/decisions/batch", body)
		if err != nil {
			s.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+s.signup().key)
		for _, h := range jobHeaders {
			name, value, _ := strings.Cut(h, ": ")
			request.Header.Set(name, value)
		}
		got, err := s.do(request)
		if err != nil {
			s.Fatal(err)
		}
		got.refused(http.StatusRequestTimeout, "request_timeout")
	})
}

// TestBatchStreamBlankLines checks that many blank lines cost as much as an application.
func TestBatchStreamBlankLines(t *testing.T) {
	t.Parallel()
	rates := tenant.DefaultRates()
	rates.Decide = tenant.Rate{Allowance: 1, Window: time.Hour, Burst: 20}
	plans := tenant.DefaultPricePlans()
	each(t, stackOptions{plans: plans.WithRates(rates)}, func(s *stack) {
		m := s.signup()
		l := m.stream("/v1/decisions/batch")
		l.write(batchItem("A-1", 0.32) + strings.Repeat("\n", 1+3*100) + batchItem("A-2", 0.32) + "\n")
		_, _ = l.read(), l.read()
		_ = l.to.Close()
		l.end()
		left := m.post("/v1/decisions/preview", batchItem("A-3", 0.32)).want(http.StatusOK).header.Get("Ratelimit")
		if !strings.Contains(left, ";r=14;") { // two applications, three times a hundred blank lines, and this request
			s.Errorf("the limit is %s", left)
		}
	})
}
