package app

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"sync"
	"time"
)

// certificateCheck is the minimum interval between two checks of the
// certificate files.
const certificateCheck = time.Second

// unencrypted reports whether the service serves without TLS on an address that
// other machines can reach. If there are trusted proxies, it returns false,
// because the proxies terminate TLS.
func (c *Config) unencrypted(address string) bool {
	if c.TLSCert != "" || len(c.TrustedProxies) > 0 {
		return false
	}
	at, err := netip.ParseAddrPort(address)
	return err == nil && !at.Addr().Unmap().IsLoopback()
}

// certificates serves a certificate from files and reloads it without a
// restart. If the new certificate cannot be read, the old certificate stays in
// use.
type certificates struct {
	certFile, keyFile string
	now               func() time.Time
	logger            *slog.Logger

	mu      sync.Mutex
	current *tls.Certificate
	tried   [2]fileStamp // the versions of the files at the last attempt, whether it succeeded or not
	checked time.Time
}

// fileStamp identifies a version of a file.
type fileStamp struct {
	modified time.Time
	size     int64
}

// loadCertificates reads the files at the start. It returns an error if they
// are not valid.
func loadCertificates(certFile, keyFile string, now func() time.Time, logger *slog.Logger) (*certificates, error) {
	c := &certificates{certFile: certFile, keyFile: keyFile, now: now, logger: logger, checked: now()}
	var err error
	if c.tried, err = c.stamps(); err == nil {
		err = c.load()
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// config returns the TLS configuration of a server.
func (c *certificates) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get}
}

// get returns the current certificate. It is called for every handshake.
func (c *certificates) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.now(); now.Sub(c.checked) >= certificateCheck {
		c.checked = now
		c.refresh()
	}
	return c.current, nil
}

// refresh loads the files if they have changed since the last attempt. The two
// files are seldom written at the same moment. If a check finds only one new
// file, the files do not match; refresh logs this, and the next check finds the
// new pair.
func (c *certificates) refresh() {
	stamps, err := c.stamps()
	if err == nil {
		if stamps == c.tried {
			return
		}
		err = c.load()
	} else if c.tried == stamps {
		return
	}
	c.tried = stamps
	if err != nil {
		c.logger.Error("could not load the new certificate; the old one stays in use", "error", err)
		return
	}
	c.logger.Info("loaded a new certificate", "not_after", c.current.Leaf.NotAfter)
}

// stamps returns the versions of both files. If a file is missing, it returns
// zero versions, so that the missing file is logged only once.
func (c *certificates) stamps() (stamps [2]fileStamp, err error) {
	for i, name := range [...]string{c.certFile, c.keyFile} {
		info, err := os.Stat(name)
		if err != nil {
			return [2]fileStamp{}, fmt.Errorf("look at the certificate: %w", err)
		}
		stamps[i] = fileStamp{info.ModTime(), info.Size()}
	}
	return stamps, nil
}

func (c *certificates) load() error {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("read the certificate: %w", err)
	}
	c.current = &pair
	return nil
}
