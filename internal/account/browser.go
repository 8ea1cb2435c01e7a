package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"time"
)

// A known browser is a browser with which somebody has signed in before. It has a cookie with marks
// that only this installation can make, one for each of the last few accounts. Attempts to sign in
// with a mark have their own rate limit, so that the attempts of others cannot lock the owner out.
// A mark does not sign anybody in.

const (
	// browserLife is how long a browser stays known after the last sign-in.
	browserLife = 365 * 24 * time.Hour
	// maxMarks is the maximum number of accounts for which a browser has marks.
	maxMarks = 4
	nonceLen = 16
	markLen  = nonceLen + 8 + 16 // nonce, expiry in seconds, keyed hash of both and of the account
)

// known looks for a valid mark of an account among the marks of a browser. It returns the nonce of
// the mark, which identifies the browser. ok is false if there is no valid mark.
func (s *Access) known(ctx context.Context, userID, marks string, now time.Time) (nonce string, ok bool, err error) {
	list := readMarks(marks)
	if userID == "" || len(list) == 0 {
		return "", false, nil
	}

	secret, err := s.core.Secret(ctx)
	if err != nil {
		return "", false, err
	}

	for _, mark := range list {
		ends := int64(binary.BigEndian.Uint64(mark[nonceLen:]))
		if hmac.Equal(mark, signMark(secret, userID, mark[:nonceLen], ends)) && now.Unix() < ends {
			return string(mark[:nonceLen]), true, nil
		}
	}

	return "", false, nil
}

// Remember returns the marks of a browser with which somebody has just signed in: a new mark of the
// account, and the browser's marks of other accounts.
func (s *Access) Remember(ctx context.Context, userID, marks string) (string, error) {
	secret, err := s.core.Secret(ctx)
	if err != nil {
		return "", err
	}

	nonce := make([]byte, nonceLen)
	if _, err := io.ReadFull(s.core.Random, nonce); err != nil {
		return "", fmt.Errorf("generate the mark of a known browser: %w", err)
	}

	fresh := signMark(secret, userID, nonce, s.core.Now().Add(browserLife).Unix())
	kept := []string{base64.RawURLEncoding.EncodeToString(fresh)}
	for _, mark := range readMarks(marks) {
		ends := int64(binary.BigEndian.Uint64(mark[nonceLen:]))
		own := hmac.Equal(mark, signMark(secret, userID, mark[:nonceLen], ends))
		if !own && len(kept) < maxMarks {
			kept = append(kept, base64.RawURLEncoding.EncodeToString(mark))
		}
	}

	return strings.Join(kept, "."), nil
}

// readMarks decodes the first maxMarks marks that a browser sent, and skips malformed ones.
func readMarks(text string) (marks [][]byte) {
	for range maxMarks {
		part, rest, _ := strings.Cut(text, ".")
		if mark, err := base64.RawURLEncoding.DecodeString(part); err == nil && len(mark) == markLen {
			marks = append(marks, mark)
		}
		text = rest
	}
	return marks
}

// signMark returns the mark of an account.
func signMark(secret []byte, userID string, nonce []byte, ends int64) []byte {
	mark := binary.BigEndian.AppendUint64(append(make([]byte, 0, markLen+sha256.Size), nonce...), uint64(ends))
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("known browser\x00" + userID + "\x00"))
	h.Write(mark)
	return h.Sum(mark)[:markLen]
}
