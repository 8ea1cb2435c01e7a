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

// What a node keeps unless it is told otherwise: compiled policies, and keys
// with what they may do. Memory grows until the larger of them is full, and must
// not beyond; a comparison before that tells how often garbage is collected.
const (
	planCache = 1_000
	keyCache  = 10_000
)

// tenants measures memory and previews with one tenant, and with many: before
// any of them has called, on the way, and when all have.
func (y *yard) tenants(ctx context.Context, s *board.Section) error {
	measure.Progress("growth, signing up %d tenants", y.Tenants)
	alone, _, err := y.town(ctx, "one", 1)
	if err != nil {
		return err
	}
	url, keys, err := y.town(ctx, "many", y.Tenants)
	if err != nil {
		return err
	}
	one, err := y.idleMemory(ctx, alone)
	if err != nil {
		return err
	}
	n, err := start(ctx, y.binary, url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.stop()) }()
	if err := pause(ctx, y.Idle); err != nil {
		return err
	}
	idle, err := n.memory()
	if err != nil {
		return err
	}
	measure.Progress("growth, every tenant asks once")
	first, memory, err := y.callOnce(ctx, n, keys)
	if err != nil {
		return err
	}
	hot, err := y.previews(ctx, n, keys[len(keys)-1:])
	if err != nil {
		return err
	}
	t := board.Table{Head: []string{"tenants", "memory", "a preview"}}
	t.Add("1, idle", board.Mebibytes(one))
	t.Add(fmt.Sprintf("%d, none has called", y.Tenants), board.Mebibytes(idle))
	for _, called := range marks(len(keys)) {
		t.Add(fmt.Sprintf("%d have called", called), board.Mebibytes(memory[called]))
	}
	t.Add("  each for the first time", "", first.Show(board.Nanos))
	t.Add("  the last one, again", "", hot.Show(board.Nanos))
	s.Tables = append(s.Tables, t)
	s.AtMost(fmt.Sprintf("%d tenants that have not called", y.Tenants), "1 KiB of memory each",
		board.Of(math.Max(0, idle-one)/float64(y.Tenants)), 1<<10, func(x float64) string { return fmt.Sprintf("%.0f bytes", x) })
	if y.Tenants > keyCache { // with fewer nothing can be told
		s.AtMost(fmt.Sprintf("%d tenants that have all called", y.Tenants), fmt.Sprintf("1.3 × the memory at %d, so bounded", keyCache),
			board.Of(memory[y.Tenants]/memory[keyCache]), 1.3, board.Times)
	}
	return err
}

func (y *yard) idleMemory(ctx context.Context, url string) (bytes float64, err error) {
	n, err := start(ctx, y.binary, url)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, n.stop()) }()
	if err := pause(ctx, y.Idle); err != nil {
		return 0, err
	}
	return n.memory()
}

// marks are the numbers of tenants at which the memory is taken: when the plans
// are full, twice that, when the keys are full, and at the end.
func marks(tenants int) (list []int) {
	for _, n := range []int{planCache, 2 * planCache, keyCache} {
		if n < tenants {
			list = append(list, n)
		}
	}
	return append(list, tenants)
}

// callOnce has every tenant preview something, and takes the memory on the way.
func (y *yard) callOnce(ctx context.Context, n *node, keys []string) (first board.Spread, memory map[int]float64, err error) {
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

func (y *yard) previews(ctx context.Context, n *node, keys []string) (board.Spread, error) {
	bodies := service.Bodies()
	var times []float64
	for i := range y.Requests {
		begun := time.Now()
		if _, err := n.ask(ctx, http.MethodPost, "/v1/decisions/preview", keys[i%len(keys)], bodies[i%len(bodies)]); err != nil {
			return board.Spread{}, err
		}
		times = append(times, float64(time.Since(begun)))
	}
	return board.Of(times...), nil
}

// town is a database with so many tenants, each with policies of its own, and
// their keys. Their passwords are hashed at the least cost there is: nobody
// will sign in.
func (y *yard) town(ctx context.Context, name string, tenants int) (url string, keys []string, err error) {
	url = y.file(name)
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
