package httpapi_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"verdict/internal/httpapi"
)

// race sends n requests concurrently and checks every answer against the
// contract.
func (s *stack) race(n int, send func(i int) (answer, error)) []answer {
	s.Helper()
	answers := make([]answer, n)
	gate := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-gate
			got, err := send(i)
			if err != nil {
				s.Error(err)
				return
			}
			answers[i] = got
		})
	}
	close(gate)
	all.Wait()
	if s.Failed() {
		s.FailNow()
	}
	for _, got := range answers {
		method, path, _ := strings.Cut(got.sent, " ")
		checkContract(s.T, method, path, "", got)
	}
	return answers
}

// raced returns the answers with the given status, and all other answers.
func raced(answers []answer, status int) (with, without []answer) {
	for _, a := range answers {
		if a.status == status {
			with = append(with, a)
		} else {
			without = append(without, a)
		}
	}
	return with, without
}

// otherwise starts another server for the same service. The function change sets other options, and the function
// serve configures the server before it starts.
func (s *stack) otherwise(change func(*httpapi.Options), serve func(*httptest.Server)) *stack {
	s.Helper()
	o := httpapi.Options{Now: s.clock.now, Logger: s.log.logger(), Version: "1.2.3", Commit: "abc1234"}
	change(&o)
	api, err := httpapi.New(s.service, o)
	if err != nil {
		s.Fatal(err)
	}
	server := httptest.NewUnstartedServer(api)
	serve(server)
	server.Start()
	s.Cleanup(server.Close)
	other := *s
	other.url = server.URL
	return &other
}

// flush stores the data that the service has collected in memory.
func (s *stack) flush() {
	s.Helper()
	ctx, cancel := context.WithCancel(s.Context())
	cancel()
	s.service.Run(ctx)
}

// faults returns the items of a problem as "pointer code", sorted.
func (a answer) faults() []string {
	a.t.Helper()
	var list []string
	for i := range a.list("errors") {
		list = append(list, fmt.Sprint(a.at("errors", i, "pointer"), " ", a.at("errors", i, "code")))
	}
	slices.Sort(list)
	return list
}

// silent fails if the answer or the log contains one of the secrets.
func (a answer) silent(s *stack, secrets ...string) answer {
	a.t.Helper()
	for _, secret := range secrets {
		if strings.Contains(string(a.body), secret) {
			a.t.Errorf("%s: the answer repeats %q: %s", a.sent, secret, a.body)
		}
		if strings.Contains(s.log.String(), secret) {
			a.t.Errorf("%s: the log repeats %q", a.sent, secret)
		}
	}
	return a
}

// is fails the test unless the answer has the given members. The arguments are pairs of a path, such as
// "offer.limit", and the wanted value.
func (a answer) is(pathsAndValues ...any) answer {
	a.t.Helper()
	for i := 0; i < len(pathsAndValues); i += 2 {
		path, _ := pathsAndValues[i].(string)
		steps := []any{}
		for part := range strings.SplitSeq(path, ".") {
			if at, err := strconv.Atoi(part); err == nil {
				steps = append(steps, at)
				continue
			}
			steps = append(steps, part)
		}
		want := pathsAndValues[i+1]
		if n, isInt := want.(int); isInt {
			want = float64(n)
		}
		if got := a.at(steps...); got != want {
			a.t.Errorf("%s: %s is %v, want %v", a.sent, path, got, want)
		}
	}
	return a
}

// column returns one member of every entry of data.
func (a answer) column(name string) []string {
	a.t.Helper()
	list := []string{}
	for i := range a.list("data") {
		list = append(list, fmt.Sprint(a.at("data", i, name)))
	}
	return list
}

// stale is longer than cache.RefreshAfter, so that every cached value is read
// from storage again. Readiness is an exception: it is cached for a second.
const stale = 600 * time.Millisecond
