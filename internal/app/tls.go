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

// certificateCheck is how often the files are looked at, at most.
const certificateCheck = time.Second

// unencrypted reports whether other machines can reach an address at which
// nothing is encrypted. With trusted proxies the encryption is theirs.
func (c *Config) unencrypted(address string) bool {
	if c.TLSCert != "" || len(c.TrustedProxies) > 0 {
		return false
	}
	at, err := netip.ParseAddrPort(address)
	return err == nil && !at.Addr().Unmap().IsLoopback()
}

// certificates serves a certificate from files and takes up a new one without a
// restart. A new one that cannot be read leaves the old one in place.
type certificates struct {
	certFile, keyFile string
	now               func() time.Time
	logger            *slog.Logger

	mu      sync.Mutex
	current *tls.Certificate
	tried   [2]fileStamp // the files at the last attempt, whether it succeeded or not
	checked time.Time
}

// fileStamp tells one state of a file from another.
type fileStamp struct {
	modified time.Time
	size     int64
}

// loadCertificates reads the files for the first time, when a mistake is still
// a reason not to start.
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

// config is the TLS configuration of a server.
func (c *certificates) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get}
}

// get is called for every handshake.
func (c *certificates) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.now(); now.Sub(c.checked) >= certificateCheck {
		c.checked = now
		c.refresh()
	}
	return c.current, nil
}

// refresh tries the files when they are not those of the last attempt. The two
// are seldom written at the same moment: between them they do not match, which
// is logged, and the next look finds the pair.
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

// stamps looks at both files. When one is missing the result is that of no
// file, so that its absence is told once.
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
