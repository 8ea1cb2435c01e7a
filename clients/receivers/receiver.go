// The program receives the events of webhooks. It verifies the signature of each request, and
// prints the type, the sequence number and the id of each event that it had not received before.
//
//	WEBHOOK_SECRET=whsec_... RECEIVER_ADDR=127.0.0.1:9000 go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	maxBody   = 1 << 20
	tolerance = 5 * time.Minute // an older request may have been recorded and sent again
)

// event is the part of an event that the program uses.
type event struct {
	ID       string `json:"id"`
	Sequence int64  `json:"sequence"`
	Type     string `json:"type"`
}

// verify returns an error unless the request was recently signed with the key.
func verify(key []byte, header http.Header, body []byte, now time.Time) error {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || id == "" {
		return errors.New("the request has no webhook-id or no webhook-timestamp")
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > tolerance || age < -tolerance {
		return errors.New("the request is too old, or the clocks differ")
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	want := mac.Sum(nil)
	// While a secret is being replaced there are two signatures. One of them must match.
	for _, signature := range strings.Fields(header.Get("webhook-signature")) {
		encoded, ok := strings.CutPrefix(signature, "v1,")
		if !ok {
			continue
		}
		if got, err := base64.StdEncoding.DecodeString(encoded); err == nil && hmac.Equal(got, want) {
			return nil
		}
	}
	return errors.New("no signature matches")
}

func main() {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	if err != nil || len(key) == 0 {
		log.Fatal("WEBHOOK_SECRET must be the secret of the webhook")
	}
	var mu sync.Mutex
	seen := map[string]bool{} // use a table of your database instead
	http.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			http.Error(w, "the body could not be read", http.StatusBadRequest)
			return
		}
		if err := verify(key, r.Header, body, time.Now()); err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		var e event
		if err := json.Unmarshal(body, &e); err != nil {
			http.Error(w, "the body is not an event", http.StatusBadRequest)
			return
		}
		// An event may arrive more than once. Answer quickly; do long work later.
		mu.Lock()
		known := seen[e.ID]
		seen[e.ID] = true
		mu.Unlock()
		if !known {
			fmt.Println(e.Type, e.Sequence, e.ID)
		}
		w.WriteHeader(http.StatusNoContent)
	})
	server := &http.Server{Addr: os.Getenv("RECEIVER_ADDR"), ReadTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}
