package main

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"sync/atomic"
)

const listHelp = `Replace all entries of a list of values in a service.

  verdict list push NAME FILE -service URL [-api-key FILE] [-type text|number|hashed] [-if-version N]

FILE is CSV with the column value and, if entries expire, the column expires_at; it
may be compressed with gzip. Use - for standard input. The file is sent as it is
read. The key of the variable VERDICT_KEY, or of -api-key, needs the scope
policy:write. A new list needs -type. With -if-version the list is replaced only if
it still has that version. If values of the file are wrong, nothing is replaced, and
the command prints up to 100 faults, each with its line of the file.
`

func listCommand(c *command) int { return c.subcommand(listHelp, verbs{"push": listPush}) }

func listPush(c *command) int {
	fs := c.flags(listHelp)
	flags := newRemoteFlags(fs)
	kind := fs.String("type", "", "`type` of the list: text, number or hashed; a new list needs it")
	version := fs.Int64("if-version", -1, "replace the list only if it has this `version`")
	words, code, done := c.arguments(fs, "NAME", "FILE")
	if done {
		return code
	}
	service, err := flags.open(c)
	if err != nil {
		return c.usage("%v", err)
	}
	in, size, err := c.rows(words[1])
	if err != nil {
		return c.usage("%v", err)
	}
	defer func() { _ = in.Close() }() // the file is only read
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	path := "/v1/lists/" + url.PathEscape(words[0])
	if *kind != "" {
		path += "?type=" + url.QueryEscape(*kind)
	}
	header := map[string]string{"Content-Type": "text/csv", "Content-Encoding": "gzip"}
	if *version >= 0 {
		header["If-Match"] = fmt.Sprintf(`"%d"`, *version)
	}
	bar := c.progress(size, "sending")
	plain, err := expand(&meter{in: in, bar: bar})
	if err != nil {
		return c.unanswered(inFile(words[1], err))
	}
	body := newPacking(plain)
	defer func() { _ = body.Close() }()
	answer, err := service.send(ctx, http.MethodPut, path, body, header)
	_ = bar.Finish()
	if err != nil {
		return c.unanswered(inFile(words[1], body.cause(err)))
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return c.usage("read the answer: %v", err)
	}
	return c.printJSON(text, false)
}

// packing is a reader of the compressed input. Closing it ends the goroutine that compresses.
type packing struct {
	*io.PipeReader
	failed atomic.Pointer[error] // why the input cannot be read
}

func newPacking(in io.Reader) *packing {
	out, to := io.Pipe()
	p := &packing{PipeReader: out}
	go func() {
		packed, err := gzip.NewWriterLevel(to, gzip.BestSpeed)
		if err == nil {
			_, err = io.Copy(packed, in)
		}
		if err == nil {
			err = packed.Close()
		}
		if err != nil && !errors.Is(err, io.ErrClosedPipe) {
			p.failed.Store(&err)
		}
		_ = to.CloseWithError(err)
	}()
	return p
}

// cause returns why the input cannot be read, or err if it can. The error of a request does not always say that its
// body could not be read.
func (p *packing) cause(err error) error {
	if failed := p.failed.Load(); failed != nil {
		return *failed
	}
	return err
}
