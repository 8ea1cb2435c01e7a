package growth

import (
	"context"
	"fmt"
	"os"

	"verdict/bench/board"
	"verdict/bench/measure"
)

// process measures the fixed costs of the product: the size of the binary, the time until
// it is ready, and its idle memory.
func (e *environment) process(ctx context.Context, s *board.Section) error {
	info, err := os.Stat(e.binary)
	if err != nil {
		return err
	}
	var fresh, again, memory []float64
	for i := range e.Starts {
		measure.Progress("growth, start %d of %d", i+1, e.Starts)
		url := e.file(fmt.Sprintf("start-%d", i))
		for _, times := range []*[]float64{&fresh, &again} {
			n, err := start(ctx, e.binary, url)
			if err != nil {
				return err
			}
			*times = append(*times, float64(n.ready))
			if times == &again {
				if err := pause(ctx, e.Idle); err != nil {
					return err
				}
				bytes, err := n.memory()
				if err != nil {
					return err
				}
				memory = append(memory, bytes)
			}
			if err := n.stop(); err != nil {
				return err
			}
		}
	}
	t := board.Table{Head: []string{"the process", "median", "least – most"}}
	add := func(what string, of board.Spread, show func(float64) string) {
		t.Add(what, of.Show(show), of.Between(show))
	}
	megabytes := func(bytes float64) string { return fmt.Sprintf("%.1f MB", bytes/1e6) }
	add("size of the binary", board.Of(float64(info.Size())), megabytes)
	add("start to ready, new SQLite database", board.Of(fresh...), board.Nanos)
	add("start to ready, existing database", board.Of(again...), board.Nanos)
	add("memory, idle", board.Of(memory...), board.Mebibytes)
	s.Tables = append(s.Tables, t)
	s.AtMost("start to ready, new database", "300 ms", board.Of(fresh...), 300e6, board.Nanos)
	s.AtMost("start to ready, existing database", "300 ms", board.Of(again...), 300e6, board.Nanos)
	s.AtMost("idle memory", "60 MiB", board.Of(memory...), 60<<20, board.Mebibytes)
	s.AtMost("binary", "60 MB", board.Of(float64(info.Size())), 60e6, megabytes)
	return nil
}
