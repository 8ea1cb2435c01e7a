package logkey

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/mod/sumdb/tlog"

	"verdict/internal/durablefile"
	"verdict/internal/evidence"
	"verdict/internal/filelock"
)

// Signed stores the last checkpoint that was signed for each log in a file beside the key. A
// checkpoint is one line. Lines are appended; when there are many more lines than logs, the file is
// written again. Each process that uses the key has a file of its own, and reads the files of the
// others when it starts. Signed is safe for concurrent use.
type Signed struct {
	path   string
	locked *filelock.Lock // on path

	mu    sync.Mutex
	file  *os.File // nil after a failure; the next Add writes the whole file
	last  map[string]evidence.Checkpoint
	lines int
}

// maxProcesses is the maximum number of processes with one key on one disk.
const maxProcesses = 64

// ReadSigned returns what all processes have signed with a key, without a lock. path is the path
// that OpenSigned was called with, usually the path of the key.
func ReadSigned(path string) (*Signed, error) {
	s := &Signed{last: map[string]evidence.Checkpoint{}}
	for n := 1; n <= maxProcesses; n++ {
		name := fmt.Sprintf("%s.signed-%d", path, n)
		if err := s.load(name); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return s, nil
}

// OpenSigned opens the file of this process beside the key, and creates it if there is none. It
// returns an error if one of the files cannot be read, because without that file a log might be
// signed twice with different content.
func OpenSigned(key string) (*Signed, error) {
	s := &Signed{last: map[string]evidence.Checkpoint{}}
	for n := 1; n <= maxProcesses; n++ {
		path := fmt.Sprintf("%s.signed-%d", key, n)
		if err := s.claim(path); err != nil {
			return nil, errors.Join(fmt.Errorf("the service must be able to store what it signs: %w", err), s.Close())
		}
		if err := s.load(path); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", path, err), s.Close())
		}
	}
	if s.locked == nil {
		return nil, errors.New("too many processes use this log key")
	}
	if err := s.rewrite(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// claim locks a path and makes it the path of this process. It does nothing if this process already has a path,
// or if another process uses the given path.
func (s *Signed) claim(path string) error {
	if s.locked != nil {
		return nil
	}
	f, err := filelock.Take(path + ".lock")
	if errors.Is(err, filelock.ErrLocked) {
		return nil
	}
	if err != nil {
		return err
	}
	s.path, s.locked = path, f
	return nil
}

// load reads a file if it exists.
func (s *Signed) load(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	return s.read(bufio.NewReader(f))
}

// read reads all lines. A last line without its end is ignored, because the process ended while it
// wrote the line, before it published the checkpoint.
func (s *Signed) read(lines *bufio.Reader) error {
	for number := 1; ; number++ {
		text, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		c, ok := parseLine(text)
		if !ok {
			return fmt.Errorf("line %d cannot be read; without it, a log could be signed twice with different content",
				number)
		}
		if err := s.keep(c); err != nil {
			return err
		}
	}
}

// keep remembers a checkpoint unless a larger checkpoint of the same log is known. It returns an error if another
// root of the same size is known: the log was signed twice.
func (s *Signed) keep(c evidence.Checkpoint) error {
	before := s.last[c.Origin]
	if before.Size == c.Size && before.Size > 0 && before.Root != c.Root {
		return fmt.Errorf("the log %s was signed twice with the size %d and different content", c.Origin, c.Size)
	}
	if before.Size <= c.Size {
		s.last[c.Origin] = c
	}
	return nil
}

func line(c evidence.Checkpoint) string {
	return fmt.Sprintf("%s %d %s.\n", c.Origin, c.Size, base64.StdEncoding.EncodeToString(c.Root[:]))
}

func parseLine(text string) (c evidence.Checkpoint, ok bool) {
	fields := strings.Fields(text)
	if len(fields) != 3 {
		return c, false
	}
	size, err := strconv.ParseInt(fields[1], 10, 64)
	encoded, complete := strings.CutSuffix(fields[2], ".")
	root, errRoot := base64.StdEncoding.DecodeString(encoded)
	if err != nil || errRoot != nil || !complete || len(root) != tlog.HashSize {
		return c, false
	}
	return evidence.Checkpoint{Origin: fields[0], Size: size, Root: tlog.Hash(root)}, true
}

// Last returns the last signed checkpoint of a log. ok is false if there is none.
func (s *Signed) Last(origin string) (c evidence.Checkpoint, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok = s.last[origin]
	return c, ok
}

// Origins returns the names of the logs that have a checkpoint, in no particular order.
func (s *Signed) Origins() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.last))
}

// Add appends checkpoints. When it returns nil, they survive a crash.
func (s *Signed) Add(checkpoints []evidence.Checkpoint) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var text strings.Builder
	for _, c := range checkpoints {
		if err := s.keep(c); err != nil {
			return err
		}
		text.WriteString(line(c))
	}
	s.lines += len(checkpoints)
	const spare = 10_000
	if s.file == nil || s.lines > 2*len(s.last)+spare {
		return s.rewrite()
	}
	_, err := s.file.WriteString(text.String())
	if err = errors.Join(err, s.file.Sync()); err != nil {
		// Part of a line may be in the file, so nothing may be appended to it.
		_ = s.file.Close()
		s.file = nil
	}
	return err
}

// rewrite replaces the file by one with a single line for each log.
func (s *Signed) rewrite() error {
	if s.file != nil {
		_ = s.file.Close() // the file is replaced, so an error does not matter
		s.file = nil
	}
	next := s.path + ".new"
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f)
	for _, origin := range slices.Sorted(maps.Keys(s.last)) {
		_, _ = out.WriteString(line(s.last[origin])) // Flush returns the error
	}
	if err := errors.Join(out.Flush(), f.Sync(), f.Close()); err != nil { // Windows does not rename an open file
		return err
	}
	if err := os.Rename(next, s.path); err != nil {
		return err
	}
	if err := durablefile.SyncFolder(s.path); err != nil {
		return err
	}
	if s.file, err = os.OpenFile(s.path, os.O_WRONLY|os.O_APPEND, 0); err != nil {
		return err
	}
	s.lines = len(s.last)
	return nil
}

// Close closes the file and releases its lock.
func (s *Signed) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	if s.file != nil {
		errs = append(errs, s.file.Close())
		s.file = nil
	}
	if s.locked != nil {
		errs = append(errs, s.locked.Close())
		s.locked = nil
	}
	return errors.Join(errs...)
}
