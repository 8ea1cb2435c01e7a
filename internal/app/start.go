package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"verdict/internal/logkey"
	"verdict/internal/store"
)

// The settings that an error about an address names.
const (
	addrSetting        = "-addr or VERDICT_ADDR"
	metricsAddrSetting = "-metrics-addr or VERDICT_METRICS_ADDR"
)

// prepare checks what can make the service refuse to start: the files, addresses and keys of the settings, and the
// state of the database. It creates and changes nothing, so a refused start leaves nothing behind, and returns all
// errors together. It stores in c what it has read for New.
func (c *Config) prepare(ctx context.Context, logger *slog.Logger) error {
	if err := checkLock(*c); err != nil { // the other process also explains an address in use, so this comes alone
		return err
	}
	var errs []error
	check := func(err error) { errs = append(errs, err) }
	check(checkAddresses(ctx, *c))
	if c.TLSCert != "" {
		_, err := loadCertificates(c.TLSCert, c.TLSKey, time.Now, logger)
		check(err)
	}
	var err error
	c.Connections, err = newConnections(*c)
	check(err)
	c.Atlas, err = newAtlas(c.IPCountries)
	check(err)
	found, known := c.inspect(ctx)
	check(restoreError(found.RestoreUnfinished))
	check(c.checkLogKey(found, known))
	check(c.checkSigned())
	check(c.checkMasterKey(ctx, found, known))
	return errors.Join(errs...)
}

// checkLock returns an error if another process serves the database. It does not create the lock file.
func checkLock(c Config) error {
	path := databaseFile(c)
	if path == "" {
		return nil
	}
	if _, err := os.Stat(path + lockSuffix); err != nil {
		return nil //nolint:nilerr // no process has locked the database
	}
	locked, err := lockFile(c)
	if err != nil {
		return err
	}
	return locked.Close()
}

// checkAddresses opens the listeners and closes them again. The service opens them when it is ready: otherwise clients
// would connect, and wait, while it migrates a database.
func checkAddresses(ctx context.Context, c Config) error {
	l, err := listen(ctx, c.Addr, addrSetting)
	errs := []error{err}
	opened := []net.Listener{l}
	if c.MetricsAddr != "" {
		l, err := listen(ctx, c.MetricsAddr, metricsAddrSetting)
		errs, opened = append(errs, err), append(opened, l)
	}
	for _, l := range opened {
		if l != nil {
			errs = append(errs, l.Close())
		}
	}
	return errors.Join(errs...)
}

// inspect returns the state of the database without changing it. known is false if the database cannot be read now, or
// has the schema of another version. Then its keys are checked when it is open.
func (c Config) inspect(ctx context.Context) (found store.Inspection, known bool) {
	found, err := store.Inspect(ctx, c.DatabaseURL, c.Store)
	if _, embedded := store.FileOf(c.DatabaseURL); embedded && errors.Is(err, fs.ErrNotExist) {
		return found, true
	}
	newest, wrong := store.SchemaVersion()
	return found, err == nil && wrong == nil && (found.Schema == 0 || found.Schema == newest)
}

// checkLogKey checks the file of the log key. A missing file is an error unless openLogKey creates it.
func (c Config) checkLogKey(found store.Inspection, known bool) error {
	path := c.logKeyFile()
	switch {
	case c.LogKey == logKeyOff:
		return nil
	case path == "":
		return errNoLogKey
	}
	_, err := logkey.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
		if known {
			err = missingLogKey(path, c.LogKey == "", found.LogKey != nil)
		}
	}
	if err != nil {
		return fmt.Errorf("-log-key: %w", err)
	}
	return nil
}

// checkSigned checks the folder and the files that record the signed checkpoints.
func (c Config) checkSigned() error {
	if c.LogKey == logKeyOff || c.logKeyFile() == "" {
		return nil
	}
	folder := filepath.Dir(c.signedFiles())
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist) && c.LogSigned == "":
		return nil // the error about the key or the database says that the folder is missing
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("-log-signed: the folder %s does not exist; create it", folder)
	case err != nil:
		return fmt.Errorf("-log-signed: %w", err)
	case !info.IsDir():
		return fmt.Errorf("-log-signed: %s is not a folder", folder)
	case !writable(folder):
		return fmt.Errorf("-log-signed: this user cannot write to the folder %s, where the service records what it "+
			"has signed; give the folder to this user, or name another", folder)
	}
	if _, err := logkey.ReadSigned(c.signedFiles()); err != nil {
		return fmt.Errorf("-log-signed: %w", err)
	}
	return nil
}

// checkMasterKey checks that the master key can be read and is that of the database. A missing file is an error unless
// openMasterKey creates it.
func (c Config) checkMasterKey(ctx context.Context, found store.Inspection, known bool) error {
	encrypted := found.Keys.Current != nil
	source, configured := c.masterKeySource()
	switch {
	case c.MasterKey == masterKeyOff && encrypted:
		return errEncrypted
	case c.MasterKey == masterKeyOff:
		return nil
	case !configured:
		return errNoMasterKey
	}
	keys, err := source.Read(ctx)
	switch {
	case isMissing(source, err) && known:
		err = missingMasterKey(c.MasterKey == "", encrypted)
	case isMissing(source, err):
		return nil
	case err == nil && encrypted:
		_, err := c.pickMasterKey(keys, found.Keys)
		return err
	}
	if err != nil {
		return fmt.Errorf("-master-key: %s: %w", source, err)
	}
	return nil
}
