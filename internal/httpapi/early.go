package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"verdict/internal/serving"
	"verdict/internal/tenant"
)

// RefuseEarly returns the answer to a request for which there is no place, or nil if the
// request must be handled by ServeHTTP. It needs only the head of the request, so the
// server can call it before net/http has read the request. Past saturation most requests
// are refused, and a refusal by ServeHTTP costs about a quarter of a decision.
//
// It refuses only requests for decisions by callers whose keys are known, and refuses
// them with the same answer as ServeHTTP. Such a request has no trace. If closes is true,
// the connection must be closed after the answer.
func (a *API) RefuseEarly(h serving.Head) (answer []byte, closes bool) {
	if !a.writes.Tight() || string(h.Method) != http.MethodPost {
		return nil, false
	}
	rt := a.early[string(h.Path)]
	if rt == nil {
		return nil, false
	}
	scheme, text, _ := strings.Cut(string(h.Authorization), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return nil, false
	}
	key, ok := tenant.ParseKey(strings.TrimLeft(text, " "))
	if !ok {
		return nil, false
	}
	caller, ok := a.access.Known(key)
	if !ok {
		return nil, false
	}
	shortage := a.writes.Shortage(caller.TenantID)
	if shortage == nil {
		return nil, false
	}

	now := a.options.Now()
	requestID := a.ids.New(now)
	refusal, outcome := a.mapper.Shed(shortage, now)
	body := problemBody(withRetryAdvice(refusal), http.StatusServiceUnavailable, requestID)
	if a.tooManyRefusals(caller.TenantID, a.options.RefusalRate, now) {
		closes = !a.node.Delay(context.Background(), caller.TenantID, capacityDelay)
	}
	a.record(serving.Observation{
		Outcome:     outcome,
		Route:       rt.pattern,
		Status:      http.StatusServiceUnavailable,
		Duration:    a.options.Now().Sub(now),
		BytesOut:    int64(len(body)),
		Context:     context.Background(),
		RequestID:   requestID,
		TenantID:    caller.TenantID,
		Environment: string(caller.Environment),
		KeyID:       caller.KeyID,
	})
	return earlyAnswer(now, requestID, body, closes), closes
}

// earlyAnswer returns the bytes of an answer with the status 503, as net/http would
// write it.
func earlyAnswer(now time.Time, requestID string, body []byte, closes bool) []byte {
	const room = 320 // for the status and the headers
	b := make([]byte, 0, room+len(body))
	b = append(b, "HTTP/1.1 503 Service Unavailable\r\n"...)
	b = append(b, "Cache-Control: no-store\r\n"...)
	if closes {
		b = append(b, "Connection: close\r\n"...)
	}
	b = append(b, "Content-Length: "...)
	b = strconv.AppendInt(b, int64(len(body)), 10)
	b = append(b, "\r\nContent-Type: application/problem+json\r\nRetry-After: 1\r\n"...)
	b = append(b, "X-Content-Type-Options: nosniff\r\nX-Request-Id: "...)
	b = append(b, requestID...)
	b = append(b, "\r\nDate: "...)
	b = now.UTC().AppendFormat(b, http.TimeFormat)
	b = append(b, "\r\n\r\n"...)
	return append(b, body...)
}

// earlyRoutes returns the routes whose requests RefuseEarly refuses, by path. They are the routes that decide, because
// clients send the most requests to them.
func earlyRoutes(table []route) map[string]*route {
	early := map[string]*route{}
	for i := range table {
		rt := &table[i]
		path, isPost := strings.CutPrefix(rt.pattern, "POST ")
		if isPost && rt.bucket == bucketDecide && !strings.Contains(path, "{") {
			early[path] = rt
		}
	}
	return early
}
