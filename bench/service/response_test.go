package service

import (
	"strings"
	"testing"
)

func TestReadAnswer(t *testing.T) {
	t.Parallel()
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	for _, c := range []struct{ name, data, want string }{
		{"length", head + "Content-Length: 5\r\nDate: now\r\n\r\nhello", "hello"},
		{"chunks", head + "Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", "hello"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for end := range len(c.data) {
				if _, whole, err := readAnswer([]byte(c.data[:end]), nil); whole || err != nil {
					t.Errorf("the first %d bytes are whole: %t (%v)", end, whole, err)
				}
			}
			body, whole, err := readAnswer([]byte(c.data), make([]byte, 0, 16))
			if string(body) != c.want || !whole || err != nil {
				t.Errorf("the body is %q, whole %t (%v)", body, whole, err)
			}
		})
	}
	for _, c := range []struct{ name, data, want string }{
		{"refused", "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n", "answered with"},
		{"no length", head + "\r\nhello", "Content-Length"},
		{"too long", head + "Content-Length: 4\r\n\r\nhello", "longer"},
		{"no chunk", head + "Transfer-Encoding: chunked\r\n\r\nhello\r\n", "valid size"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, _, err := readAnswer([]byte(c.data), nil); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want %q", err, c.want)
			}
		})
	}
}

func TestDecisionID(t *testing.T) {
	t.Parallel()
	if id := decisionID([]byte(`{"decision_id":"dec_1","status":"APPROVED"}`)); string(id) != "dec_1" {
		t.Errorf("the id is %q", id)
	}
	for _, body := range []string{`{"status":"APPROVED"}`, `{"decision_id":"dec_1`} {
		if id := decisionID([]byte(body)); id != nil {
			t.Errorf("the id of %s is %q", body, id)
		}
	}
}
