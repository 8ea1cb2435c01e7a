package batchdesk

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"path"

	"verdict/internal/admission"
	"verdict/internal/fault"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Request is a request for a batch.
type Request struct {
	Endpoint string // decisioning.EndpointDecisions or decisioning.EndpointEvaluate
	Strict   bool   // unknown members of a row are refused
	ID       string // the id of the request, for the errors of rows
	// Lines has the rows, one per line. It is read as it arrives. A line may have MaxLine bytes.
	Lines   io.Reader
	MaxLine int
	// Reserve, unless nil, is called for a row of more than 64 KiB that is longer than all rows before it. bytes is the
	// additional memory that the row needs. If Reserve returns an error, the upload ends.
	Reserve func(bytes int64) error
}

const (
	// readAtOnce is the size of the buffer for reading rows, in bytes.
	readAtOnce = 64 << 10
	// rowFactor estimates how much memory it takes to store a long row, as a multiple of the length of the row. The
	// row is held in five forms: as a line, in its chunk, compressed, encrypted, and in the statement to the
	// database. Some of these are in buffers that have grown beyond their content.
	rowFactor = 7
)

// Start stores the rows as they arrive, each chunk in its own transaction, and enqueues the batch once all rows have
// arrived. Its memory use does not depend on the number of rows. Rows are not parsed before they are decided, so a
// row that is not JSON fails alone.
func (s *Service) Start(
	ctx context.Context, p tenant.Principal, r Request, reply *operation.Reply[Batch],
) (Batch, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return Batch{}, err
	}
	if s.options.ChunkQueue == nil {
		return Batch{}, fault.New(fault.Unavailable, fault.CodeUnavailable,
			"this service runs no batches in the background")
	}
	scope := s.core.Scope(p)
	options := r.Endpoint
	if r.Strict {
		options += " strict"
	}
	body := operation.NewStreamed(&limited{r: r.Lines, left: s.options.Limits.Bytes, most: s.options.Limits.Bytes},
		[]byte(options))
	r.Lines = body
	work := func(commit operation.Commit[Batch]) (Batch, error) { return s.receive(ctx, p, scope, &r, commit) }
	if reply == nil || reply.Idempotency == nil {
		return operation.WriteInSteps(ctx, s.core, scope, reply, work)
	}
	drain := func() error {
		_, err := io.Copy(io.Discard, body)
		return err
	}
	started, err := operation.WriteStreamed(ctx, s.core, scope, reply, body, drain, work)
	if err != nil {
		return Batch{}, err
	}
	return started, s.notDeleted(ctx, scope, reply.Answer(started))
}

// notDeleted returns NotFound if the answer is replayed from an earlier request and the batch of that request was
// deleted since. The stored answer must not be deleted with the batch, because a repeated request would then decide all
// rows again.
func (s *Service) notDeleted(ctx context.Context, scope *store.Scope, a operation.Answer) error {
	if !a.Replayed {
		return nil
	}
	_, err := s.find(ctx, scope, path.Base(a.Location))
	if fault.KindOf(err) == fault.NotFound {
		return fault.New(fault.NotFound, fault.CodeNotFound, "the batch that this request has started was deleted; "+
			"its decisions still exist. To decide the rows again, send another Idempotency-Key")
	}
	return err
}

// limited is a reader that returns an error if the rows exceed their limit.
type limited struct {
	r          io.Reader
	left, most int64
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.r.Read(p[:min(int64(len(p)), l.left+1)])
	if l.left -= int64(n); l.left < 0 {
		return 0, fault.New(fault.TooLarge, fault.CodeRequestTooLarge,
			"the rows of a batch may have at most %d bytes", l.most)
	}
	return n, err
}

// receive stores the record of the batch and its rows.
func (s *Service) receive(
	ctx context.Context, p tenant.Principal, scope *store.Scope, r *Request, commit operation.Commit[Batch],
) (Batch, error) {
	in := &intake{
		ctx:     ctx,
		s:       s,
		scope:   scope,
		plan:    p.Plan,
		lines:   bufio.NewReaderSize(r.Lines, readAtOnce),
		limit:   r.MaxLine,
		reserve: r.Reserve,
		longest: readAtOnce,
	}
	first, err := in.line()
	if errors.Is(err, io.EOF) {
		return Batch{}, fault.New(fault.Invalid, fault.CodeNoRows, "there are no rows to decide")
	}
	if err != nil {
		return Batch{}, err
	}
	in.upload, err = s.core.Keys.NewUpload(ctx, p.TenantID)
	if err != nil {
		return Batch{}, err
	}
	record, err := s.create(ctx, p, scope, r, in.upload)
	if err != nil {
		return Batch{}, err
	}
	in.id = record.ID
	err = in.store(ctx, first)
	var queued Batch
	if err == nil {
		queued, err = commit(ctx, func(tx *store.Tx) (Batch, error) {
			record.Status, record.Rows, record.Chunks = Queued, in.rows, in.chunks
			if err := tx.BatchJobs().Queue(record.ID, in.rows, in.chunks); err != nil {
				return Batch{}, err
			}
			return batchOf(&record)
		})
	}
	if err != nil {
		s.abort(ctx, scope, record.ID, err)
		return Batch{}, err
	}
	s.enqueue(ctx, scope, record.ID, in.chunks)
	return queued, nil
}

// create stores the record of a batch that receives its rows, with the key of the rows. It refuses the batch if too
// many are unfinished, or if the caller has stored as much as the plan allows.
func (s *Service) create(
	ctx context.Context, p tenant.Principal, scope *store.Scope, r *Request, upload *journal.Upload,
) (store.BatchJob, error) {
	id, made := s.core.NewID(tenant.KindBatch, s.core.Moment())
	record := store.BatchJob{
		ID:            id,
		Status:        Receiving,
		Endpoint:      r.Endpoint,
		Strict:        r.Strict,
		RequestID:     r.ID,
		CreatedBy:     operation.Actor(p),
		CreatedMicros: made.UnixMicro(),
	}
	if s.core.Keys.Seals() {
		record.UploadKey = upload.Number()
	}
	insert := func(tx *store.Tx, key store.StoredTree) error {
		err := operation.CheckCap(tx, tx.BatchJobs().Unfinished, s.options.Limits.Unfinished, "unfinished batches",
			"wait until one is completed, or cancel one with POST /v1/batches/{id}/cancel")
		if err != nil {
			return err
		}
		if err := operation.CheckStored(tx, p.Plan); err != nil {
			return err
		}
		if err := tx.KeyTrees().AddUpload(key); err != nil {
			return err
		}
		if err := tx.BatchJobs().Insert(record); err != nil {
			return err
		}
		return tx.Audit().Add(s.core.Audit(p, made, operation.ActionBatchCreated, id, ""))
	}
	err := upload.Store(ctx, func(key store.StoredTree) error {
		return scope.Write(ctx, func(tx *store.Tx) error { return insert(tx, key) })
	})
	return record, err
}

// intake receives the rows of a batch.
type intake struct {
	ctx          context.Context
	s            *Service
	scope        *store.Scope
	plan         tenant.PricePlan
	id           string
	upload       *journal.Upload
	lines        *bufio.Reader
	limit        int // the maximum length of a line, in bytes
	reserve      func(bytes int64) error
	longest      int // memory is reserved for a line of this length, in bytes
	rows, chunks int64
	blank        int64  // the number of blank lines
	block        []byte // the rows of the next chunk, each with a line feed
	held         int64  // the number of rows in block
}

// store stores the rows. line is the first row, which was already read.
func (in *intake) store(ctx context.Context, line []byte) (err error) {
	limits := &in.s.options.Limits
	for ; err == nil; line, err = in.line() {
		if in.rows+in.held >= limits.Rows {
			return fault.New(fault.TooLarge, fault.CodeRequestTooLarge, "a batch may have at most %d rows", limits.Rows)
		}
		if in.held > 0 && len(in.block)+len(line) >= limits.ChunkBytes || in.held == limits.ChunkRows {
			if err := in.flush(ctx); err != nil {
				return err
			}
		}
		in.block = append(append(in.block, line...), '\n')
		in.held++
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	return in.flush(ctx)
}

// flush stores the rows in block as a chunk.
func (in *intake) flush(ctx context.Context) error {
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		return err
	}
	_, _ = zip.Write(in.block) // writing to a buffer cannot fail
	if err := zip.Close(); err != nil {
		return err
	}
	c := store.BatchChunk{Number: in.chunks + 1, First: in.rows, Rows: in.held}
	c.Input = in.upload.SealBatch(in.scope.Environment(), in.id, c.Number, packed.Bytes())
	err = in.scope.Write(ctx, func(tx *store.Tx) error {
		if err := tx.BatchJobs().ReceiveChunk(in.id, c); err != nil {
			return err
		}
		return operation.CheckStored(tx, in.plan)
	})
	in.rows, in.chunks, in.held = in.rows+in.held, in.chunks+1, 0
	if in.block = in.block[:0]; cap(in.block) > 2*in.s.options.Limits.ChunkBytes {
		in.block = nil // do not keep a block that a long line has made large
	}
	return err
}

// blankEach is the number of blank lines between two checkpoints.
const blankEach = 1_000

// skip counts a blank line. A compressed body can have billions of them, so their number is limited, and a checkpoint
// after every blankEach of them gives other requests their share of the processors.
func (in *intake) skip() error {
	in.blank++
	if most := in.s.options.Limits.Rows; in.blank > most {
		return fault.New(fault.TooLarge, fault.CodeRequestTooLarge, "a batch may have at most %d blank lines", most)
	}
	if in.blank%blankEach != 0 {
		return nil
	}
	return admission.Checkpoint(in.ctx)
}

// line returns the next line that is not blank. At the end it returns io.EOF.
func (in *intake) line() ([]byte, error) {
	var line []byte
	for {
		part, err := in.lines.ReadSlice('\n')
		if len(line)+len(part) > in.limit+1 {
			return nil, fault.New(fault.TooLarge, fault.CodeRequestTooLarge,
				"a row may have at most %d bytes, and row %d has more", in.limit, in.rows+in.held)
		}
		if err := in.grow(len(line) + len(part)); err != nil {
			return nil, err
		}
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil // if this is the end, the next call returns io.EOF
		}
		if err != nil {
			return nil, err
		}
		if err := in.skip(); err != nil {
			return nil, err
		}
	}
}

// grow reserves memory for a line that grows to length bytes, unless an earlier line was as long.
func (in *intake) grow(length int) error {
	if length <= in.longest || in.reserve == nil {
		return nil
	}
	if err := in.reserve(int64(length-in.longest) * rowFactor); err != nil {
		return err
	}
	in.longest = length
	return nil
}

// enqueue enqueues the chunks of a batch. If that fails, Resume enqueues the chunks later, because they are stored.
func (s *Service) enqueue(ctx context.Context, scope *store.Scope, id string, n int64) {
	chunks := make([]operation.Chunk, n)
	for i := range chunks {
		chunks[i] = operation.Chunk{
			TenantID: scope.Tenant(), Environment: scope.Environment(), JobID: id, Number: int64(i) + 1,
		}
	}
	if err := s.options.ChunkQueue.Enqueue(ctx, chunks); err != nil {
		s.core.Logger.WarnContext(ctx, "could not enqueue the chunks of a batch; they are enqueued later",
			"tenant_id", scope.Tenant(), "environment", scope.Environment(), "batch_id", id, "error", err)
	}
}
