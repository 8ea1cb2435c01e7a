package measure

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"slices"
	"time"
)

// Only measures one contestant in this process and writes the sample as JSON. It is
// used in a child process and to make a profile.
func Only(out io.Writer, all []Contestant, name string, budget time.Duration, profile string) (err error) {
	at := slices.IndexFunc(all, func(c Contestant) bool { return c.Name == name })
	if at < 0 {
		var names []string
		for _, c := range all {
			names = append(names, c.Name)
		}
		return fmt.Errorf("unknown contestant %q; the contestants are %q", name, names)
	}
	var s Sample
	if err := Profiled(profile, func() error { s = Here(all[at], budget); return nil }); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(s)
}

// Profiled calls the function work and writes a CPU profile of the call to the file at path. If path is "", it
// writes no profile.
func Profiled(path string, work func() error) error {
	if path == "" {
		return work()
	}
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("create the profile: %w", err)
	}
	defer f.Close() //nolint:errcheck // An incomplete profile cannot be opened.
	if err := pprof.StartCPUProfile(f); err != nil {
		return fmt.Errorf("start the profile: %w", err)
	}
	defer pprof.StopCPUProfile()
	return work()
}
