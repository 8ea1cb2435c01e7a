package growth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"verdict/bench/board"
	"verdict/bench/measure"
	"verdict/bench/service"
)

// few is the number of decisions in the smaller database. It is enough to fill every
// requested page, and more than a search reads before it returns a partial result. With
// fewer decisions a search would end sooner, and the comparison would show a growth that
// does not exist.
const few = 20_000

// storedSQLite measures SQLite and then removes its databases, because five million
// decisions take about twenty gigabytes and the next databases need space too.
func (e *environment) storedSQLite(ctx context.Context, s *board.Section) (err error) {
	folder := filepath.Join(e.folder, "stored")
	if err := os.Mkdir(folder, 0o750); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	return e.stored(ctx, s, "SQLite", func(name string) (string, error) { return e.file("stored/" + name), nil })
}

func (e *environment) storedPostgres(ctx context.Context, s *board.Section) error {
	return e.stored(ctx, s, "PostgreSQL", func(name string) (string, error) { return e.postgres.Create(ctx, name) })
}

// stored measures requests on a database with few decisions and on a database with
// many decisions, in turns.
func (e *environment) stored(
	ctx context.Context, s *board.Section, database string, create func(name string) (string, error),
) (err error) {
	var subjects [2]*subject
	for i, decisions := range []int{few, e.Decisions} {
		measure.Progress("growth, storing %d decisions in %s", decisions, database)
		url, err := create(fmt.Sprintf("stored_%d", i))
		if err != nil {
			return err
		}
		if subjects[i], err = open(ctx, e.binary, url, decisions); err != nil {
			return err
		}
		//nolint:gocritic // Both nodes run until the contest ends.
		defer func() { err = errors.Join(err, subjects[i].node.stop()) }()
	}
	times := [2]map[string][]float64{{}, {}}
	for round := range e.Rounds {
		for i, subject := range subjects {
			measure.Progress("growth, %s, round %d of %d", database, round+1, e.Rounds)
			if err := subject.round(ctx, e.Requests, times[i]); err != nil {
				return err
			}
		}
	}
	t := board.Table{Head: []string{
		"stored decisions, " + database, fmt.Sprintf("%d before", few), fmt.Sprintf("%d before", e.Decisions), "ratio",
	}}
	worst := map[string]board.Spread{} // largest ratio of each kind
	for _, a := range subjects[0].asks {
		before, after := times[0][a.what], times[1][a.what]
		ratio := board.Quotients(after, before)
		t.Add(a.what,
			board.Of(before...).Show(board.Nanos), board.Of(after...).Show(board.Nanos), ratio.Text(board.Times))
		if ratio.Median > worst[a.kind].Median {
			worst[a.kind] = ratio
		}
	}
	s.Tables = append(s.Tables, t)
	for _, kind := range []string{posting, reading, searching} {
		work := fmt.Sprintf("%d decisions in %s instead of %d: %s", e.Decisions, database, few, kind)
		s.AtMost(work, "1.5 × the time, so flat", worst[kind], flat, board.Times)
	}
	return nil
}

// subject is a service whose database has decisions.
type subject struct {
	node *node
	who  service.Customer
	asks []ask
	next int
}

// ask is a request that is measured.
type ask struct{ kind, what, method, path string }

// The kinds of requests that have a target.
const (
	posting   = "a durable decision"
	reading   = "a page, or a single object"
	searching = "a page of filters without an index of their own"
)

func open(ctx context.Context, binary, databaseURL string, decisions int) (*subject, error) {
	n, err := start(ctx, binary, databaseURL)
	if err != nil {
		return nil, err
	}
	who, err := n.signUp(ctx)
	if err != nil {
		return nil, errors.Join(err, n.stop())
	}
	if err := n.stop(); err != nil {
		return nil, err
	}
	past, err := fill(ctx, databaseURL, who.TenantID, decisions)
	if err != nil {
		return nil, fmt.Errorf("fill the database: %w", err)
	}
	if err := analyse(ctx, databaseURL); err != nil {
		return nil, fmt.Errorf("analyse the database: %w", err)
	}
	s := &subject{who: who}
	if s.node, err = start(ctx, binary, databaseURL); err != nil {
		return nil, err
	}
	if err := s.prepare(ctx, past); err != nil {
		return nil, errors.Join(err, s.node.stop())
	}
	return s, nil
}

// prepare lists the requests to measure: a decision, the first page, a page in the
// middle, the pages of several filters, including filters that match nothing, and a
// few single objects.
func (s *subject) prepare(ctx context.Context, past history) error {
	middle := url.QueryEscape(past.middle.UTC().Format(time.RFC3339Nano))
	data, err := s.node.ask(ctx, http.MethodGet, "/v1/decisions?to="+middle, s.who.Key, nil)
	if err != nil {
		return err
	}
	var page struct {
		Pagination struct {
			NextCursor string `json:"next_cursor"`
		} `json:"pagination"`
	}
	if err := json.Unmarshal(data, &page); err != nil {
		return fmt.Errorf("read the page in the middle: %w", err)
	}
	if page.Pagination.NextCursor == "" {
		return errors.New("there is no page after the one in the middle")
	}
	list := func(what, query string) ask {
		return ask{reading, what, http.MethodGet, "/v1/decisions" + query}
	}
	search := func(what, query string) ask {
		return ask{searching, what, http.MethodGet, "/v1/decisions" + query}
	}
	s.asks = []ask{
		{posting, posting, http.MethodPost, "/v1/decisions"},
		list("the first page", ""),
		list("a page from the middle", "?to="+middle+"&cursor="+url.QueryEscape(page.Pagination.NextCursor)),
		list("the oldest first", "?order=asc"),
		list("the referred", "?status=REFERRED"),
		list("one applicant's", "?applicant_id="+past.applicant),
		list("a grade", "?grade=B"),
		list("a grade that nobody has", "?grade=Z"),
		list("a version that decided nothing", "?rule_set_id=pol_00000000000000000000000000"),
		search("a policy that decided nothing", "?policy_key=other"),
		search("two filters that nothing passes together", "?status=APPROVED&grade=F"),
		{reading, "the oldest decision", http.MethodGet, "/v1/decisions/" + past.oldest},
		{reading, "the audit trail", http.MethodGet, "/v1/audit"},
		{reading, "usage", http.MethodGet, "/v1/usage"},
	}
	return nil
}

// maxRepeating limits the time for which one request is repeated in a round.
const maxRepeating = 3 * time.Second

// round measures each request and appends its median time to the map "into".
func (s *subject) round(ctx context.Context, requests int, into map[string][]float64) error {
	bodies := service.Bodies()
	for _, a := range s.asks {
		times, first := make([]float64, 0, requests), time.Now()
		// Repeat a slow request fewer times, but at least five times.
		for len(times) < requests && (len(times) < 5 || time.Since(first) < maxRepeating) {
			var body []byte
			if a.method == http.MethodPost {
				body = bodies[s.next%len(bodies)]
				s.next++
			}
			begun := time.Now()
			if _, err := s.node.ask(ctx, a.method, a.path, s.who.Key, body); err != nil {
				return err
			}
			times = append(times, float64(time.Since(begun)))
		}
		into[a.what] = append(into[a.what], board.Of(times...).Median)
	}
	return nil
}
