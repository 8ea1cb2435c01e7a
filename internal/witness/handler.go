package witness

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// The limits of a request.
const (
	maxRequest = 64 << 10
	maxProof   = 63 // hashes, because a log has fewer than 2^63 entries
)

// Handler returns the handler of the protocol: POST /add-checkpoint. It calls report with each internal error.
// The answer to the client does not contain that error.
func (w *Witness) Handler(report func(error)) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /add-checkpoint", func(out http.ResponseWriter, r *http.Request) {
		w.addCheckpoint(out, r, report)
	})
	return mux
}

func (w *Witness) addCheckpoint(out http.ResponseWriter, r *http.Request, report func(error)) {
	body, err := io.ReadAll(http.MaxBytesReader(out, r.Body, maxRequest))
	if err != nil {
		http.Error(out, "the request is too large or incomplete", http.StatusBadRequest)
		return
	}
	old, proof, signed, ok := parseRequest(string(body))
	if !ok {
		http.Error(out, "the request must be a line \"old SIZE\", the lines of a proof, an empty line and a checkpoint",
			http.StatusBadRequest)
		return
	}
	line, err := w.Add(old, proof, []byte(signed))
	var conflict *ConflictError
	switch {
	case err == nil:
		out.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(out, line) // the log asks again if the answer did not arrive
	case errors.As(err, &conflict):
		out.Header().Set("Content-Type", "text/x.tlog.size")
		out.WriteHeader(http.StatusConflict)
		_, _ = fmt.Fprintf(out, "%d\n", conflict.Size)
	default:
		if statusOf(err) == http.StatusInternalServerError {
			report(err)
		}
		http.Error(out, describe(err), statusOf(err))
	}
}

// statusOf returns the status of an error of Add (C2SP tlog-witness).
func statusOf(err error) int {
	switch {
	case errors.Is(err, ErrUnknownLog):
		return http.StatusNotFound
	case errors.Is(err, ErrNotSigned):
		return http.StatusForbidden
	case errors.Is(err, ErrOldSize):
		return http.StatusBadRequest
	case errors.Is(err, ErrNoGrowth):
		return http.StatusUnprocessableEntity
	default:
		return http.StatusInternalServerError
	}
}

// describe returns the text of an error for the answer to the client. It does not reveal internal errors.
func describe(err error) string {
	if statusOf(err) == http.StatusInternalServerError {
		return "the witness could not store the checkpoint"
	}
	return err.Error()
}

func parseRequest(body string) (old int64, proof tlog.TreeProof, signed string, ok bool) {
	head, signed, found := strings.Cut(body, "\n\n")
	lines := strings.Split(head, "\n")
	size, isOld := strings.CutPrefix(lines[0], "old ")
	old, err := strconv.ParseInt(size, 10, 64)
	if !found || !isOld || err != nil || old < 0 || size != strconv.FormatInt(old, 10) || len(lines)-1 > maxProof {
		return 0, nil, "", false
	}
	for _, line := range lines[1:] {
		raw, err := base64.StdEncoding.DecodeString(line)
		if err != nil || len(raw) != tlog.HashSize {
			return 0, nil, "", false
		}
		proof = append(proof, tlog.Hash(raw))
	}
	return old, proof, signed, true
}
