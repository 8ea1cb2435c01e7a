package fault

import "fmt"

// Panic is the value of a panic that was recovered on one goroutine and is raised again on
// another. It keeps the stack of the first goroutine, which shows the cause.
type Panic struct {
	Value any    // may hold submitted data, so PanicStack leaves it out of the log
	Stack []byte // the stack of the goroutine that panicked first
}

// Error returns the text that the runtime prints if nobody recovers the panic.
func (p *Panic) Error() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }

// Unwrap returns the value if it is an error, such as http.ErrAbortHandler.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// PanicStack returns the stack of a recovered panic for a log line. here is the stack of the
// recovering goroutine. If the panic was raised on another goroutine first, the stack of that
// goroutine precedes it.
func PanicStack(recovered any, here []byte) string {
	if p, ok := recovered.(*Panic); ok {
		return fmt.Sprintf("%s\nraised again by %s", p.Stack, here)
	}
	return string(here)
}
