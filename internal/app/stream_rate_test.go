package app

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"verdict/internal/proof"
	"verdict/internal/store/storetest"
)

const (
	streamCallers = 64 // concurrent callers of the closed loop
	streamRounds  = 3  // the stream and the closed loop take turns, so that both meet the same load of the machine
)

// databases are the kinds of databases that the service supports, and how a test makes one.
var databases = []struct {
	name string
	url  func(testing.TB) string
}{{"SQLite", storetest.SQLite}, {"PostgreSQL", storetest.Postgres}}

// TestStreamRate sends applications as streams of lines to one node. To another node with a database of its own,
// concurrent callers send as many applications, and each caller waits for an answer before it sends the next one.
// Every line of a stream must be answered with a decision, in order. If the result is written to a document, the test
// also judges the rates and the peak memory of the nodes, so nothing else should run. The streams and the other callers
// use different nodes, because the garbage collector lets the heap grow in proportion to the memory that was in use
// last: on one node, the memory of a stream would depend on the callers before it.
func TestStreamRate(t *testing.T) {
	t.Parallel()
	const usual, long, most = 600, 6_000, 120_000
	rows := min(batchRows(t, usual, long), most)
	document := os.Getenv(proof.Variable)
	table := [][]string{{"database", "applications in each of both ways", "a second in one stream",
		fmt.Sprintf("a second by %d callers", streamCallers), "ratio", "peak memory with the streams",
		"with the callers", "little headroom, a stream of", "peak memory", "a stream of", "peak memory"}}
	for _, database := range databases {
		streams, callers := startNode(t, database.url(t)), startNode(t, database.url(t))
		streamKey, callerKey := signUp(t, streams), signUp(t, callers)
		streams.resetPeak()
		callers.resetPeak()
		var streamed, looped time.Duration
		for round := range streamRounds {
			looped += callers.closedLoop(t, callerKey, round*rows, rows/streamRounds)
			streamed += streams.stream(t, streamKey, round*rows, rows/streamRounds)
		}
		streamPeak, loopPeak := streams.peak(t), callers.peak(t)
		streams.kill()
		callers.kill()
		lengths := compareLengths(t, database.url(t), rows/6)

		each := float64(rows / streamRounds * streamRounds)
		ratio := looped.Seconds() / streamed.Seconds()
		table = append(table, []string{database.name, fmt.Sprint(each), fmt.Sprintf("%.0f", each/streamed.Seconds()),
			fmt.Sprintf("%.0f", each/looped.Seconds()), fmt.Sprintf("%.2f", ratio), mebibytes(streamPeak),
			mebibytes(loopPeak), fmt.Sprintf("%d lines", lengths.lines), mebibytes(lengths.peak),
			fmt.Sprintf("%d lines", lengthFactor*lengths.lines), mebibytes(lengths.longPeak)})
		if document != "" && (ratio < 0.8 || streamPeak > loopPeak+64<<20) {
			t.Errorf("%s: the rate of a stream is %.2f of the closed loop, with %s instead of %s of memory",
				database.name, ratio, mebibytes(streamPeak), mebibytes(loopPeak))
		}
		if document != "" && lengths.longPeak > lengths.peak+32<<20 {
			t.Errorf("%s: a stream of %d lines takes %s of memory, and one of %d lines %s", database.name,
				lengths.lines, mebibytes(lengths.peak), lengthFactor*lengths.lines, mebibytes(lengths.longPeak))
		}
	}
	text := proof.Origin(t.Context(), time.Now(), "make batch") + "\n" + proof.Table(table)
	t.Log(text)
	if err := proof.Write(document, "stream", text); err != nil {
		t.Error(err)
	}
}

// lengthFactor is how many times as long the longer of two streams is.
const lengthFactor = 4

// lengthPeaks has the peak memory of a node during a stream of some lines and during a stream that is lengthFactor
// times as long.
type lengthPeaks struct {
	lines          int
	peak, longPeak int64
}

// compareLengths measures the peak memory of streams of two lengths on one node. The node collects garbage often, so
// that its memory is close to what it has in use: with its usual settings, the heap may grow to five times that, and
// a stream could hold memory for each of its lines unnoticed. The first stream fills the caches of the database.
func compareLengths(t *testing.T, databaseURL string, lines int) lengthPeaks {
	t.Helper()
	n := startNodeWith(t, databaseURL, testMasterKey(t), "GOGC=20")
	defer n.kill()
	key := signUp(t, n)
	n.stream(t, key, 0, lines)
	peaks := lengthPeaks{lines: lines}
	n.resetPeak()
	n.stream(t, key, lines, lines)
	peaks.peak = n.peak(t)
	n.resetPeak()
	n.stream(t, key, 2*lines, lengthFactor*lines)
	peaks.longPeak = n.peak(t)
	return peaks
}

func mebibytes(bytes int64) string {
	if bytes == 0 {
		return "not measured"
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}

// closedLoop decides applications with concurrent callers and returns how long it took.
func (n *node) closedLoop(t *testing.T, key string, first, count int) time.Duration {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: streamCallers}}
	defer client.CloseIdleConnections()
	var next, failed atomic.Int64
	var all sync.WaitGroup
	begun := time.Now()
	for range streamCallers {
		all.Go(func() {
			for i := next.Add(1); i <= int64(count); i = next.Add(1) {
				if n.decide(t.Context(), client, key, batchRow(first+int(i))) != http.StatusOK {
					failed.Add(1)
				}
			}
		})
	}
	all.Wait()
	if failed.Load() > 0 {
		t.Fatalf("%d of %d applications were not decided", failed.Load(), count)
	}
	return time.Since(begun)
}

// stream sends applications as one stream, checks that each line is answered with a decision, and returns how long
// that took.
func (n *node) stream(t *testing.T, key string, first, count int) time.Duration {
	t.Helper()
	reader, writer := io.Pipe()
	begun := time.Now()
	go func() {
		lines := bufio.NewWriter(writer)
		for i := range count {
			_, _ = lines.WriteString(batchRow(first+i) + "\n") // Flush returns the error
		}
		_ = writer.CloseWithError(lines.Flush()) // CloseWithError never returns an error
	}()
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, n.url+"/v1/decisions/batch",
		&readerOf{reader})
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/x-ndjson")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	answered := 0
	for ; lines.Scan(); answered++ {
		var line struct {
			Index    int `json:"index"`
			Decision *struct {
				ID string `json:"decision_id"`
			} `json:"decision"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil || line.Index != answered || line.Decision == nil ||
			line.Decision.ID == "" {
			t.Fatalf("line %d is answered with %s, %v", answered, lines.Bytes(), err)
		}
	}
	if err := lines.Err(); err != nil || answered != count {
		t.Fatalf("%d of %d lines were answered, %v", answered, count, err)
	}
	return time.Since(begun)
}

// resetPeak lets the kernel measure the peak memory of the node again. Only Linux supports this; see peak.
func (n *node) resetPeak() {
	const peak = "5"
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", n.process.Process.Pid), []byte(peak), 0o200)
}

// peak returns the peak of the resident memory of the node in bytes, or 0 if the system does not report it.
func (n *node) peak(t *testing.T) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", n.process.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "VmHWM:" {
			kibibytes, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kibibytes << 10
		}
	}
	return 0
}
