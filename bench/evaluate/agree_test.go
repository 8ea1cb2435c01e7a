package evaluate

import "testing"

func TestEveryoneAgrees(t *testing.T) {
	t.Parallel()
	if err := Agree(); err != nil {
		t.Error(err)
	}
}

// TestTheRequestsAreLarge checks that the requests have the size that the
// targets name.
func TestTheRequestsAreLarge(t *testing.T) {
	t.Parallel()
	for i, body := range bodies() {
		if len(body) < 320_000 || len(body) > 340_000 {
			t.Errorf("request %d has %d bytes", i, len(body))
		}
	}
}

// TestReadingAllocatesLittle checks that reading a request makes at most 200 allocations. Their number grows with
// the number of accounts and enquiries, not with the number of months and transactions.
func TestReadingAllocatesLittle(t *testing.T) { //nolint:paralleltest // It counts the allocations of the whole process.
	list := bodies()
	i := 0
	n := testing.AllocsPerRun(2*len(list), func() { keep(read(list[i%len(list)])); i++ })
	if n > 200 {
		t.Errorf("%v allocations to read a request", n)
	}
	t.Logf("%v allocations", n)
}
