package torture

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The marks are the prefixes of the planted words, accounts, mobile numbers and
// addresses. They make planted texts recognisable in any text.
const (
	wordMark    = "xqzv"
	wordLength  = len(wordMark) + 12
	accountMark = "904731586"
	mobileMark  = "9731586"
	ipMark      = "2001:db8:7a9e:"
)

// secrets creates and records the texts that must not appear in another scope
// or in a log.
type secrets struct {
	seed uint64

	mu    sync.Mutex
	texts []string // session tokens and similar texts that the service creates
}

func newSecrets(seed uint64) *secrets { return &secrets{seed: seed} }

// number returns a number derived from the seed and a name.
func (s *secrets) number(name string) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", s.seed, name))
	return binary.BigEndian.Uint64(sum[:])
}

// word returns a unique word.
func (s *secrets) word(kind string, n uint64) string {
	text := strconv.FormatUint(s.number(fmt.Sprintf("word %s %d", kind, n)), 36)
	return wordMark + (strings.Repeat("0", wordLength) + text)[len(text)+len(wordMark):]
}

func (s *secrets) password(n uint64) string { return "correct horse " + s.word("password", n) }

// account returns a beneficiary account of a scope.
func (s *secrets) account(of *scope, name string) string {
	return fmt.Sprintf("%s%08d", accountMark, s.number("account "+of.word+" "+name)%1e8)
}

func (s *secrets) mobile(n uint64) string { return fmt.Sprintf("%s%03d", mobileMark, n%1000) }

func (s *secrets) ip(n uint64) string { return fmt.Sprintf("%s%x::%x", ipMark, n>>16&0xffff, n&0xffff) }

// add records a text that the service created and that nobody else may see.
func (s *secrets) add(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.texts = append(s.texts, text)
}

// planted matches planted words, accounts, mobile numbers and addresses, and API keys.
var planted = regexp.MustCompile(strings.Join([]string{
	wordMark + "[0-9a-z]{12}", accountMark + "[0-9]{8}", `\b` + mobileMark + `[0-9]{3}\b`, regexp.QuoteMeta(ipMark),
	`vk_(?:sandbox|live)_[0-9A-Za-z]{16,}`,
}, "|"))

const (
	maxLogLine = 8 << 20
	toldLeaks  = 5
)

// Scan reads a node's log and returns an error if it contains applicants' data,
// keys, passwords or session tokens.
func (w *Workload) Scan(log io.Reader) error {
	w.secrets.mu.Lock()
	texts := slices.Clone(w.secrets.texts)
	w.secrets.mu.Unlock()
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, maxLogLine)
	var leaks []error
	for n := 1; lines.Scan() && len(leaks) < toldLeaks; n++ {
		if leak := leakIn(lines.Bytes(), texts); leak != "" {
			leaks = append(leaks, fmt.Errorf("no-secret-in-log: line %d has %q: %s", n, leak, short(lines.Bytes())))
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read the log: %w", err)
	}
	w.count(func(f *Figures) { f.Bad += int64(len(leaks)) })
	return errors.Join(leaks...)
}

func leakIn(line []byte, texts []string) string {
	if found := planted.Find(line); found != nil {
		return string(found)
	}
	for _, text := range texts {
		if bytes.Contains(line, []byte(text)) {
			return text
		}
	}
	return ""
}

// strange returns the first planted word in text that is not in own, or false if there is none.
func strange(text []byte, own ...string) (string, bool) {
	for rest := text; ; {
		at := bytes.Index(rest, []byte(wordMark))
		if at < 0 || len(rest) < at+wordLength {
			return "", false
		}
		word := string(rest[at : at+wordLength])
		if !slices.Contains(own, word) {
			return word, true
		}
		rest = rest[at+wordLength:]
	}
}
