package growth

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"verdict/bench/board"
	"verdict/bench/measure"
	"verdict/bench/service"
	"verdict/internal/decisioning"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// planCache is how many compiled policies a node keeps unless it is told
// otherwise; the memory that tenants take must stop growing there.
const planCache = 1_000

// tenants measures memory and previews with one tenant, and with many: before
// any of them has called, when as many as the cache holds have, and when all
// have.
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
	first, cached, err := y.callOnce(ctx, n, keys)
	if err != nil {
		return err
	}
	all, err := n.memory()
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
	t.Add(fmt.Sprintf("%d of them have called, as many plans as are kept", min(2*planCache, y.Tenants)), board.Mebibytes(cached))
	t.Add("all have called, each for the first time", board.Mebibytes(all), first.Show(board.Nanos))
	t.Add("  the last one, again", "", hot.Show(board.Nanos))
	s.Tables = append(s.Tables, t)
	s.AtMost(fmt.Sprintf("%d tenants that have not called", y.Tenants), "1 KiB of memory each",
		board.Of(math.Max(0, idle-one)/float64(y.Tenants)), 1<<10, func(x float64) string { return fmt.Sprintf("%.0f bytes", x) })
	s.AtMost(fmt.Sprintf("%d tenants that have all called", y.Tenants), fmt.Sprintf("1.3 × the memory at %d, so bounded", min(2*planCache, y.Tenants)),
		board.Of(all/cached), 1.3, board.Times)
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

// callOnce has every tenant preview something, and takes the memory when twice
// as many have called as plans are kept.
func (y *yard) callOnce(ctx context.Context, n *node, keys []string) (first board.Spread, cached float64, err error) {
	body := service.Bodies()[0]
	times := make([]float64, len(keys))
	for i, key := range keys {
		begun := time.Now()
		if _, err := n.ask(ctx, http.MethodPost, "/v1/decisions/preview", key, body); err != nil {
			return first, 0, err
		}
		times[i] = float64(time.Since(begun))
		if i+1 == min(2*planCache, len(keys)) {
			if cached, err = n.memory(); err != nil {
				return first, 0, err
			}
		}
	}
	return board.Of(times...), cached, nil
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
	use, err := decisioning.New(db, decisioning.Options{PasswordCost: tenant.Cost{MemoryKiB: 8, Passes: 1, Lanes: 1}})
	if err != nil {
		return "", nil, err
	}
	for i := range tenants {
		body, err := wire.Parse(fmt.Appendf(nil, `{"email":"t%d@example.in","org_name":"Lender %d","password":"correct horse"}`, i, i))
		if err != nil {
			return "", nil, err
		}
		signed, err := use.Signup(ctx, body)
		if err != nil {
			return "", nil, err
		}
		keys = append(keys, signed.Key.Reveal())
	}
	return url, keys, nil
}
