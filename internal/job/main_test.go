package job_test

import (
	"os"
	"testing"

	"verdict/internal/store/storetest"
)

func TestMain(m *testing.M) {
	if databaseURL := os.Getenv(childVariable); databaseURL != "" {
		takeUntilKilled(databaseURL)
		return
	}
	storetest.Main(m)
}
