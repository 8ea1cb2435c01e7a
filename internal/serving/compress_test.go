package serving

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestAcceptsGzip checks that the Accept-Encoding header is read as RFC 9110
// defines it.
func TestAcceptsGzip(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		"":                         false,
		"gzip":                     true,
		"GZIP":                     true,
		"x-gzip":                   true,
		"gzip, deflate, br, zstd":  true,
		"br;q=1.0, gzip;q=0.2":     true,
		"gzip;q=0":                 false,
		"gzip; q=0.000":            false,
		"*":                        true,
		"*;q=0":                    false,
		"*, gzip;q=0":              false,
		"gzip;q=0, *":              false,
		"identity":                 false,
		"deflate, br":              false,
		"identity;q=0.5, *;q=0.25": true,
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		if header != "" {
			r.Header.Set("Accept-Encoding", header)
		}
		if got := AcceptsGzip(r); got != want {
			t.Errorf("%q: %t", header, got)
		}
	}
}

func BenchmarkCompress(b *testing.B) {
	body := make([]byte, 0, 3000)
	for i := range 90 {
		body = append(body, `{"id":"KO_RULE_`+string(rune('A'+i%26))+string(rune('a'+i%17))+`","result":"pass"},`...)
	}
	b.ReportAllocs()
	for b.Loop() {
		Compressed(body[:3000], func() {})
	}
}

// TestCompressedLetsOthersCompute checks that Compressed pauses at checkpoints
// for a large body and not for a small one, and that the pauses do not change
// the text.
func TestCompressedLetsOthersCompute(t *testing.T) {
	t.Parallel()
	body := bytes.Repeat([]byte("0123456789abcdef"), 20<<10) // 320 KiB
	for size, want := range map[int]int{1 << 10: 0, 64 << 10: 0, 64<<10 + 1: 1, len(body): 4} {
		checkpoints := 0
		packed, err := gzip.NewReader(bytes.NewReader(Compressed(body[:size], func() { checkpoints++ })))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(packed)
		if err != nil || !bytes.Equal(text, body[:size]) || checkpoints != want {
			t.Errorf("%d bytes: %d bytes again, %v, with %d checkpoints, want %d",
				size, len(text), err, checkpoints, want)
		}
	}
}
