package growth

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"verdict/bench/board"
	"verdict/bench/measure"
	"verdict/bench/service"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

// planCache and keyCache are the default sizes of a node's caches of compiled policies
// and of API keys. Memory may grow until the larger cache is full, but not beyond that.
// A comparison before that point would only show when the garbage collector runs.
const (
	planCache = 1_000
	keyCache  = 10_000
)

// tenants measures memory and previews with one tenant and with many tenants: before any
// tenant has sent a request, after some have, and after all have.
func (e *environment) tenants(ctx context.Context, s *board.Section) error {
	measure.Progress("growth, signing up %d tenants", e.Tenants)
	alone, _, err := e.tenantDatabase(ctx, "one", 1)
	if err != nil {
		return err
	}
	url, keys, err := e.tenantDatabase(ctx, "many", e.Tenants)
	if err != nil {
		return err
	}
	one, err := e.idleMemory(ctx, alone)
	if err != nil {
		return err
	}
	n, err := start(ctx, e.binary, url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.stop()) }()
	if err := pause(ctx, e.Idle); err != nil {
		return err
	}
	idle, err := n.memory()
	if err != nil {
		return err
	}
	measure.Progress("growth, every tenant asks once")
	first, memory, err := e.callOnce(ctx, n, keys)
	if err != nil {
		return err
	}
	hot, err := e.previews(ctx, n, keys[len(keys)-1:])
	if err != nil {
		return err
	}
	t := board.Table{Head: []string{"tenants", "memory", "a preview"}}
	t.Add("1, idle", board.Mebibytes(one))
	t.Add(fmt.Sprintf("%d, none has called", e.Tenants), board.Mebibytes(idle))
	for _, called := range marks(len(keys)) {
		t.Add(fmt.Sprintf("%d have called", called), board.Mebibytes(memory[called]))
	}
	t.Add("  each for the first time", "", first.Show(board.Nanos))
	t.Add("  the last one, again", "", hot.Show(board.Nanos))
	s.Tables = append(s.Tables, t)
	s.AtMost(fmt.Sprintf("%d tenants that have not called", e.Tenants), "1 KiB of memory each",
		board.Of(math.Max(0, idle-one)/float64(e.Tenants)), 1<<10,
		func(x float64) string { return fmt.Sprintf("%.0f bytes", x) })
	if e.Tenants > keyCache { // with fewer tenants, the key cache is not full
		s.AtMost(fmt.Sprintf("%d tenants that have all called", e.Tenants),
			fmt.Sprintf("1.3 × the memory at %d, so bounded", keyCache),
			board.Of(memory[e.Tenants]/memory[keyCache]), 1.3, board.Times)
	}
	return err
}

func (e *environment) idleMemory(ctx context.Context, url string) (bytes float64, err error) {
	n, err := start(ctx, e.binary, url)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, n.stop()) }()
	if err := pause(ctx, e.Idle); err != nil {
		return 0, err
	}
	return n.memory()
}

// marks returns the numbers of tenants after which the memory is measured: the size of
// the policy cache, twice that, the size of the key cache, and all tenants.
func marks(tenants int) (list []int) {
	for _, n := range []int{planCache, 2 * planCache, keyCache} {
		if n < tenants {
			list = append(list, n)
		}
	}
	return append(list, tenants)
}

// callOnce sends a preview for every tenant and measures the memory at each mark.
func (e *environment) callOnce(
	ctx context.Context, n *node, keys []string,
) (first board.Spread, memory map[int]float64, err error) {
	body, memory := service.Bodies()[0], map[int]float64{}
	times := make([]float64, len(keys))
	for i, key := range keys {
		begun := time.Now()
		if _, err := n.ask(ctx, http.MethodPost, "/v1/decisions/preview", key, body); err != nil {
			return first, nil, err
		}
		times[i] = float64(time.Since(begun))
		if slices.Contains(marks(len(keys)), i+1) {
			if memory[i+1], err = n.memory(); err != nil {
				return first, nil, err
			}
		}
	}
	return board.Of(times...), memory, nil
}

func (e *environment) previews(ctx context.Context, n *node, keys []string) (board.Spread, error) {
	bodies := service.Bodies()
	var times []float64
	for i := range e.Requests {
		key, body := keys[i%len(keys)], bodies[i%len(bodies)]
		begun := time.Now()
		if _, err := n.ask(ctx, http.MethodPost, "/v1/decisions/preview", key, body); err != nil {
			return board.Spread{}, err
		}
		times = append(times, float64(time.Since(begun)))
	}
	return board.Of(times...), nil
}

// tenantDatabase creates a database with tenants, each with its own policies, and returns
// their keys. It hashes their passwords at the lowest cost, because nobody will sign in.
func (e *environment) tenantDatabase(
	ctx context.Context, name string, tenants int,
) (url string, keys []string, err error) {
	url = e.file(name)
	db, err := store.Open(ctx, url, store.Options{})
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	use, err := usecase.New(db, usecase.Options{PasswordCost: tenant.Cost{MemoryKiB: 8, Passes: 1, Lanes: 1}})
	if err != nil {
		return "", nil, err
	}
	for i := range tenants {
		signed, err := use.Operator.Signup(ctx, tenant.Signup{
			Email:    fmt.Sprintf("t%d@example.in", i),
			OrgName:  fmt.Sprintf("Lender %d", i),
			Password: tenant.NewSecret("correct horse"),
		})
		if err != nil {
			return "", nil, err
		}
		keys = append(keys, signed.Key.Reveal())
	}
	return url, keys, nil
}
