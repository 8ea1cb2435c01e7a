package load

import (
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Target is the service under load, with one key for each tenant.
type Target struct {
	Addr string // host and port
	Keys []string
	From string // local address of the connections; any if empty
}

// Options configures a Generator.
type Options struct {
	Mix         Mix
	Arrivals    Arrivals
	Seed        uint64
	Connections int           // maximum number of connections of the open loop
	Timeout     time.Duration // time limit for every answer, including refusals
}

// Generator sends load to a target, stage by stage, and counts the answers of
// all stages.
type Generator struct {
	target  Target
	options Options
	books   []*book
	known   []known
	random  *rand.Rand // random numbers of the present stage; only one goroutine uses them
	stages  uint64
}

// known holds the counts and ids that the generator has recorded for one
// tenant.
type known struct {
	stored [kinds]atomic.Int64 // requests answered with 200
	doubt  [kinds]atomic.Int64 // requests without an answer, which may or may not be stored

	mu  sync.Mutex
	ids [64]string // the latest decision ids
	n   int
}

// New returns a generator for a target.
func New(target Target, o Options) *Generator {
	g := &Generator{target: target, options: o, known: make([]known, len(target.Keys))}
	for _, key := range target.Keys {
		g.books = append(g.books, newBook(target.Addr, key))
	}
	return g
}

// begin seeds the random numbers of the next stage, so that a stage does not
// depend on earlier stages.
func (g *Generator) begin() *rand.Rand {
	g.stages++
	g.random = rand.New(rand.NewPCG(g.options.Seed, g.stages)) //nolint:gosec // a repeatable load, not a secret
	return g.random
}

func (g *Generator) draw(random *rand.Rand, due time.Time) job {
	return job{
		kind:   g.options.Mix.draw(random),
		tenant: random.IntN(len(g.books)),
		page:   random.IntN(bookSize),
		due:    due,
	}
}

// bytes returns the bytes of the request for a job.
func (g *Generator) bytes(j job) []byte {
	if j.kind != Read {
		return g.books[j.tenant][j.kind][j.page]
	}
	k := &g.known[j.tenant]
	k.mu.Lock()
	id := k.ids[j.page%len(k.ids)]
	k.mu.Unlock()
	if id == "" {
		return g.books[j.tenant][Read][0]
	}
	return get(g.target.Addr, g.target.Keys[j.tenant], "/v1/decisions/"+id)
}

// answered records an answer, so that Account can check at the end that
// everything answered is stored.
func (g *Generator) answered(j job, a *answer) {
	if a.status != http.StatusOK {
		return
	}
	k := &g.known[j.tenant]
	k.stored[j.kind].Add(1)
	if j.kind != Decide {
		return
	}
	if id := decisionID(a.body); id != "" {
		k.mu.Lock()
		k.ids[k.n%len(k.ids)] = id
		k.n++
		k.mu.Unlock()
	}
}

func (g *Generator) lost(j job) { g.known[j.tenant].doubt[j.kind].Add(1) }

// Answered returns the number of a tenant's requests of the given kind that got a good
// answer, and the number that got no answer.
func (g *Generator) Answered(tenant int, kind Kind) (stored, doubtful int64) {
	k := &g.known[tenant]
	return k.stored[kind].Load(), k.doubt[kind].Load()
}
