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

// few is how many decisions the smaller database holds: enough to fill every
// page that is asked for, and more than a search reads before it answers with
// what it has. With fewer a search ends sooner, and would seem to grow.
const few = 20_000

// storedSQLite leaves no database behind: five million decisions are some
// twenty gigabytes, and the next ones need room too.
func (y *yard) storedSQLite(ctx context.Context, s *board.Section) (err error) {
	folder := filepath.Join(y.folder, "stored")
	if err := os.Mkdir(folder, 0o750); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	return y.stored(ctx, s, "SQLite", func(name string) (string, error) { return y.file("stored/" + name), nil })
}

func (y *yard) storedPostgres(ctx context.Context, s *board.Section) error {
	return y.stored(ctx, s, "PostgreSQL", func(name string) (string, error) { return y.postgres.Create(ctx, name) })
}

// stored measures requests with few and with many decisions stored before, in
// turns.
func (y *yard) stored(ctx context.Context, s *board.Section, database string, create func(name string) (string, error)) (err error) {
	var shops [2]*shop
	for i, decisions := range []int{few, y.Decisions} {
		measure.Progress("growth, storing %d decisions in %s", decisions, database)
		url, err := create(fmt.Sprintf("stored_%d", i))
		if err != nil {
			return err
		}
		if shops[i], err = open(ctx, y.binary, url, decisions); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, shops[i].node.stop()) }() //nolint:gocritic // two of them, for as long as the contest
	}
	times := [2]map[string][]float64{{}, {}}
	for round := range y.Rounds {
		for i, shop := range shops {
			measure.Progress("growth, %s, round %d of %d", database, round+1, y.Rounds)
			if err := shop.round(ctx, y.Requests, times[i]); err != nil {
				return err
			}
		}
	}
	t := board.Table{Head: []string{
		"stored decisions, " + database, fmt.Sprintf("%d before", few), fmt.Sprintf("%d before", y.Decisions), "ratio",
	}}
	worst := map[string]board.Spread{} // of each kind the one that grows most
	for _, a := range shops[0].asks {
		ratio := board.Quotients(times[1][a.what], times[0][a.what])
		t.Add(a.what, board.Of(times[0][a.what]...).Show(board.Nanos), board.Of(times[1][a.what]...).Show(board.Nanos), ratio.Text(board.Times))
		if ratio.Median > worst[a.kind].Median {
			worst[a.kind] = ratio
		}
	}
	s.Tables = append(s.Tables, t)
	for _, kind := range []string{posting, reading, searching} {
		s.AtMost(fmt.Sprintf("%d decisions in %s instead of %d: %s", y.Decisions, database, few, kind), "1.5 × the time, so flat",
			worst[kind], flat, board.Times)
	}
	return nil
}

// shop is a service with a past.
type shop struct {
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
	reading   = "a page, or one thing"
	searching = "a page of filters without an index of their own"
)

func open(ctx context.Context, binary, databaseURL string, decisions int) (*shop, error) {
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
	s := &shop{who: who}
	if s.node, err = start(ctx, binary, databaseURL); err != nil {
		return nil, err
	}
	if err := s.prepare(ctx, past); err != nil {
		return nil, errors.Join(err, s.node.stop())
	}
	return s, nil
}

// prepare finds the pages to ask for: the first, one from the middle, and those
// of every filter, among them one that nothing passes.
func (s *shop) prepare(ctx context.Context, past history) error {
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
		return errors.New("nothing comes after the page in the middle")
	}
	list := func(what, query string) ask { return ask{reading, what, http.MethodGet, "/v1/decisions" + query} }
	search := func(what, query string) ask { return ask{searching, what, http.MethodGet, "/v1/decisions" + query} }
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

// patience is how long one kind of request is repeated in a round.
const patience = 3 * time.Second

// round adds the median time of each request.
func (s *shop) round(ctx context.Context, requests int, into map[string][]float64) error {
	bodies := service.Bodies()
	for _, a := range s.asks {
		times, first := make([]float64, 0, requests), time.Now()
		// A request that takes long needs no long row of repetitions to be seen.
		for len(times) < requests && (len(times) < 5 || time.Since(first) < patience) {
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
