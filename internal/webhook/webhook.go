// Package webhook contains the rules of webhooks that need no database and no network: the
// signature of the Standard Webhooks specification, the pauses between attempts, and the
// network addresses to which nothing is sent (ADR 24).
package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"
)

// secretPrefix begins the text of every secret.
const secretPrefix = "whsec_"

// SecretSize is the number of random bytes of a new secret.
const SecretSize = 32

// The specification's limits of the size of a secret in bytes.
const minSecret, maxSecret = 24, 64

// FormatSecret returns the text of a secret.
func FormatSecret(secret []byte) string {
	return secretPrefix + base64.StdEncoding.EncodeToString(secret)
}

// ErrNotASecret is the error for a text that is not a secret.
var ErrNotASecret = errors.New(`not a webhook secret: "whsec_" and 24 to 64 bytes in base64`)

// ParseSecret returns the bytes of a secret.
func ParseSecret(text string) ([]byte, error) {
	encoded, ok := strings.CutPrefix(text, secretPrefix)
	secret, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if !ok || err != nil || len(secret) < minSecret || len(secret) > maxSecret {
		return nil, ErrNotASecret
	}
	return secret, nil
}

// Sign returns the value of the header webhook-signature: one signature for each secret,
// separated by spaces. seconds is the value of webhook-timestamp.
func Sign(id string, seconds int64, body []byte, secrets ...[]byte) string {
	var out strings.Builder
	for i, secret := range secrets {
		if i > 0 {
			out.WriteByte(' ')
		}
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(id + "." + strconv.FormatInt(seconds, 10) + "."))
		mac.Write(body)
		out.WriteString("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return out.String()
}

// RetryPeriod is how long a failing delivery is repeated.
const RetryPeriod = 72 * time.Hour

const (
	firstPause = 5 * time.Second
	pauseGrows = 3
	maxPause   = 3 * time.Hour
)

// Pause returns how long to wait after a number of failures. The first pause is five seconds, and
// each further one is three times as long, up to three hours. random, between 0 and 1, shortens the
// pause by up to a fifth, so that the receivers of one outage are not tried all at the same time.
func Pause(failures int64, random float64) time.Duration {
	pause := firstPause
	for n := int64(1); n < failures && pause < maxPause; n++ {
		pause *= pauseGrows
	}
	pause = min(pause, maxPause)
	return pause - time.Duration(random*float64(pause)/5)
}
