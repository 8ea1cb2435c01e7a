package masterkey

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"verdict/internal/durablefile"
	"verdict/internal/sealing"
)

const keyPrefix = "verdict-master-key-1 "

// maxText is the maximum length of a text of keys in bytes.
const maxText = 1 << 10

// Errors of Read and ParseSource. They contain nothing of the key.
var (
	ErrNotAKey   = errors.New("this is not a master key; create one with \"verdict keys create FILE\"")
	ErrNotSet    = errors.New("the environment variable is not set")
	errNotSource = errors.New("must be file:PATH, env:NAME, exec:COMMAND, or off")
)

// Source says where the operator keeps the key.
type Source struct{ kind, where string }

// File returns the source of a key in a file.
func File(path string) Source { return Source{"file", path} }

// ParseSource reads a source: "file:PATH", "env:NAME" or "exec:COMMAND".
func ParseSource(text string) (Source, error) {
	kind, where, _ := strings.Cut(text, ":")
	switch kind {
	case "file", "env", "exec":
		if strings.TrimSpace(where) != "" {
			return Source{kind, where}, nil
		}
	}
	return Source{}, errNotSource
}

// Path returns the path of the file. ok is false if the source is not a file.
func (s Source) Path() (path string, ok bool) { return s.where, s.kind == "file" }

// String names the source for people: the path of a file, env:NAME or exec:COMMAND.
func (s Source) String() string {
	if path, isFile := s.Path(); isFile {
		return path
	}
	return s.kind + ":" + s.where
}

// commandTimeout limits how long the command of a source may run.
const commandTimeout = 30 * time.Second

// Read reads the keys, oldest first. Usually there is one key. There are several while the key is being replaced.
// The error is fs.ErrNotExist if there is no file, ErrNotSet if the variable is not set, and ErrNotAKey if the text
// is something else. A command is run without a shell: its words are separated by spaces. What it writes to
// standard error is discarded, because it could repeat the key.
func (s Source) Read(ctx context.Context) ([]sealing.Secret, error) {
	var text []byte
	var err error
	switch s.kind {
	case "env":
		value, set := os.LookupEnv(s.where)
		if !set {
			return nil, ErrNotSet
		}
		text = []byte(value)
	case "exec":
		text, err = output(ctx, strings.Fields(s.where))
	default:
		text, err = readFile(s.where)
	}
	if err != nil {
		return nil, err
	}
	return Parse(text)
}

func output(ctx context.Context, words []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	command := exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // the operator's own command
	text := limitedOutput{exceeded: cancel}
	command.Stdout = &text
	err := command.Run()
	switch {
	case len(text.kept) > maxText:
		return nil, ErrNotAKey
	case err != nil:
		return nil, fmt.Errorf("run the command: %w", err)
	}
	return text.kept, nil
}

// limitedOutput keeps the output of a command, but at most one byte more than maxText. If there is more than
// maxText, it calls exceeded, which ends the command, and discards the rest.
type limitedOutput struct {
	kept     []byte
	exceeded func()
}

func (o *limitedOutput) Write(text []byte) (int, error) {
	o.kept = append(o.kept, text[:min(len(text), maxText+1-len(o.kept))]...)
	if len(o.kept) > maxText {
		o.exceeded()
	}
	return len(text), nil
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()                // it was only read
	return io.ReadAll(io.LimitReader(f, maxText+1)) // Parse refuses a longer text
}

// maxKeys is the maximum number of keys in a text. There are two while a key is replaced,
// and one more if somebody has added a key by hand.
const maxKeys = 3

// Parse reads a text of keys, one on each line, oldest first. The error is ErrNotAKey if the
// text is something else, or longer than maxText.
func Parse(text []byte) (keys []sealing.Secret, err error) {
	if len(text) > maxText {
		return nil, ErrNotAKey
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		encoded, found := strings.CutPrefix(line, keyPrefix)
		raw, err := base64.StdEncoding.DecodeString(encoded)
		if !found || err != nil || len(raw) != sealing.SecretSize {
			return nil, ErrNotAKey
		}
		keys = append(keys, sealing.Secret(raw))
	}
	if len(keys) == 0 || len(keys) > maxKeys {
		return nil, ErrNotAKey
	}
	return keys, nil
}

// Format returns the text of keys, as Parse reads it.
func Format(keys ...sealing.Secret) []byte {
	var text []byte
	for _, key := range keys {
		text = append(text, keyPrefix+base64.StdEncoding.EncodeToString(key[:])+"\n"...)
	}
	return text
}

// New returns a new key.
func New(random io.Reader) (key sealing.Secret, err error) {
	_, err = io.ReadFull(random, key[:])
	return key, err
}

// Create writes a new key to a file that only its owner can read. The error is
// fs.ErrExist if the file exists: Create never replaces a key.
func Create(path string, random io.Reader) (sealing.Secret, error) {
	key, err := New(random)
	if err != nil {
		return key, err
	}
	return key, Write(path, key)
}

// Write writes keys to a new file that only its owner can read. When it returns nil, the
// file survives a crash. The error is fs.ErrExist if the file exists.
func Write(path string, keys ...sealing.Secret) error {
	return durablefile.WriteNew(path, Format(keys...))
}
