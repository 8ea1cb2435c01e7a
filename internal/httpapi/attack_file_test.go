package httpapi_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// hostileFile is a body that is not JSON.
type hostileFile struct{ kind, body, encoding string }

// hostileFiles returns malformed files by name: plain, compressed and as form parts.
func hostileFiles(t *testing.T) map[string]hostileFile {
	t.Helper()
	part := func(name, text string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + text + "\r\n"
	}
	file := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" +
		plantedText + ".csv\"\r\n\r\nscore\r\n742\r\n"
	zeroes := zipped(t, strings.Repeat("\x00", 32<<20))
	return map[string]hostileFile{
		"20,000 parts": {
			"multipart/form-data; boundary=b",
			strings.Repeat(part("lgd", "0.5"), 20_000) + "--b--\r\n",
			"",
		},
		"20,000 empty parts": {
			"multipart/form-data; boundary=b",
			strings.Repeat(part("lgd", ""), 20_000) + "--b--\r\n",
			"",
		},
		"20,000 unknown parts": {
			"multipart/form-data; boundary=b",
			strings.Repeat(part(plantedText, "x"), 20_000) + "--b--\r\n",
			"",
		},
		"two files": {"multipart/form-data; boundary=b", file + file + "--b--\r\n", ""},
		"a part's header of 4 MB": {
			"multipart/form-data; boundary=b",
			"--b\r\nX-Long: " + strings.Repeat("x", 4<<20) + "\r\n\r\n\r\n--b--\r\n",
			"",
		},
		"50,000 headers of a part": {
			"multipart/form-data; boundary=b",
			"--b\r\n" + strings.Repeat("X-A: b\r\n", 50_000) + "\r\n\r\n--b--\r\n",
			"",
		},
		"a field of 8 MB": {
			"multipart/form-data; boundary=b",
			part("map", strings.Repeat("x", 8<<20)) + "--b--\r\n",
			"",
		},
		"never ends": {
			"multipart/form-data; boundary=b",
			file + strings.Repeat("742\r\n--", 100_000),
			"",
		},
		"a long boundary": {"multipart/form-data; boundary=" + strings.Repeat("b", 5_000), file, ""},
		"a form in a form": {
			"multipart/form-data; boundary=b",
			part("file", part("file", "score\r\n742")) + "--b--\r\n",
			"",
		},
		"a packed form":        {"multipart/form-data; boundary=b", zipped(t, file+"--b--\r\n"), "gzip"},
		"zeroes":               {"text/csv", zeroes, "gzip"},
		"zeroes, packed twice": {"text/csv", zipped(t, zeroes), "gzip"},
		"20,000 empty gzips":   {"text/csv", strings.Repeat(zipped(t, ""), 20_000), "gzip"},
		"a gzip with a 4 MB file name": {
			"text/csv",
			"\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\x03" + strings.Repeat("n", 4<<20),
			"gzip",
		},
		"gzip claimed twice": {"text/csv", zeroes, "gzip, gzip"},
		"a path as the file's name": {
			"multipart/form-data; boundary=b",
			strings.Replace(file, plantedText, "../../"+plantedText, 1) + "--b--\r\n",
			"",
		},
		"a header of 3,000 columns": {"text/csv", strings.Repeat(plantedText+",", 3_000) + "score\n742\n", ""},
		"a column name of 500 KB":   {"text/csv", strings.Repeat("n", 500_000) + ",score\n1,742\n", ""},
		"one quote, 5 MB":           {"text/csv", "score,\"" + strings.Repeat("x", 5<<20), ""},
		"5 MB of commas":            {"text/csv", "score\n" + strings.Repeat(",", 5<<20), ""},
		"a million blank lines":     {"text/csv", "score\n" + strings.Repeat("\r\n", 1_000_000), ""},
		"200,000 failing rows": {
			"text/csv",
			"score,applicant_id\n" + strings.Repeat("x,"+plantedText+"\n", 200_000),
			"",
		},
	}
}

// hostileLines returns malformed lines by name.
func hostileLines(t *testing.T) map[string]hostileFile {
	t.Helper()
	const lines = "application/x-ndjson"
	return map[string]hostileFile{
		"a line of 9 MB":         {lines, `{"name":"` + strings.Repeat("x", 9<<20), ""},
		"an array, 100,000 deep": {lines, strings.Repeat("[", 100_000) + "\n", ""},
		"two documents a line":   {lines, strings.Repeat(sample+sample+"\n", 50), ""},
		"a document in lines":    {lines, strings.Repeat("{\n\"a\"\n:\n1}\n", 50), ""},
		"a byte order mark":      {lines, "\ufeff" + sample + "\n", ""},
		"another encoding":       {lines, "\xff\xfe{\x00}\x00\n\x00", ""},
		"only carriage returns":  {lines, strings.Repeat(`{"applicant":"`+plantedText+`"}`+"\r", 100), ""},
		"2,000 failing lines":    {lines, strings.Repeat(`{"applicant":{"foir":"`+plantedText+`"}}`+"\n", 2_000), ""},
		"a million blank lines":  {lines, strings.Repeat("\r\n", 1_000_000), ""},
		"10,000 nulls":           {lines, strings.Repeat("null\n", 10_000), ""},
		"zeroes":                 {lines, strings.Repeat("\x00", 9<<20), ""},
		"packed zeroes":          {lines, zipped(t, strings.Repeat("\x00", 32<<20)), "gzip"},
		"packed blank lines":     {lines, zipped(t, strings.Repeat("\n", 32<<20)), "gzip"},
		"cut gzip":               {lines, zipped(t, strings.Repeat(sample+"\n", 100))[:60], "gzip"},
	}
}

// fileTarget is an operation that takes a body other than JSON.
type fileTarget struct {
	exampleRequest
	kind string // the type of the body
}

// fileKinds are the types of such bodies.
var fileKinds = []string{"text/csv", "multipart/form-data", "application/x-ndjson"}

// fileTargets returns the operations of the contract that take files or lines, once for each type of body.
func (r *raid) fileTargets() (list []fileTarget) {
	r.Helper()
	for _, request := range r.firstOfEach() {
		if request.operation.RequestBody == nil {
			continue
		}
		for kind := range request.operation.RequestBody.Value.Content {
			if slices.Contains(fileKinds, kind) {
				list = append(list, fileTarget{request, kind})
			} else if kind != "application/json" {
				r.Errorf("%s takes %s, which no attack sends", request.name, kind)
			}
		}
	}
	return list
}

// attackFiles sends malformed files and lines to every operation that takes a body other than JSON, with and without
// the preference for a job. Each attack is sent with its own type, and with the type that the operation takes.
func attackFiles(r *raid) {
	targets := r.fileTargets()
	for _, id := range []string{"replaceList", "replaceTable", "runBacktest", "createDecisions", "evaluateReports"} {
		if !slices.ContainsFunc(targets, func(f fileTarget) bool { return f.operation.OperationID == id }) {
			r.Errorf("the contract no longer says that %s takes files", id)
		}
	}
	for _, files := range []map[string]hostileFile{hostileFiles(r.T), hostileLines(r.T)} {
		for name, f := range files {
			for _, target := range targets {
				for _, prefer := range []string{"", "respond-async"} {
					kinds := []string{f.kind}
					plain := !strings.HasPrefix(f.kind, "multipart/") && target.kind != "multipart/form-data"
					if plain && target.kind != f.kind {
						kinds = append(kinds, target.kind)
					}
					for _, kind := range kinds {
						if own := strings.HasPrefix(kind, target.kind); own && r.some(4) || r.some(12) {
							r.sendFile(target, name, hostileFile{kind, f.body, f.encoding}, prefer)
						}
					}
				}
			}
		}
	}
	r.stillServes()
}

// closed reports whether the service has closed the connection before everything was sent.
func closed(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// sendFile sends a file to an operation. A job that it starts is cancelled, because a tenant may have only a few.
func (r *raid) sendFile(target fileTarget, name string, f hostileFile, prefer string) {
	r.Helper()
	headers := []string{"Content-Type: " + f.kind}
	if f.encoding != "" {
		headers = append(headers, "Content-Encoding: "+f.encoding)
	}
	if prefer != "" {
		headers = append(headers, "Prefer: "+prefer)
	}
	path := r.ids.fill(target.path)
	r.what = name
	got, err := r.trySend(target.method, path, r.owner.key, f.body, headers...)
	if len(f.body) > 256<<10 && closed(err) {
		// The service refuses a body before it has read all of it, and reads only a part of the rest. A client
		// that keeps sending without reading may not learn the reason.
		r.tally.Add(r.kind, "closed")
		return
	}
	if err != nil {
		r.Fatalf("%s to %s as %s: %v", name, target.name, f.kind, err)
	}
	checkContract(r.T, target.method, path, "", got)
	got.sent = name + " to " + target.name + " as " + f.kind + " " + prefer
	r.judge(got)
	lines := got.header.Get("Content-Type") == "application/x-ndjson" // an answer for each line
	if !lines && len(got.body) > 256<<10 {
		r.Errorf("%s: an answer of %d bytes", got.sent, len(got.body))
	}
	if lines && strings.Contains(string(got.body), plantedText) {
		r.Errorf("%s: an answer repeats a value: %.1000s", got.sent, got.body)
	}
	batch := got.header.Get("Location")
	if got.status == http.StatusAccepted && strings.HasPrefix(batch, "/v1/batches/") {
		r.owner.post(batch+"/cancel", "").want(http.StatusOK)
		for done := int64(0); r.owner.get(batch).text("status") != "cancelled"; done += 100 {
			r.owner.runChunks(batch, done+100)
		}
	}
}
