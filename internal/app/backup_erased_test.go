package app

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"testing"

	"verdict/internal/store/storetest"
)

// eraserOfBackup erases an applicant when the first bytes of a backup are written, so that the rest of the backup is
// read afterwards.
type eraserOfBackup struct {
	bytes.Buffer
	once  sync.Once
	erase func()
}

func (e *eraserOfBackup) Write(p []byte) (int, error) {
	e.once.Do(e.erase)
	return e.Buffer.Write(p)
}

// TestErasedDuringBackup erases an applicant while a backup is written. The backup has the state of the moment at
// which it began. If it is restored with its own KEYS file, the decisions of the applicant can be read. If it is
// restored with a KEYS file from after the erasure, they are erased. In both cases everything matches the log.
func TestErasedDuringBackup(t *testing.T) {
	t.Parallel()
	everyDatabase(t, func(t *testing.T, databaseURL string) {
		b := newKeysBench(t, databaseURL)
		a, _, stop := startApp(t, "-database-url", databaseURL, "-master-key", b.config.MasterKey)
		body := strings.Replace(decisionBody, `"A-1"`, `"`+canaryRef+`"`, 1)
		body = strings.Replace(body, `"score":742`, `"score":442`, 1) // declined: an open offer would defer the erasure
		status, answer, err := post(t.Context(), a.URL()+"/v1/decisions", b.apiKey, body)
		if err != nil || status != http.StatusOK {
			t.Fatalf("decide: %d %v %v", status, answer, err)
		}
		b.decided[canaryRef], _ = answer["decision_id"].(string)
		var keys bytes.Buffer
		data := &eraserOfBackup{erase: func() {
			status, answer, err := post(t.Context(), a.URL()+"/v1/erasures", b.apiKey,
				`{"applicant_ref":"`+canaryRef+`","reason":"consent_withdrawn"}`)
			if err != nil || status != http.StatusCreated {
				t.Errorf("erase: %d %v %v", status, answer, err)
			}
		}}
		if _, err := BackUp(t.Context(), b.config, b.db, data, &keys, nil); err != nil {
			t.Fatal(err)
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		if _, err := RotateMasterKey(t.Context(), b.config, b.db, RotateOptions{}); err != nil {
			t.Fatal(err)
		}
		_, later := b.backUp(t)
		for _, c := range []struct {
			name   string
			keys   []byte
			erased int64 // people
		}{{"its own keys", keys.Bytes(), 0}, {"later keys", later, 1}} {
			target := storetest.SQLite(t)
			b.forgotten = c.erased
			source, err := b.restored(t, target, data.Bytes(), c.keys, false)
			if err != nil {
				t.Fatalf("with %s: %v", c.name, err)
			}
			config := b.config
			config.DatabaseURL, config.MasterKey = target, source
			wantVerified(t, config, c.erased)
			got := b.read(t, target, source, canaryRef)
			if erased := strings.Contains(got, "inputs_erased"); erased != (c.erased == 1) {
				t.Errorf("with %s the decision is %s", c.name, got)
			}
			if c.erased == 1 {
				wantNoCanary(t, target)
			}
		}
	})
}
