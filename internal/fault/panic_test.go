package fault_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"verdict/internal/fault"
)

func TestPanicStack(t *testing.T) {
	t.Parallel()
	again := &fault.Panic{Value: "typed by somebody", Stack: []byte("first\n")}
	if got, want := fault.PanicStack(again, []byte("second\n")), "first\n\nraised again by second\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := fault.PanicStack("typed by somebody", []byte("second\n")); got != "second\n" {
		t.Errorf("got %q", got)
	}
	if text := again.Error(); !strings.Contains(text, "typed by somebody") || !strings.Contains(text, "first") {
		t.Errorf("the runtime prints %q", text)
	}
	if err := error(&fault.Panic{Value: io.EOF}); !errors.Is(err, io.EOF) || errors.Is(again, io.EOF) {
		t.Error("an error that was raised again is not recognised, or another is")
	}
}
