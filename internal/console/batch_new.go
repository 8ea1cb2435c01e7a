package console

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"verdict/internal/batchdesk"
	"verdict/internal/decisioning"
	"verdict/internal/document"
	"verdict/internal/fault"
)

// batchFields are the fields of the form before the file.
var batchFields = []string{"endpoint", "strict", "confirm"}

// maxBatchLine is the maximum length of a row of a batch, in bytes.
const maxBatchLine = 8 << 20

// newForm renders the form that starts a batch.
func (p *batchPages) newForm(v *visit) error {
	limits := p.batches.Limits()
	return v.render("batch_new", "New batch", struct {
		Endpoints  []option
		Rows       int64
		Unfinished int
	}{[]option{
		{Value: decisioning.EndpointDecisions, Label: "Decision requests"},
		{Value: decisioning.EndpointEvaluate, Label: "Evaluate requests, with a bureau report"},
	}, limits.Rows, limits.Unfinished})
}

// upload starts a batch with the rows of a file while the file is uploaded.
func (p *batchPages) upload(v *visit) error {
	var started batchdesk.Batch
	var leftOut string
	return v.receiveFile(batchFields, p.newForm, func(ctx context.Context, file io.Reader) error {
		// Do not cancel the work when the browser disconnects: reading the file then fails, and the batch can still be
		// marked as failed with the reason.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxUploadTime)
		defer cancel()
		endpoint := v.form.Value("endpoint")
		strict := v.form.Value("strict") != ""
		lines, ignored, stop, err := requestLines(file, endpoint, strict)
		if err != nil {
			return inFile(err)
		}
		leftOut = ignored
		defer stop()
		started, err = p.batches.Start(ctx, v.caller(), batchdesk.Request{
			Endpoint: endpoint,
			Strict:   strict,
			ID:       v.requestID,
			Lines:    lines,
			MaxLine:  maxBatchLine,
			Reserve:  v.resources.Reserve,
		}, nil)
		return inFile(err)
	}, func() error {
		if leftOut != "" {
			v.setFlash("The batch was started. These columns are not members of a decision request and were left " +
				"out: " + leftOut + ". If the policy declares one of them, cancel the batch and name the column by " +
				"its whole path, such as applicant.employer.")
		}
		return v.leaveFor("/batches/" + started.ID)
	})
}

// leaveFor redirects to the page of an object that an upload has made. The console's own script follows no redirect, so
// it gets 201 with a Location header.
func (v *visit) leaveFor(path string) error {
	if v.r.Header.Get(scriptHeader) == "" {
		return v.redirect(v.at(path))
	}
	v.w.Header().Set("Location", v.at(path))
	v.w.WriteHeader(http.StatusCreated)
	return nil
}

// requestLines returns the requests in a file, one per line. If the file begins with a JSON object, it returns the
// file itself; otherwise it converts the rows of a CSV file. It refuses columns whose names are probably misspelt, and
// if strict is set, all columns that are not members of a request. leftOut names the columns of a CSV file that are not
// members of a request. The caller must call stop when it no longer reads the lines.
func requestLines(
	file io.Reader, endpoint string, strict bool,
) (lines io.Reader, leftOut string, stop func(), err error) {
	if endpoint != decisioning.EndpointDecisions && endpoint != decisioning.EndpointEvaluate {
		var faults fault.List
		faults.Add("/endpoint", fault.CodeInvalidField, "choose what the rows are")
		return nil, "", nil, faults.Err()
	}
	text := bufio.NewReader(file)
	isJSON, err := beginsObject(text)
	switch {
	case err != nil:
		return nil, "", nil, err
	case isJSON:
		return text, "", func() {}, nil
	case endpoint == decisioning.EndpointEvaluate:
		return nil, "", nil, fault.New(fault.Invalid, fault.CodeInvalidField,
			"a row of a CSV file can only be a decision request; send evaluate requests as lines of JSON")
	}
	rows, err := document.NewRequestSheet(text)
	if err != nil {
		return nil, "", nil, err
	}
	if strict {
		if err := rows.Strict(); err != nil {
			return nil, "", nil, err
		}
	}
	if misspelt := rows.Misspelt(); len(misspelt) > 0 {
		return nil, "", nil, fault.New(fault.Invalid, fault.CodeUnknownField, "the name of a column is probably "+
			"misspelt, and nothing was decided: %s. Rename the column, or remove it from the file",
			document.MisspeltText(misspelt))
	}
	from, to := io.Pipe()
	go func() { _ = to.CloseWithError(rows.WriteLines(to)) }() // CloseWithError always returns nil
	return from, rows.LeftOut(), func() { _ = from.Close() }, nil
}

// beginsObject reports whether a text begins with a JSON object, perhaps after white space.
func beginsObject(text *bufio.Reader) (bool, error) {
	for n := 1; n <= text.Size(); n++ {
		start, err := text.Peek(n)
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if rest := bytes.TrimLeft(start, " \t\r\n"); len(rest) > 0 {
			return rest[0] == '{', nil
		}
	}
	return false, nil
}
