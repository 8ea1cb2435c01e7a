package httpapi

import (
	"context"
	"net/http"
	"strconv"

	"verdict/internal/admission"
	"verdict/internal/document"
	"verdict/internal/operation"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// readAs reads the body into the value that an operation takes. A caller without the
// operation's scope is refused before the body is checked.
func readAs[T any](c *call, scope tenant.Scopes, read func(wire.Value) (T, error)) (value T, err error) {
	if err := c.caller.Require(scope); err != nil {
		return value, err
	}
	return read(c.body)
}

// sendValue writes the result of an operation, or returns its error.
func sendValue[T any](c *call, value T, err error, write func(*wire.Writer, T)) error {
	if err != nil {
		return err
	}
	w := wire.Writer{Buf: make([]byte, 0, 4<<10)}
	write(&w, value)
	return c.response.send(c.ctx, http.StatusOK, w.Buf)
}

// sendVersioned writes the result like sendValue, for a value with a version. It
// sends the version as the ETag, which a client can send back in If-Match.
func sendVersioned[T any](c *call, value T, version int64, err error, write func(*wire.Writer, T)) error {
	if err == nil {
		c.response.header()["Etag"] = []string{strconv.Quote(strconv.FormatInt(version, 10))}
	}
	return sendValue(c, value, err, write)
}

// sendPage writes a page of a list, or returns the operation's error.
func sendPage[T any](c *call, page operation.Page[T], err error, write func(*wire.Writer, T)) error {
	if err != nil {
		return err
	}
	w := wire.Writer{Buf: make([]byte, 0, 16<<10)}
	pace := c.pacer()
	document.WritePage(&w, page, func(w *wire.Writer, row T) {
		write(w, row)
		pace(w)
	})
	return c.response.send(c.ctx, http.StatusOK, w.Buf)
}

// pacer returns a function to be called while an answer is written. The function
// lets other requests compute after every 16 KiB, which take about half a
// millisecond. It ignores the error if the client has disconnected, because sending
// the answer fails later.
func (c *call) pacer() func(*wire.Writer) {
	const step = 16 << 10
	written := step
	return func(w *wire.Writer) {
		if len(w.Buf) >= written {
			written = len(w.Buf) + step
			_ = admission.Checkpoint(c.ctx)
		}
	}
}

// sendReply sends the answer of an operation that takes an Idempotency-Key, or
// returns its error.
func sendReply[T any](c *call, reply *operation.Reply[T], value T, err error) error {
	if err != nil {
		return err
	}
	return c.response.sendAnswer(c.ctx, reply.Answer(value))
}

// removeVersioned deletes the object that the path names, unless the request expects another version.
func removeVersioned(
	c *call, remove func(ctx context.Context, p tenant.Principal, name string, expected int64) error,
) error {
	if err := c.query().err(); err != nil {
		return err
	}
	expected, err := expectedVersion(c.r)
	if err != nil {
		return err
	}
	if err := remove(c.ctx, c.caller, c.id, expected); err != nil {
		return err
	}
	return c.response.sendNoContent()
}

// readVersioned sends the object that the path names, with its version.
func readVersioned[T any](
	c *call, read func(ctx context.Context, p tenant.Principal, name string) (T, error), version func(T) int64,
	write func(*wire.Writer, T),
) error {
	if err := c.query().err(); err != nil {
		return err
	}
	found, err := read(c.ctx, c.caller, c.id)
	return sendVersioned(c, found, version(found), err, write)
}

// readPart sends the part of the object that the query asks for, with the version of the object.
func readPart[T any](
	c *call, read func(ctx context.Context, p tenant.Principal, name string, part operation.List) (T, error),
	version func(T) int64, write func(*wire.Writer, T),
) error {
	q := c.query()
	part := q.page()
	if err := q.err(); err != nil {
		return err
	}
	found, err := read(c.ctx, c.caller, c.id, part)
	return sendVersioned(c, found, version(found), err, write)
}

// readAll sends all objects of a kind.
func readAll[T any](
	c *call, read func(ctx context.Context, p tenant.Principal) ([]T, error), write func(*wire.Writer, []T),
) error {
	if err := c.query().err(); err != nil {
		return err
	}
	all, err := read(c.ctx, c.caller)
	return sendValue(c, all, err, write)
}
