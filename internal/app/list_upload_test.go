package app

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"verdict/internal/list"
	"verdict/internal/proof"
)

// listFile returns a compressed CSV file with entries and, after every tenth, a repetition in another spelling and two
// blank lines.
func listFile(t *testing.T, entries int) (file []byte, repeated int) {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, err := z.Write([]byte("\ufeffvalue\r\n"))
	for i := range entries {
		if _, failed := fmt.Fprintf(z, "employer %d\r\n", i); failed != nil {
			err = failed
		}
		if i%10 == 9 {
			repeated++
			if _, failed := fmt.Fprintf(z, "\r\n  EMPLOYER   %d \r\n\r\n", i-3); failed != nil {
				err = failed
			}
		}
	}
	if err != nil || z.Close() != nil {
		t.Fatal("the file cannot be compressed: ", err)
	}
	return out.Bytes(), repeated
}

// TestMillionOverHTTP uploads a long list to a node, as a compressed file with repetitions and blank lines. With
// VERDICT_LONG, the file has a million rows that are not blank, and each row must take at most 256 bytes of memory, the
// size of the longest value. If the result is written to a document, the upload must also take at most 30 seconds, and
// nothing else should run. The counts must be right in every form.
func TestMillionOverHTTP(t *testing.T) {
	t.Parallel()
	entries := 20_000
	long := os.Getenv("VERDICT_LONG") != ""
	if long {
		entries = list.MaxEntries * 10 / 11 // repetitions count against the limit of a file
	}
	document := os.Getenv(proof.Variable)
	table := [][]string{{"database", "entries", "repeated", "bytes, compressed", "upload", "peak memory",
		"with a tenth of the entries"}}
	for _, database := range databases {
		// With little headroom, the memory of the node is close to what it has in use.
		n := startNodeWith(t, database.url(t), testMasterKey(t), "GOGC=20")
		key := signUp(t, n)
		n.uploadList(t, key, entries/10)
		n.resetPeak()
		n.uploadList(t, key, entries/10)
		shortPeak := n.peak(t)
		n.resetPeak()
		size, repeated, took := n.uploadList(t, key, entries)
		peak := n.peak(t)
		for value, want := range map[string]bool{
			"Employer 0": true, fmt.Sprint("employer ", entries-1): true, fmt.Sprint("employer ", entries): false,
		} {
			_, found, _ := n.call(http.MethodPost, "/v1/lists/employers/lookup", key, "",
				fmt.Sprintf(`{"value":%q}`, value))
			if found["contains"] != want {
				t.Errorf("%s: %s: %v, want %v", database.name, value, found, want)
			}
		}
		n.kill()
		table = append(table, []string{database.name, fmt.Sprint(entries), fmt.Sprint(repeated), fmt.Sprint(size),
			took.Round(100 * time.Millisecond).String(), mebibytes(peak), mebibytes(shortPeak)})
		if rows := int64(entries + repeated); long && peak > shortPeak+256*rows {
			t.Errorf("%s: the upload takes %s of memory instead of %s", database.name, mebibytes(peak),
				mebibytes(shortPeak))
		}
		if document != "" && took > 30*time.Second {
			t.Errorf("%s: the upload takes %s", database.name, took)
		}
	}
	text := proof.Origin(t.Context(), time.Now(), "make large") + "\n" + proof.Table(table)
	t.Log(text)
	if err := proof.Write(document, "list-upload", text); err != nil {
		t.Error(err)
	}
}

// uploadList replaces a list by a file, checks the counts of the answer, and returns the size of the file, how many
// repetitions it had, and how long the upload took.
func (n *node) uploadList(t *testing.T, key string, entries int) (size, repeated int, took time.Duration) {
	t.Helper()
	file, repeated := listFile(t, entries)
	begun := time.Now()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, n.url+"/v1/lists/employers?type=text",
		bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "text/csv")
	request.Header.Set("Content-Encoding", "gzip")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	took = time.Since(begun)
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Entries, Received, Repeated int }
	if err := json.Unmarshal(body, &got); err != nil || response.StatusCode != http.StatusOK ||
		got.Entries != entries || got.Received != entries+repeated || got.Repeated != repeated {
		t.Fatalf("%d entries and %d repetitions are answered with %d %s, %v", entries, repeated, response.StatusCode,
			body, err)
	}
	return len(file), repeated, took
}
