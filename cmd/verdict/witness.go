package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"verdict/internal/durablefile"
	"verdict/internal/evidence"
	"verdict/internal/logkey"
	"verdict/internal/operation"
	"verdict/internal/witness"
)

const witnessHelp = `Watch the log of a lender from outside, on a machine that the lender does not control.

  verdict log witness-key -name auditor.example FILE
                                 write a new secret key of a witness, and print its public key
  verdict log witness -key FILE -log KEY -state FILE -service URL -api-key FILE [-every 1m]
                                 sign the last checkpoint if the log continues the one that was signed before,
                                 and send the signature to the lender; with -every, repeat this
  verdict log witness -key FILE -log KEY -state FILE -listen ADDRESS
                                 sign for every client of the protocol C2SP tlog-witness
  verdict log audit -since CHECKPOINT -log KEY -service URL -api-key FILE
                                 check that the log still begins with the entries that an older checkpoint
                                 covers, and that the entries added since have the hashes of the log's tree

KEY is a file with the public key of the log (GET /v1/log/key). CHECKPOINT is a
file with a checkpoint that you have kept (GET /v1/log/checkpoint). The API key
needs only the scope log:read. Keep the file of -state: without it the witness
would also sign a log that does not continue the one it signed before. Give the
public key of the witness to those who check capsules ("verdict verify -witness
FILE").

Exits with 1 if the log was rewritten, and with 2 if something cannot be read.
`

// watching holds the flags of commands that read the log of a lender.
type watching struct{ log, service, apiKey *string }

func watchFlags(fs *flag.FlagSet) watching {
	return watching{
		log:     fs.String("log", "", "`file` with the public key of the log"),
		service: fs.String("service", "", "`URL` of the lender's service"),
		apiKey:  fs.String("api-key", "", "`file` with an API key of the scope log:read"),
	}
}

// keys returns the public keys of the log.
func (w watching) keys(c *command) (*evidence.LogKeys, error) {
	if *w.log == "" {
		return nil, errors.New("-log is missing: the file with the public key of the log")
	}
	text, err := c.read(*w.log)
	if err != nil {
		return nil, err
	}
	keys, err := evidence.ParseLogKeys(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", *w.log, err)
	}
	return keys, nil
}

// remote returns the log of the lender's service.
func (w watching) remote(c *command) (*witness.Remote, error) {
	if *w.service == "" || *w.apiKey == "" {
		return nil, errors.New("-service and -api-key are missing: the lender's service, and the file with an API key")
	}
	if err := checkService(*w.service); err != nil {
		return nil, err
	}
	text, err := c.readSecret("-api-key", *w.apiKey)
	if err != nil {
		return nil, err
	}
	return witness.NewRemote(*w.service, strings.TrimSpace(string(text)), newClient().Transport), nil
}

func logWitnessKey(c *command) int {
	fs := c.flags(witnessHelp)
	name := fs.String("name", "", "`name` of the witness, such as a host name")
	words, code, done := c.arguments(fs, "FILE")
	if done {
		return code
	}
	if err := witness.CheckName(*name); err != nil {
		return c.usage("-name: %v", err)
	}
	secret, err := logkey.NewKey(rand.Reader)
	if err != nil {
		return c.usage("%v", err)
	}
	key := witness.Key{Name: *name, Secret: secret}
	if err := durablefile.WriteNew(words[0], []byte(key.Text())); err != nil {
		return c.usage("%v", err)
	}
	return c.print([]byte(key.Public() + "\n"))
}

func logWitness(c *command) int {
	fs := c.flags(witnessHelp)
	watched := watchFlags(fs)
	keyFile := fs.String("key", "", "`file` with the secret key of the witness")
	state := fs.String("state", "", "`file` in which the witness stores what it has signed")
	every := fs.Duration("every", 0, "`interval` between two visits; default: visit once")
	listen := fs.String("listen", "", "`address` at which to listen for requests to sign, instead of visiting")
	if _, code, done := c.arguments(fs); done {
		return code
	}
	if *keyFile == "" || *state == "" {
		return c.usage("-key and -state are missing: the files with the witness's key and with what it has signed")
	}
	text, err := c.readSecret("-key", *keyFile)
	if err != nil {
		return c.usage("%v", err)
	}
	key, err := witness.ParseKey(string(text))
	if err != nil {
		return c.usage("%s: %v", *keyFile, err)
	}
	log, err := watched.keys(c)
	if err != nil {
		return c.usage("%v", err)
	}
	signed, err := logkey.OpenSigned(*state)
	if err != nil {
		return c.usage("-state: %v", err)
	}
	w := witness.New(key, []*evidence.LogKeys{log}, signed, time.Now)
	ctx, stop := interruptible()
	defer stop()
	var code int
	if *listen != "" {
		code = serveWitness(ctx, c, *listen, w.Handler(func(err error) {
			_, _ = fmt.Fprintf(c.stderr, "verdict %s: could not sign a checkpoint: %v\n", c.name, err)
		}))
	} else {
		code = visitLog(ctx, c, w, watched, *every)
	}
	if err := signed.Close(); err != nil && code == exitOK {
		return c.usage("%v", err)
	}
	return code
}

// visitLog lets the witness visit the service once, or at intervals until ctx ends. If visits are repeated, an
// error does not end them.
func visitLog(ctx context.Context, c *command, w *witness.Witness, watched watching, every time.Duration) int {
	remote, err := watched.remote(c)
	if err != nil {
		return c.usage("%v", err)
	}
	for {
		seen, err := w.Visit(ctx, remote)
		code := exitOK
		if err != nil {
			_, _ = fmt.Fprintf(c.stderr, "verdict %s: %v\n", c.name, err)
			code = visitCode(err)
		} else {
			code = c.print(fmt.Appendf(nil, "signed %s with %d entries\n", seen.Origin, seen.Size))
		}
		if every <= 0 {
			return code
		}
		if operation.Sleep(ctx, every) != nil {
			return exitOK
		}
	}
}

// visitCode returns the exit code 1 if the log contradicts itself, and 2 if it could not be read.
func visitCode(err error) int {
	var conflict *witness.ConflictError
	if errors.As(err, &conflict) || errors.Is(err, witness.ErrNoGrowth) || errors.Is(err, witness.ErrNotSigned) ||
		errors.Is(err, witness.ErrShorter) {
		return exitRefused
	}
	return exitUsage
}

// maxWitnessConnections is how many connections the witness serves at the same time. Only the lenders that it watches
// connect, each for a moment.
const maxWitnessConnections = 100

// serveWitness serves until ctx ends.
func serveWitness(ctx context.Context, c *command, address string, handler http.Handler) int {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return c.usage("-listen: %v", err)
	}
	const timeout = 30 * time.Second
	server := &http.Server{Handler: handler, ReadTimeout: timeout, WriteTimeout: timeout, IdleTimeout: timeout}
	ended := context.AfterFunc(ctx, func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
		defer cancel()
		_ = server.Shutdown(last) // the process ends anyway
	})
	defer ended()
	if code := c.print(fmt.Appendf(nil, "listening at %s\n", listener.Addr())); code != exitOK {
		return code
	}
	if err := server.Serve(limitListener(listener, maxWitnessConnections)); !errors.Is(err, http.ErrServerClosed) {
		return c.usage("%v", err)
	}
	return exitOK
}

func logAudit(c *command) int {
	fs := c.flags(witnessHelp)
	watched := watchFlags(fs)
	since := fs.String("since", "", "`file` with an older checkpoint")
	if _, code, done := c.arguments(fs); done {
		return code
	}
	if *since == "" {
		return c.usage("-since is missing: the file with an older checkpoint of the log")
	}
	older, err := c.read(*since)
	if err != nil {
		return c.usage("%v", err)
	}
	log, err := watched.keys(c)
	if err != nil {
		return c.usage("%v", err)
	}
	remote, err := watched.remote(c)
	if err != nil {
		return c.usage("%v", err)
	}
	ctx, stop := interruptible()
	defer stop()
	a, err := witness.Audit(ctx, remote, log, older)
	switch {
	case errors.Is(err, witness.ErrRewritten), errors.Is(err, witness.ErrShorter), errors.Is(err, witness.ErrEntries):
		return c.incomplete(err)
	case err != nil:
		return c.usage("%v", err)
	}
	code := c.print(auditText(&a))
	if code == exitOK && a.Reopening != nil && a.Now.Origin != a.Since.Origin {
		return exitRefused
	}
	return code
}

// auditText returns a text about what an audit has found.
func auditText(a *witness.Audited) []byte {
	var out bytes.Buffer
	added := a.Now.Size - a.Since.Size
	if r := a.Reopening; r != nil && a.Now.Origin != a.Since.Origin {
		fmt.Fprintf(&out, "NO: the log %s was reopened as %s at %s (%s); of its entries, the first %d are kept\n",
			a.Since.Origin, a.Now.Origin, r.At, r.Reason, r.Kept)
		added = a.Now.Size - 1
	} else {
		fmt.Fprintf(&out, "yes: the log %s begins with the %d entries of the older checkpoint\n", a.Since.Origin,
			a.Since.Size)
	}
	fmt.Fprintf(&out, "%d entries were added", added)
	for i, kind := range slices.Sorted(maps.Keys(a.Kinds)) {
		separator := ", "
		if i == 0 {
			separator = ": "
		}
		fmt.Fprintf(&out, "%s%d %s", separator, a.Kinds[kind], kind)
	}
	fmt.Fprintln(&out)
	return out.Bytes()
}
