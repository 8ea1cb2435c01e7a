package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"verdict/internal/decisioning"
	"verdict/internal/evidencedesk"
)

// TestMain makes the test binary serve as the command verdict in the scripts.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"verdict": main})
}

// TestScript runs testdata/script/*.txtar. With UPDATE_SCRIPTS set, it updates the
// expected outputs in these files.
func TestScript(t *testing.T) {
	t.Parallel()
	capsules, err := filepath.Abs("../../internal/capsule/testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			// With -race every process would wait a second before it ends.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			env.Setenv("CAPSULES", capsules)
			return nil
		},
	})
}

// broken is a stream that fails like a full disk or a closed pipe.
type broken struct{}

var errBroken = errors.New("no space left on device")

func (broken) Write([]byte) (int, error) { return 0, errBroken }
func (broken) Read([]byte) (int, error)  { return 0, errBroken }

// TestUnwritableAnswer checks that the commands that answer without a database fail if their answer cannot be
// written.
func TestUnwritableAnswer(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"help"}, {"-h"}, {"version"}, {"version", "-h"}, {"decide", "-sample"}, {"decide", "-sample", "-compact"},
		{"decide", "-h"}, {"check"}, {"check", "-json"}, {"check", "-h"}, {"test", "-h"}, {"fields"},
		{"fields", "-format", "json"}, {"fields", "-format", "markdown"}, {"serve", "-h"}, {"tenant", "-h"},
		{"verify", "-h"}, {"book"}, {"book", "-h"}, {"backtest", "-h"}, {"backtest", "-synthetic", "10"},
		{"backtest", "-synthetic", "10", "-json"}, {"backtest", "-synthetic", "10", "-out", "-"},
	} {
		var stderr bytes.Buffer
		if code := run(args, strings.NewReader(""), broken{}, &stderr); code != exitUsage {
			t.Errorf("%v exits with %d, want %d", args, code, exitUsage)
		}
		if !strings.Contains(stderr.String(), errBroken.Error()) {
			t.Errorf("%v says %q", args, &stderr)
		}
	}
}

// TestUnreadableInput checks that a standard input that cannot be read to its
// end is an error.
func TestUnreadableInput(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"decide", "-input", "-"}, {"check", "-policy", "-"}, {"backtest", "-csv", "-"}} {
		var stdout, stderr bytes.Buffer
		if code := run(args, broken{}, &stdout, &stderr); code != exitUsage || stdout.Len() > 0 {
			t.Errorf("%v exits with %d and prints %q", args, code, &stdout)
		}
		if !strings.Contains(stderr.String(), errBroken.Error()) {
			t.Errorf("%v says %q", args, &stderr)
		}
	}
}

// TestEndlessInput checks that an endless input is refused at the limit.
func TestEndlessInput(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"decide", "-input", "-"}, {"check", "-policy", "-"}} {
		var stdout, stderr bytes.Buffer
		if code := run(args, endless{}, &stdout, &stderr); code != exitUsage {
			t.Errorf("%v exits with %d", args, code)
		}
		if !strings.Contains(stderr.String(), "larger than 8 MiB") {
			t.Errorf("%v says %q", args, &stderr)
		}
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

var _ io.Reader = endless{}

// TestFlagsAfterArguments gives every command an argument and then an unknown flag. A command that takes arguments must
// read the flag as a flag, and not as a file or a name.
func TestFlagsAfterArguments(t *testing.T) {
	for _, d := range describeAll() {
		if len(d.verbs) > 0 {
			continue
		}
		var out, complaints bytes.Buffer
		code := run(append(slices.Clone(d.path), "some", "-no-such-flag"), strings.NewReader(""), &out, &complaints)
		text := complaints.String()
		if code != exitUsage || !strings.Contains(text, "not defined: -no-such-flag") &&
			!strings.Contains(text, `unexpected argument "some"`) {
			t.Errorf("%s: exit %d: %s%s", d.name(), code, &out, text)
		}
	}
}

// TestVerifySaysWhatIsNotSigned checks that verify explains why fewer entries match the signed logs than the journal
// has.
func TestVerifySaysWhatIsNotSigned(t *testing.T) {
	t.Parallel()
	result := &decisioning.Verification{Checked: 2, Records: 13}
	got := string(verifyText(result, &evidencedesk.AuditResult{Leaves: 8, Unsigned: 7}))
	const want = "2 decisions reproduce\n13 other entries of the journal match what is stored\n" +
		"8 entries of the journal match the signed logs\n" +
		"7 entries are not signed yet; while the service runs, it signs them within a minute\n"
	if got != want {
		t.Errorf("verify says %q", got)
	}
	if got := string(verifyText(result, &evidencedesk.AuditResult{Leaves: 15})); strings.Contains(got, "not signed") {
		t.Errorf("verify says %q", got)
	}
	got = string(verifyText(result, &evidencedesk.AuditResult{Leaves: 15, NoKey: true, NoRecord: true}))
	if !strings.Contains(got, "\nunknown: no log key was found") || !strings.Contains(got, "\nunknown: no record ") {
		t.Errorf("without the log key and the record, verify says %q", got)
	}
}
