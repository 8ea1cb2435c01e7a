package demo

import (
	"bytes"
	"context"
	"errors"

	"verdict/internal/batchdesk"
	"verdict/internal/decisioning"
	"verdict/internal/operation"
)

// batches schedules a batch of applications that is decided, and one that is cancelled.
func (d *envFill) batches() {
	d.ago(6*day, "decide a batch", func(ctx context.Context) error {
		started, err := d.startBatch(ctx)
		if err != nil {
			return err
		}
		return d.runBatch(ctx, started.ID)
	})
	d.ago(5*day, "cancel a batch", func(ctx context.Context) error {
		started, err := d.startBatch(ctx)
		if err != nil {
			return err
		}
		if _, err = d.service.Batches.Cancel(ctx, d.by(d.staff.asha), started.ID, nil); err != nil {
			return err
		}
		return d.runBatch(ctx, started.ID)
	})
}

// runBatch runs the only chunk of a batch, as a worker of the service does.
func (d *envFill) runBatch(ctx context.Context, id string) error {
	chunk := operation.Chunk{TenantID: d.made.TenantID, Environment: string(d.env), JobID: id, Number: 1}
	for {
		if err := d.service.Batches.Run(ctx, chunk); !errors.Is(err, operation.ErrUnfinished) {
			return err
		}
	}
}

// maxRow is the maximum length of a row in bytes.
const maxRow = 1 << 16

// startBatch sends the applications for vehicles as a batch, as a dealer does at the end of a month. The applications
// have references of their own.
func (d *envFill) startBatch(ctx context.Context) (batchdesk.Batch, error) {
	var documents []document
	for i := range vehicles {
		doc := d.buyer(i)
		doc["applicant_ref"] = "DEALER-" + d.clock.now().Format("0102") + "-" + string(rune('A'+i))
		primary, _ := doc["applicants"].([]any)[0].(document)
		primary["id"] = doc["applicant_ref"]
		documents = append(documents, doc)
	}
	lines, err := rows(documents)
	if err != nil {
		return batchdesk.Batch{}, err
	}
	return d.service.Batches.Start(ctx, d.by(d.staff.asha), batchdesk.Request{
		Endpoint: decisioning.EndpointDecisions,
		Lines:    bytes.NewReader(lines),
		MaxLine:  maxRow,
	}, nil)
}
