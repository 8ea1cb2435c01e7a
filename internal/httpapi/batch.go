package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"verdict/internal/admission"
	"verdict/internal/batchdesk"
	"verdict/internal/decisioning"
	"verdict/internal/document"
	"verdict/internal/operation"
	"verdict/internal/serving"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// batch is a request with many applications. Each application is decided, stored and billed, or refused, as if it had
// been sent alone.
type batch struct {
	c        *call
	endpoint string // the endpoint to which each application could be sent alone
	decide   decideFunc
	jobs     *batchdesk.Service
}

// decideFunc decides one application, whose document is body.
type decideFunc func(
	ctx context.Context, body wire.Value, reply *operation.Reply[decisioning.Decided],
) (decisioning.Decided, error)

// item is one application of a batch.
type item struct {
	index  int
	text   []byte // the application
	answer operation.Answer
	err    error // why there is no answer
}

const (
	// itemsAtOnce is the number of applications of a batch that are decided at the same time. Decisions that
	// wait for storage at the same time are committed together.
	itemsAtOnce = 32
	// batchTimeout limits the work on a batch in a body.
	batchTimeout = 2 * time.Minute
)

// answer decides the batch and sends the answer. The answer to a JSON body is one document. The answer to a stream of
// applications is a stream, unless the client wants an answer before the applications are decided; the batch then
// becomes a job.
func (b *batch) answer() error {
	if err := b.c.caller.Require(tenant.Decide); err != nil {
		return err
	}
	if isLines(b.c.r) {
		if err := checkLength(b.c.r); err != nil {
			return err
		}
		if prefersAsync(b.c.r) {
			return b.startJob()
		}
		return b.answerStream()
	}
	texts, err := document.ReadBatch(b.c.body)
	if err != nil {
		return err
	}
	b.c.body.Free()
	if err := b.c.takeTokens(b.c.route.bucket, len(texts)-1, 1); err != nil { // the request has taken one token
		return err
	}
	b.c.extendDeadlines(batchTimeout)
	ctx, cancel := context.WithTimeout(b.c.r.Context(), batchTimeout)
	defer cancel()
	items := b.decideAll(b.c.resources.Slot.Extend(ctx), texts)

	var w wire.Writer
	pace := b.c.pacer()
	w.Object().Key("results").Array()
	for i := range items {
		b.write(&w, &items[i])
		items[i].answer.Release()
		pace(&w)
	}
	w.EndArray().EndObject()
	return b.c.response.send(b.c.ctx, operation.StatusOK, w.Buf)
}

// decideAll decides the applications, several at a time.
func (b *batch) decideAll(ctx context.Context, texts [][]byte) []item {
	items := make([]item, len(texts))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(itemsAtOnce, len(texts)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(texts)); i = next.Add(1) - 1 {
				items[i] = item{index: int(i), text: texts[i]}
				b.decideOne(ctx, &items[i])
			}
		})
	}
	b.c.resources.Slot.Pause() // the workers have slots of their own
	workers.Wait()
	b.c.resources.Slot.Resume()
	return items
}

// decideOne decides one application. If the decision panics, only this application fails.
func (b *batch) decideOne(ctx context.Context, it *item) {
	defer func() {
		if failure, _ := serving.Recovered(recover(), false); failure != nil {
			it.err = failure
		}
	}()
	if it.err = ctx.Err(); it.err != nil {
		return
	}
	ctx, slot := admission.Fork(ctx)
	defer slot.Leave()
	var check func() error
	if len(it.text) > longBody {
		check = func() error { return admission.Checkpoint(ctx) }
	}
	body, err := wire.ParseUntil(it.text, check)
	if err != nil {
		it.err = err
		return
	}
	reply := operation.Reply[decisioning.Decided]{Idempotency: b.once(it, body)}
	it.text = nil // it may be large, and nothing reads it any more
	decided, err := b.decide(ctx, body, &reply)
	if it.err = err; err == nil {
		it.answer = reply.Answer(decided)
	}
	body.Free()
}

// once returns the idempotency record of one application, or nil if the request has no Idempotency-Key. Its key is the
// key of the request, a slash and the index. Its hash is that of the parsed application without blanks, so that an
// application in a body and the same application in a line have the same hash. once overwrites the text of the
// application; body does not refer to that text.
func (b *batch) once(it *item, body wire.Value) *operation.Idempotency {
	if b.c.once == nil {
		return nil
	}
	w := wire.Writer{Buf: it.text[:0]}
	sum := sha256.Sum256(w.Value(body).Buf)
	return &operation.Idempotency{
		Route: b.c.once.Route,
		Key:   b.c.once.Key + "/" + strconv.Itoa(it.index),
		Hash:  hex.EncodeToString(sum[:]),
	}
}

// write writes the result of one application.
func (b *batch) write(w *wire.Writer, it *item) {
	w.Object().Key("index").Int(int64(it.index))
	if it.err == nil {
		if it.answer.Replayed {
			w.Key("replayed").Bool(true)
		}
		w.Key("decision").Raw(it.answer.Body).EndObject()
		return
	}
	// A failure of the service is logged here, because the record of the request says nothing about single
	// applications.
	if _, outcome := b.c.api.mapper.Refusal(b.c.r, it.err, b.c.started); outcome.Failure != nil {
		b.c.api.options.Logger.ErrorContext(b.c.r.Context(), "could not decide an application of a batch",
			"request_id", b.c.requestID, "tenant_id", b.c.caller.TenantID, "environment",
			string(b.c.caller.Environment), "code", outcome.Code, "error", outcome.Failure)
	}
	w.Key("error").Raw(b.problem(it.err)).EndObject()
}

// problem returns the problem document of an error.
func (b *batch) problem(err error) []byte {
	c := b.c
	refusal, _ := c.api.mapper.Refusal(c.r, err, c.started)
	status := serving.Status(refusal)
	return problemBody(c.withAdvice(refusal, status), status, c.requestID)
}
