package service

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMain(m *testing.M) {
	if RunChild() {
		return
	}
	os.Exit(m.Run())
}

// TestSamplesReadBack checks that encoding/json writes exactly the bytes of our
// answers, so that every contestant writes as much as our service.
func TestSamplesReadBack(t *testing.T) {
	t.Parallel()
	statuses := map[string]int{}
	for i, s := range Samples() {
		for _, want := range [][]byte{s.Decision, s.Preview} {
			a := decoded(want)
			if got := encode(&a); !bytes.Equal(got, want) {
				t.Errorf("request %d: encoding/json writes\n%s\nour answer is\n%s", i, got, want)
			}
		}
		a := decoded(s.Decision)
		statuses[a.Status]++
	}
	if statuses["APPROVED"] < bookSize/2 || statuses["DECLINED"] == 0 || statuses["REFERRED"] == 0 {
		t.Errorf("the book is decided %v", statuses)
	}
}

// TestContestants runs a turn of each contestant. It compares the answers with
// the decisions of our engine and sends a short load. The turn checks the number
// of stored rows.
func TestContestants(t *testing.T) {
	t.Parallel()
	g, err := newEnvironment(t.Context(), Options{}, contestants())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.leave(); err != nil {
			t.Error(err)
		}
	})
	want := Samples()
	for _, c := range contestants() {
		t.Run(c.name, func(t *testing.T) {
			_, err := g.turn(t.Context(),
				c, func(ctx context.Context, c contestant, s *server, key string) (lap, error) {
					for i, body := range Bodies() {
						sample := want[i].Decision
						if c.path == pathPreview {
							sample = want[i].Preview
						}
						got, err := ask(ctx, "http://"+s.address+c.path, key, body)
						if err != nil {
							return lap{}, err
						}
						if diff := cmp.Diff(settled(sample), settled(got)); diff != "" {
							t.Errorf("request %d (-want +got):\n%s", i, diff)
						}
						// Two frameworks end every answer with a line feed.
						if got = bytes.TrimSuffix(got, []byte("\n")); len(got) != len(sample) {
							t.Errorf("request %d is answered with %d bytes, want %d", i, len(got), len(sample))
						}
					}
					const answers = 2*bookSize + 1
					l := lap{}
					var err error
					l.many, err = load(ctx, loadOrder{
						Address: s.address, Path: c.path, Key: key, Connections: 8, Answers: answers, Warm: time.Hour,
						Server: s.cmd.Process.Pid,
					})
					if err == nil && l.many.Answers != answers {
						t.Errorf("the load had %d answers, want %d", l.many.Answers, answers)
					}
					l.many.Answers += bookSize
					return l, err
				})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

func ask(ctx context.Context, url, key string, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", response.Status, data)
	}
	return data, err
}

// settled returns an answer without the values that differ between runs.
func settled(answer []byte) (a Answer) {
	if err := json.Unmarshal(answer, &a); err != nil {
		a.Status = err.Error()
	}
	a.DecisionID, a.CreatedAt, a.Policy.ID = "", "", ""
	if a.Offer.Terms != nil {
		a.Offer.ValidUntil = ""
	}
	return a
}

// TestContest runs the whole contest with the shortest settings.
func TestContest(t *testing.T) {
	t.Parallel()
	s, err := Contest(t.Context(), Options{
		Rounds: 2, Warm: 10 * time.Millisecond, Lap: 30 * time.Millisecond, Connections: 4, Only: oursSQLite,
		Profiles: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Tables) != 1 || len(s.Tables[0].Rows) != 1 ||
		s.Tables[0].Rows[0][0] != "durable decision on SQLite, ours" {
		t.Errorf("the section is %+v", s)
	}
}
