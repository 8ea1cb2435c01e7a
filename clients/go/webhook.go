package verdict

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// webhookTolerance is the maximum difference between the timestamp of an event and the current time, in the
// past or in the future.
const webhookTolerance = 5 * time.Minute

// ErrSignature is the error of an event that was not signed with the secret, or
// that is too old.
var ErrSignature = errors.New("the event is too old or is not signed with this secret")

// VerifyWebhook returns an error unless the body was signed with the secret within five minutes of
// now. Pass the body exactly as it arrived, because a body that was parsed and encoded again may
// have other bytes.
func VerifyWebhook(secret string, header http.Header, body []byte, now time.Time) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return errors.New("the secret is not base64 after whsec_")
	}
	timestamp := header.Get("Webhook-Timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > webhookTolerance {
		return ErrSignature
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(header.Get("Webhook-Id") + "." + timestamp + "."))
	mac.Write(body)
	expected := mac.Sum(nil)
	for signature := range strings.FieldsSeq(header.Get("Webhook-Signature")) {
		value, ok := strings.CutPrefix(signature, "v1,")
		if !ok {
			continue
		}
		if given, err := base64.StdEncoding.DecodeString(value); err == nil && hmac.Equal(given, expected) {
			return nil
		}
	}
	return ErrSignature
}
