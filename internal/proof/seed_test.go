package proof

import "testing"

// TestSeed checks that a commit always has the same seed, and that the variable overrides it. It sets the environment,
// so it is not parallel.
func TestSeed(t *testing.T) {
	t.Setenv(SeedVariable, "")
	first, err := Seed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	second, err := Seed(t.Context())
	if err != nil || second != first {
		t.Errorf("seeds %d and %d of one commit, error %v", first, second, err)
	}

	t.Setenv(SeedVariable, "7601203319564949328")
	if seed, err := Seed(t.Context()); err != nil || seed != 7601203319564949328 {
		t.Errorf("got %d and %v", seed, err)
	}
	t.Setenv(SeedVariable, "seven")
	if _, err := Seed(t.Context()); err == nil {
		t.Error("a seed that is no number was accepted")
	}
}
