package tabledesk_test

import (
	"testing"

	"verdict/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }
