package proof

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
)

// SeedVariable is the environment variable that sets the seed of a random sample.
const SeedVariable = "VERDICT_SEED"

// Seed returns the seed of a random sample: SeedVariable if it is set, which repeats a run, and otherwise a hash of the
// commit. So every machine judges a commit by the same sample, and the next commit by another one. Outside a repository
// the seed is random.
func Seed(ctx context.Context) (uint64, error) {
	if text := os.Getenv(SeedVariable); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read %s: %w", SeedVariable, err)
		}
		return seed, nil
	}

	output, err := exec.CommandContext(ctx, "git", "rev-parse", "HEAD").Output()
	if err != nil {
		return rand.Uint64(), nil // the working folder is not in a repository
	}
	hash := fnv.New64a()
	_, _ = hash.Write(output)
	return hash.Sum64(), nil
}
