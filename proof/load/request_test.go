package load

import (
	"bufio"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestMix(t *testing.T) {
	t.Parallel()
	m, err := ParseMix("80, 10,5,5")
	if err != nil || m != DefaultMix() {
		t.Fatalf("%v (%v)", m, err)
	}
	random := rand.New(rand.NewPCG(1, 1))
	var drawn Mix
	for range 100_000 {
		drawn[m.draw(random)]++
	}
	for k, weight := range m {
		if got := float64(drawn[k]) / 1000; got < float64(weight)-0.5 || got > float64(weight)+0.5 {
			t.Errorf("%s are %.2f %% of all, want %d", kindNames[k], got, weight)
		}
	}
	for _, text := range []string{"", "1,2,3", "1,2,3,4,5", "1,2,3,x", "0,0,0,0", "1,1,1,-1"} {
		if _, err := ParseMix(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestReadAnswer(t *testing.T) {
	t.Parallel()
	const refusal = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: " +
		"2\r\n\r\nno"
	r := bufio.NewReader(
		strings.NewReader("HTTP/1.1 200 OK\r\ncontent-length: 23\r\n\r\n{\"decision_id\":\"dec_1\"}" + refusal))
	a, err := readAnswer(r, nil)
	if err != nil || a.status != 200 || a.retryAfter || a.closes || decisionID(a.body) != "dec_1" {
		t.Errorf("%+v (%v)", a, err)
	}
	a, err = readAnswer(r, a.body)
	if err != nil || a.status != 503 || !a.retryAfter || !a.closes || string(a.body) != "no" ||
		decisionID(a.body) != "" {
		t.Errorf("%+v (%v)", a, err)
	}
	for end := range refusal {
		if _, err := readAnswer(bufio.NewReader(strings.NewReader(refusal[:end])), nil); err == nil {
			t.Errorf("%q is taken for an answer", refusal[:end])
		}
	}
	for _, text := range []string{"HTTP/1.1 2x0 OK\r\n\r\n", "hello, this is no answer\r\n",
		"HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"} {
		if _, err := readAnswer(bufio.NewReader(strings.NewReader(text)), nil); err == nil {
			t.Errorf("%q is taken for an answer", text)
		}
	}
}
