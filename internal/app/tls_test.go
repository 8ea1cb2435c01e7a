package app

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// pair returns a certificate for 127.0.0.1 with the given serial number.
func pair(t *testing.T, serial int64) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "verdict"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER})
}

// write replaces a file and sets its time, because two writes may happen within
// one tick of the file system's clock.
func write(t *testing.T, name string, content []byte, modified time.Time) {
	t.Helper()
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(name, modified, modified); err != nil {
		t.Fatal(err)
	}
}

func TestCertificateReload(t *testing.T) {
	t.Parallel()
	certFile, keyFile := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	cert1, key1 := pair(t, 1)
	cert2, key2 := pair(t, 2)
	now := time.Now()
	write(t, certFile, cert1, now)
	write(t, keyFile, key1, now)
	var log bytes.Buffer
	certs, err := loadCertificates(certFile, keyFile, func() time.Time { return now },
		slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	expect := func(step string, serial int64, logged string) {
		t.Helper()
		got, err := certs.config().GetCertificate(nil)
		if err != nil || got.Leaf.SerialNumber.Int64() != serial {
			t.Errorf("%s: serial %v (%v), want %d", step, got.Leaf.SerialNumber, err, serial)
		}
		if logged == "" && log.Len() > 0 || !strings.Contains(log.String(), logged) {
			t.Errorf("%s: the log says %q, want %q", step, log.String(), logged)
		}
		log.Reset()
	}
	expect("at first", 1, "")
	write(t, certFile, cert2, now.Add(time.Minute))
	expect("within the second", 1, "")
	now = now.Add(time.Second)
	expect("a certificate without its key", 1, "old one stays in use")
	now = now.Add(time.Second)
	expect("told once", 1, "")
	write(t, keyFile, key2, now.Add(time.Minute))
	now = now.Add(time.Second)
	expect("the whole pair", 2, "loaded a new certificate")
	write(t, certFile, []byte("nonsense"), now.Add(2*time.Minute))
	now = now.Add(time.Second)
	expect("nonsense", 2, "old one stays in use")
	if err := os.Remove(certFile); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Second)
	expect("no file", 2, "old one stays in use")
	now = now.Add(time.Second)
	expect("no file, told once", 2, "")
	write(t, certFile, cert1, now.Add(3*time.Minute))
	write(t, keyFile, key1, now.Add(3*time.Minute))
	now = now.Add(time.Second)
	expect("back again", 1, "loaded a new certificate")
}

func TestCertificateMustBeThereAtFirst(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	if _, err := loadCertificates(certFile, keyFile, time.Now, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("missing files are no error")
	}
	cert, _ := pair(t, 1)
	_, key := pair(t, 2)
	write(t, certFile, cert, time.Now())
	write(t, keyFile, key, time.Now())
	if _, err := loadCertificates(certFile, keyFile, time.Now, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a certificate with another's key is no error")
	}
}

// TestTLSServer checks that a real listener offers HTTP/2 and requires at least
// TLS 1.2.
func TestTLSServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	cert, key := pair(t, 1)
	write(t, certFile, cert, time.Now())
	write(t, keyFile, key, time.Now())
	s := startServer(t, Config{TLSCert: certFile, TLSKey: keyFile}, nil)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(cert)
	dial := func(c *tls.Config) (*tls.Conn, error) {
		c.RootCAs, c.ServerName = roots, "localhost"
		connection, err := (&tls.Dialer{Config: c}).DialContext(t.Context(), "tcp", s.addr())
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { _ = connection.Close() })
		secure, _ := connection.(*tls.Conn)
		return secure, nil
	}
	connection, err := dial(&tls.Config{NextProtos: []string{"h2", "http/1.1"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := connection.ConnectionState().NegotiatedProtocol; got != "h2" {
		t.Errorf("the protocol is %q", got)
	}
	if _, err := dial(&tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}); err == nil {
		t.Error("TLS 1.1 is accepted")
	}
}

// TestUnencryptedIsWarnedOf checks that the log warns about serving without TLS
// only if other machines can reach the service.
func TestUnencryptedIsWarnedOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		address string
		proxies string
		warned  bool
	}{
		{"127.0.0.1:0", "", false},
		{"[::1]:0", "", false},
		{"0.0.0.0:0", "", true},
		{":0", "", true},
		{"0.0.0.0:0", "10.0.0.0/8", false},
	} {
		args := []string{"-addr", c.address}
		if c.proxies != "" {
			args = append(args, "-trusted-proxies", c.proxies)
		}
		_, log, stop := startApp(t, args...)
		if err := stop(); err != nil { // the log of the start is complete by then
			t.Error(err)
		}
		if got := strings.Contains(log.String(), "serving without TLS"); got != c.warned {
			t.Errorf("%s behind %q: warned %t:\n%s", c.address, c.proxies, got, log)
		}
	}
}

// TestUnencrypted checks addresses on which no test can listen.
func TestUnencrypted(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"203.0.113.7:8080": true, "10.1.2.3:8080": true, "[2001:db8::1]:8080": true, "[::]:8080": true,
		"127.0.0.9:8080": false, "[::ffff:127.0.0.1]:8080": false,
	} {
		if got := (&Config{}).unencrypted(address); got != want {
			t.Errorf("%s: %t", address, got)
		}
		if (&Config{TLSCert: "cert.pem"}).unencrypted(address) {
			t.Errorf("%s with a certificate is taken for unencrypted", address)
		}
	}
}
