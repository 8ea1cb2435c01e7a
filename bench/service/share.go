package service

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"verdict/bench/board"
)

// item is a part of the work on a durable decision, identified by functions. A sample belongs to the first item
// in the list that has a function on the sample's stack, so the shares add up to one.
type item struct {
	name      string
	functions []string // prefixes of function names
}

var items = []item{
	{"garbage collection", []string{
		"runtime.gcBgMarkWorker", "runtime.gcAssistAlloc", "runtime.bgsweep", "runtime.bgscavenge", "runtime.gcStart",
	}},
	{"SQLite: fsync", []string{"modernc.org/sqlite/lib._unixSync"}},
	{"SQLite: checkpoints", []string{"modernc.org/sqlite/lib._walCheckpoint"}},
	{"SQLite: pages into the log", []string{"modernc.org/sqlite/lib._walFrames"}},
	{"SQLite: statements and trees", []string{"modernc.org/sqlite"}},
	{"pgx: statements to the server and back", []string{"github.com/jackc/pgx"}},
	{"group commit, rows, database/sql", []string{"verdict/internal/store.", "database/sql."}},
	{"hash of the decision", []string{"verdict/internal/engine.(*Decision).Hash"}},
	{"answer as JSON", []string{"verdict/internal/engine.(*Decision).Write"}},
	{"deciding", []string{"verdict/internal/engine.(*Plan).Decide"}},
	{"facts as JSON", []string{"verdict/internal/rule.(*Facts).Write"}},
	{"request: JSON into facts", []string{"verdict/internal/wire.Parse", "verdict/internal/application."}},
	{"metrics, traces and logs", []string{
		"verdict/internal/telemetry.(*Metrics)", "github.com/prometheus", "go.opentelemetry.io", "log/slog",
	}},
	{"authentication and permissions", []string{"verdict/internal/account.", "verdict/internal/tenant."}},
	{"net/http: request in", []string{"net/http.(*conn).readRequest", "net/http.(*connReader)"}},
	{"net/http: answer out", []string{
		"net/http.(*response).finishRequest", "net/http.(*chunkWriter)", "net/http.(*response).Write",
	}},
	{"the rest of the use case", []string{
		"verdict/internal/decisioning.", "verdict/internal/policydesk.", "verdict/internal/frauddesk.",
		"verdict/internal/operation.", "verdict/internal/cache.",
	}},
	{"the rest of the HTTP layer", []string{"verdict/internal/httpapi."}},
	{"the rest of net/http", []string{"net/http."}},
	{"scheduling goroutines", []string{
		"runtime.mcall", "runtime.schedule", "runtime.mstart", "runtime.sysmon", "runtime.park_m",
	}},
}

const elsewhere = "elsewhere"

// before is an item for work that does not belong to a decision. This work is the main goroutine, which starts and
// stops the server, the hashing of the customer's password, and the profiling itself.
var before = item{"", []string{"runtime.main", "golang.org/x/crypto/argon2", "runtime/pprof."}}

// shares returns the share of each item in a CPU profile, from 0 to 1.
func shares(path string) (map[string]float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the profile: %w", err)
	}
	defer func() { _ = f.Close() }()
	p, err := profile.Parse(f)
	if err != nil {
		return nil, fmt.Errorf("read the profile: %w", err)
	}
	sums, total := map[string]float64{}, 0.0
	for _, s := range p.Sample {
		name := itemOf(s)
		if name == before.name {
			continue
		}
		nanos := float64(s.Value[len(s.Value)-1])
		sums[name] += nanos
		total += nanos
	}
	for name := range sums {
		sums[name] /= total
	}
	return sums, nil
}

func itemOf(s *profile.Sample) string {
	var functions []string
	for _, location := range s.Location {
		for _, line := range location.Line {
			if line.Function != nil {
				functions = append(functions, line.Function.Name)
			}
		}
	}
	for _, it := range append([]item{before}, items...) {
		for _, prefix := range it.functions {
			if slices.ContainsFunc(functions, func(name string) bool { return strings.HasPrefix(name, prefix) }) {
				return it.name
			}
		}
	}
	return elsewhere
}

// shareTable returns the shares of all items on both databases, the largest first.
func shareTable(onSQLite, onPostgres map[string]float64) board.Table {
	t := board.Table{Head: []string{"CPU time of the server at saturation", "on SQLite", "on PostgreSQL"}}
	var names []string
	for _, it := range items {
		names = append(names, it.name)
	}
	names = append(names, elsewhere)
	slices.SortStableFunc(names, func(a, b string) int {
		return int(1e6 * (onSQLite[b] + onPostgres[b] - onSQLite[a] - onPostgres[a]))
	})
	percent := func(share float64) string {
		if share < 0.005 {
			return ""
		}
		return fmt.Sprintf("%.0f %%", 100*share)
	}
	for _, name := range names {
		if a, b := percent(onSQLite[name]), percent(onPostgres[name]); a != "" || b != "" {
			t.Add(name, a, b)
		}
	}
	return t
}
