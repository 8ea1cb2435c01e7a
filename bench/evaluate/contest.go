package evaluate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"verdict/bench/board"
	"verdict/bench/measure"
)

// The names of the JSON libraries.
const (
	JSON   = "encoding/json"
	JSONv2 = "encoding/json/v2"
	Goccy  = "goccy"
	Sonic  = "sonic"
)

// Contest measures the cost of a large evaluate request. encoding/json/v2 is an
// experiment of the toolchain, so Contest builds a separate program with it.
func Contest(ctx context.Context, o measure.Options) (s board.Section, err error) {
	folder, err := os.MkdirTemp("", "verdict-bench-")
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	program := filepath.Join(folder, "jsonv2")
	measure.Progress("building the program with encoding/json/v2")
	//nolint:gosec // The path is in the temporary folder made above.
	cmd := exec.CommandContext(ctx, "go", "build", "-o", program, "verdict/bench/jsonv2")
	cmd.Env = append(os.Environ(), "GOEXPERIMENT=jsonv2")
	if out, err := cmd.CombinedOutput(); err != nil {
		return s, fmt.Errorf("build the program with encoding/json/v2: %w: %s", err, out)
	}

	measure.Progress("evaluate: comparing the results of all contestants")
	if err := Agree(); err != nil {
		return s, err
	}
	//nolint:gosec // The program was built above.
	if out, err := exec.CommandContext(ctx, program, "-agree").CombinedOutput(); err != nil {
		return s, fmt.Errorf("encoding/json/v2: %w: %s", err, out)
	}

	o.Programs = map[string]string{DecodeBy + JSONv2: program, DecodeAlone + JSONv2: program}
	var names []string
	for _, c := range Contestants(nil) {
		names = append(names, c.Name)
	}
	r, err := measure.All(ctx, append(names, DecodeBy+JSONv2, DecodeAlone+JSONv2), o)
	if err != nil {
		return s, err
	}
	return section(r, o), nil
}

func section(r measure.Results, o measure.Options) board.Section {
	s := board.Section{
		Name: "evaluate", Title: "A large evaluate request",
		Note: fmt.Sprintf("%d requests of about 328 KB: 40 accounts of 36 months, 60 enquiries, 2,000 transactions; "+
			"%d rounds; medians of the CPU time for one; ratios within a round.",
			requestCount, o.Rounds),
	}
	t := board.Table{Head: []string{"work", "CPU time", "least – most", "its time ÷ ours", "allocations"}}
	row := func(what, name, by string) {
		ratio := ""
		if by != "" {
			ratio = r.Ratio(name, by).Text(board.Times)
		}
		nanos := r.Nanos(name)
		t.Add(what, nanos.Show(board.Nanos), nanos.Between(board.Nanos), ratio, r.Allocs(name).Show(board.Count))
	}
	row("feature vector, ours", FeaturesOurs, "")
	row("  by hand (the limit)", FeaturesLimit, FeaturesOurs)
	row("  a pass for each feature", FeaturesPasses, FeaturesOurs)
	row("feature vector with its hash, ours", HashedOurs, "")
	row("  by hand (the limit)", HashedLimit, HashedOurs)
	row("read the body: strict document, history, statement, facts, ours", DecodeOurs, "")
	for _, name := range []string{JSON, JSONv2, Goccy, Sonic} {
		row("  "+name+", then days and paise", DecodeBy+name, DecodeOurs)
	}
	row("the document alone, ours", DecodeParse, "")
	for _, name := range []string{JSON, JSONv2, Goccy, Sonic} {
		row("  "+name+" into structs", DecodeAlone+name, DecodeParse)
	}
	row("the whole request without storage, ours", Whole, "")
	row("  features and their hash", WholeFeatures, "")
	row("  deciding and the answer", WholeDecide, "")
	row("  encoding the facts, the vector and the history for storage", WholeStored, "")
	s.Tables = []board.Table{t}
	s.AtMost("feature vector", "1.2 × the limit", r.Ratio(FeaturesOurs, FeaturesLimit), 1.2, board.Times)
	s.AtMost("feature vector with its hash", "1.2 × the limit", r.Ratio(HashedOurs, HashedLimit), 1.2, board.Times)
	s.AtLeast("read a body of 328 KB", "5 × faster than encoding/json",
		r.Ratio(DecodeBy+JSON, DecodeOurs), 5, board.Times)
	s.AtMost("read a body of 328 KB", "400 allocations", board.Of(r.Allocs(DecodeOurs).Median), 400, board.Count)
	return s
}
