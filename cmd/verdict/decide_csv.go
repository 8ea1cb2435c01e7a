package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"verdict/internal/document"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// batchOptions are the flags with which "verdict decide" sends the rows of a file to a service.
type batchOptions struct {
	csv    string
	batch  string // the id of a batch that was started before
	remote remoteFlags
	strict bool
	texts  string // names of columns, separated by commas
	ignore string // names of columns, separated by commas
	key    string // the Idempotency-Key, "" to compute it from the file
}

// batchState is the part of a batch that the command reads.
type batchState struct {
	ID       string `json:"batch_id"`
	Status   string `json:"status"`
	Progress struct {
		Done  int64 `json:"rows_done"`
		Total int64 `json:"rows_total"`
	} `json:"progress"`
	Counts struct {
		Statuses map[string]int64 `json:"by_status"`
		Errors   map[string]int64 `json:"by_error"`
	} `json:"counts"`
	Error *struct{ Code, Detail string } `json:"error"`
}

// decideRows starts a batch with the rows of a file, waits for its end and prints the results.
func decideRows(c *command, o *batchOptions) int {
	service, err := o.remote.open(c)
	if err != nil {
		return c.usage("%v", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if o.batch == "" {
		if o.batch, err = startOnce(ctx, c, service, o); err != nil {
			return c.unanswered(o.interrupted(err))
		}
		_, _ = fmt.Fprintf(c.stderr, "verdict decide: the service decides the rows as %s; "+
			"if this command is interrupted, continue with -batch %s\n", o.batch, o.batch)
	}
	state, err := awaitBatch(ctx, c, service, o.batch)
	if err != nil {
		return c.unanswered(o.interrupted(err))
	}
	answer, err := service.send(ctx, http.MethodGet, "/v1/batches/"+o.batch+"/results", nil, nil)
	if err != nil {
		return c.unanswered(err)
	}
	defer func() { _ = answer.Body.Close() }()
	var percent percentRows
	if _, err := io.Copy(io.MultiWriter(c.stdout, &percent), answer.Body); err != nil {
		return c.usage("write the results: %v", err)
	}
	_, _ = fmt.Fprintf(c.stderr, "verdict decide: %s is %s: %s\n", o.batch, state.Status, state.summary())
	if state.Status != "completed" {
		return exitRefused
	}
	if n := state.undecided(); n > 0 {
		c.note(`%d of %d rows were not decided; their lines have "error" instead of "decision_id"`, n,
			state.Progress.Done)
		if percent.count > 0 {
			c.note("rows refused because of foir: %d; foir is a ratio, so 0.42 means 42 %%. If the column is in "+
				"percent, divide it by 100 and send the rows again", percent.count)
		}
		return exitUndecided
	}
	return exitOK
}

// interrupted returns an error that says what becomes of the rows, if err is that the user has interrupted the command.
// It returns other errors unchanged.
func (o *batchOptions) interrupted(err error) error {
	switch {
	case !errors.Is(err, context.Canceled):
		return err
	case o.batch != "":
		return fmt.Errorf("interrupted, but the service continues to decide the rows. To get their results, use "+
			"-batch %s; to cancel the batch, send POST /v1/batches/%s/cancel", o.batch, o.batch)
	case o.csv == standardInput:
		return errors.New("interrupted while the rows were sent; look at GET /v1/batches before you send them again")
	}
	return errors.New("interrupted while the rows were sent. Send the same file again: no row is decided twice")
}

// percentRows counts the result lines in which foir was refused because it is out of range.
type percentRows struct {
	line  []byte // the beginning of the current line, at most maxResult bytes of it
	count int64
}

// maxResult limits the part of a result line that is kept.
const maxResult = 64 << 10

func (r *percentRows) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte{'\n'})
		r.line = append(r.line, line[:min(len(line), maxResult-len(r.line))]...)
		rest = after
		if !ended {
			break
		}
		if bytes.Contains(r.line, []byte(`/applicant/foir"`)) && bytes.Contains(r.line, []byte(fault.CodeOutOfRange)) {
			r.count++
		}
		r.line = r.line[:0]
	}
	return len(p), nil
}

// undecided returns the number of rows that have an error instead of a decision.
func (b *batchState) undecided() (n int64) {
	for _, rows := range b.Counts.Errors {
		n += rows
	}
	return n
}

// summary returns the counts of a batch as a text.
func (b *batchState) summary() string {
	text := fmt.Sprintf("%d rows", b.Progress.Done)
	for _, counts := range []map[string]int64{b.Counts.Statuses, b.Counts.Errors} {
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			text += fmt.Sprintf(", %d %s", counts[name], name)
		}
	}
	if b.Error != nil {
		text += ", " + b.Error.Code + ": " + b.Error.Detail
	}
	return text
}

// requestKey returns the Idempotency-Key of the batch. The key depends on the bytes of the file and on the options that
// change its rows, so that a repeated command does not start a second batch. Standard input can be read only once, so
// the key of its rows is random.
func requestKey(c *command, o *batchOptions) (string, error) {
	if o.key != "" {
		return o.key, nil
	}
	if o.csv == standardInput {
		return rand.Text(), nil
	}
	in, _, err := c.rows(o.csv)
	if err != nil {
		return "", err
	}
	defer func() { _ = in.Close() }() // the file is only read
	sum := sha256.New()
	_, _ = fmt.Fprintf(sum, "decide -csv, strict %t, text %q\n", o.strict, splitNames(o.texts))
	if o.ignore != "" {
		_, _ = fmt.Fprintf(sum, "ignore %q\n", splitNames(o.ignore))
	}
	if _, err := io.Copy(sum, in); err != nil {
		return "", err
	}
	return "csv-" + hex.EncodeToString(sum.Sum(nil)), nil
}

// refusePercent returns Invalid if most values of foir in the file are percentages. It reports no other error, because
// sending the rows reports them. Standard input can be read only once, so its values are not examined.
func (o *batchOptions) refusePercent(c *command) error {
	if o.csv == standardInput {
		return nil
	}
	in, _, err := c.rows(o.csv)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // the file is only read
	text, err := expand(in)
	if err != nil {
		return inFile(o.csv, err)
	}
	rows, err := document.NewRequestSheet(text, splitNames(o.texts)...)
	if err != nil || rows.LeaveOut(splitNames(o.ignore)...) != nil || !rows.HasFOIR() {
		return nil
	}
	var found foirValues
	_ = rows.WriteLines(&found)
	if 2*found.above <= found.all {
		return nil
	}
	return inFile(o.csv, fault.New(fault.Invalid, fault.CodeOutOfRange, "most values of foir are above 5 and look "+
		"like percentages; nothing was sent. Divide the column by 100, because foir is a ratio: 0.42 means 42 %%"))
}

// foirValues counts the values of foir in requests. Each call of Write gets one request.
type foirValues struct {
	all, above int // above counts the values that no ratio has
}

// highestRatio is the highest foir that a request may have.
const highestRatio = 5 * rule.One

// enoughValues is the number of values after which the rest of a file is not examined.
const enoughValues = 100_000

var errEnough = errors.New("enough values were examined")

func (v *foirValues) Write(request []byte) (int, error) {
	if !bytes.Contains(request, []byte(`"foir":`)) {
		return len(request), nil
	}
	read, err := wire.Parse(request)
	if err != nil {
		return len(request), nil //nolint:nilerr // the service refuses the request
	}
	foir := read.Get("applicant").Get("foir")
	if foir.Kind() != wire.Number {
		return len(request), nil
	}
	v.all++
	if n, _, ok := rule.ParseNumber(foir.Text()); !ok || n > highestRatio {
		v.above++
	}
	if v.all == enoughValues {
		return 0, errEnough
	}
	return len(request), nil
}

// maxPause limits the pause before the rows are sent again. Each attempt sends the file.
const maxPause = 30 * time.Second

// startOnce sends the rows and returns the id of the batch. While another command sends the same rows, it waits, and
// then returns the id of that batch.
func startOnce(ctx context.Context, c *command, service *remote, o *batchOptions) (string, error) {
	if err := o.refusePercent(c); err != nil {
		return "", err
	}
	key, err := requestKey(c, o)
	if err != nil {
		return "", err
	}
	for pause := time.Second; ; pause = min(2*pause, maxPause) {
		id, err := startBatch(ctx, c, service, o, key)
		var refused *errRefused
		if !errors.As(err, &refused) || refused.code != fault.CodeIdempotencyInProgress || o.csv == standardInput {
			return id, err
		}
		if pause == time.Second {
			c.note("another command is sending these rows; waiting for it")
		}
		if err := operation.Sleep(ctx, pause); err != nil {
			return "", err
		}
	}
}

// startBatch sends the rows under an Idempotency-Key and returns the id of the batch.
func startBatch(ctx context.Context, c *command, service *remote, o *batchOptions, key string) (string, error) {
	in, size, err := c.rows(o.csv)
	if err != nil {
		return "", err
	}
	defer func() { _ = in.Close() }() // the file is only read
	bar := c.progress(size, "sending")
	defer func() { _ = bar.Finish() }()
	text, err := expand(&meter{in: in, bar: bar})
	if err != nil {
		return "", inFile(o.csv, err)
	}
	rows, err := o.header(ctx, c, service, text)
	if err != nil {
		return "", inFile(o.csv, err)
	}
	lines, to := io.Pipe()
	go func() { _ = to.CloseWithError(rows.WriteLines(to)) }()
	body := newPacking(lines)
	defer func() { _, _ = body.Close(), lines.Close() }()
	prefer := "respond-async"
	if o.strict {
		prefer += ", handling=strict"
	}
	answer, err := service.send(ctx, http.MethodPost, "/v1/decisions/batch", body, map[string]string{
		"Content-Type":     "application/x-ndjson",
		"Content-Encoding": "gzip",
		"Prefer":           prefer,
		"Idempotency-Key":  key,
	})
	if err != nil {
		return "", inFile(o.csv, body.cause(err))
	}
	defer func() { _ = answer.Body.Close() }()
	var started batchState
	err = json.NewDecoder(answer.Body).Decode(&started)
	if err == nil && answer.Header.Get("Idempotent-Replayed") == "true" {
		c.note("these rows were sent before; the results of that batch follow, and nothing is decided or billed " +
			"again. To decide the rows again, give another -key")
	}
	return started.ID, err
}

// inFile puts the name of the file before a refusal of its content, or before the error that it is damaged. It returns
// other errors unchanged.
func inFile(name string, err error) error {
	if fault.Of(err) == nil && !errors.Is(err, errDamaged) {
		return err
	}
	return fmt.Errorf("%s: %w", shownName(name), err)
}

// header reads the header of the file. It names the columns that are left out, and refuses a header if a column is
// probably misspelt, or if the active policy reads a score and no column has it.
func (o *batchOptions) header(
	ctx context.Context, c *command, service *remote, text io.Reader,
) (*document.RequestSheet, error) {
	rows, err := document.NewRequestSheet(text, splitNames(o.texts)...)
	if err != nil {
		return nil, err
	}
	if err := rows.LeaveOut(splitNames(o.ignore)...); err != nil {
		return nil, err
	}
	if o.strict {
		if err := rows.Strict(); err != nil {
			return nil, err
		}
	}
	if leftOut := rows.LeftOut(); leftOut != "" {
		c.note("columns that are not members of a request are left out: %s", leftOut)
	}
	if misspelt := rows.Misspelt(); len(misspelt) > 0 {
		var columns []string
		for _, column := range misspelt {
			columns = append(columns, column.Name)
		}
		return nil, fault.New(fault.Invalid, fault.CodeUnknownField, "the name of a column is probably misspelt, and "+
			"nothing was sent: %s. Rename the column, or leave it out with -ignore %q",
			document.MisspeltText(misspelt), strings.Join(columns, ","))
	}
	if !rows.HasScore() && needsScore(ctx, service) {
		return nil, fault.New(fault.Invalid, fault.CodeRequired, "the file has no column for score, which the active "+
			"policy reads, and nothing was sent. Name the column score")
	}
	return rows, nil
}

// needsScore reports whether the service refuses an application without a score. It asks for a preview, which is
// neither stored nor billed. If the service does not say so, it returns false, and the rows themselves are refused.
func needsScore(ctx context.Context, service *remote) bool {
	answer, err := service.send(ctx, http.MethodPost, "/v1/decisions/preview",
		strings.NewReader(`{"applicant":{},"bureau_report":{}}`), map[string]string{"Content-Type": "application/json"})
	if err == nil {
		_ = answer.Body.Close()
		return false
	}
	var refused *errRefused
	return errors.As(err, &refused) && slices.ContainsFunc(refused.faults, func(f problemFault) bool {
		return f.Pointer == "/bureau_report/score" && f.Code == fault.CodeRequired
	})
}

// awaitBatch waits until a batch is over.
func awaitBatch(ctx context.Context, c *command, service *remote, id string) (state batchState, err error) {
	bar := c.progress(-1, "deciding")
	for {
		state = batchState{}
		if err := service.get(ctx, "/v1/batches/"+id, &state); err != nil {
			return state, err
		}
		if state.Progress.Total > 0 {
			bar.ChangeMax64(state.Progress.Total)
		}
		_ = bar.Set64(state.Progress.Done)
		switch state.Status {
		case "completed", "cancelled", "failed":
			_ = bar.Finish()
			return state, nil
		}
		if err := operation.Sleep(ctx, pollEvery); err != nil {
			return state, err
		}
	}
}

// pollEvery is the interval at which the progress of a batch is read.
const pollEvery = 500 * time.Millisecond

// splitNames splits a comma-separated list into names, and removes the spaces around each name.
func splitNames(list string) (names []string) {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}
