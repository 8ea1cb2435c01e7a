package app

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"slices"
	"strings"

	"verdict/internal/evidencedesk"
	"verdict/internal/masterkey"
	"verdict/internal/sealing"
	"verdict/internal/store"
	"verdict/internal/store/archive"
	"verdict/internal/usecase"
)

// A KEYS file begins with this line. The master keys follow, one on each line, then an empty
// line, and then an archive with the encrypted keys of the database.
const keysFileHead = "verdict-keys-1"

var errNotKeys = errors.New("this is not a KEYS file; \"verdict backup -keys\" writes one")

// BackUp writes a backup of the database to data. If keys is not nil, BackUp also writes the KEYS file of this
// backup to keys. Both are taken from the same snapshot of the database.
func BackUp(
	ctx context.Context, c Config, db *store.DB, data, keys io.Writer, progress func(table string, rows int64),
) (store.BackupStats, error) {
	if keys == nil {
		return db.Backup(ctx, data, progress)
	}
	if _, err := c.ReadMasterKey(ctx, db); err != nil {
		return store.BackupStats{}, err
	}
	source, _ := c.masterKeySource()
	held, err := source.Read(ctx)
	if err != nil {
		return store.BackupStats{}, fmt.Errorf("-master-key: %s: %w", source, err)
	}
	if _, err := fmt.Fprintf(keys, "%s\n%s\n", keysFileHead, masterkey.Format(held...)); err != nil {
		return store.BackupStats{}, fmt.Errorf("write the KEYS file: %w", err)
	}
	stats, err := db.BackupWithKeys(ctx, data, keys, progress)
	if err == nil && slices.ContainsFunc(stats.MasterKeys, func(f []byte) bool { return !has(held, f) }) {
		err = errors.New("the master key was replaced during the backup; run the command again")
	}
	return stats, err
}

// has reports whether the key with the given fingerprint is among keys.
func has(keys []sealing.Secret, fingerprint []byte) bool {
	return slices.ContainsFunc(keys, func(key sealing.Secret) bool {
		own := sealing.NewEpoch(key).Fingerprint()
		return bytes.Equal(own[:], fingerprint)
	})
}

// Encrypted reports whether the database has a master key.
func Encrypted(ctx context.Context, db *store.DB) (bool, error) {
	known, err := db.Secrets().MasterKey(ctx)
	return known != nil, err
}

// IsBackup reports whether r begins as a backup does.
func IsBackup(r io.Reader) bool {
	_, _, err := archive.NewReader(r)
	return err == nil
}

// OwnsKeysFile reports whether a KEYS file has a master key that the database uses or has used. The error says that r
// is not a KEYS file, or that the database cannot be read.
func OwnsKeysFile(ctx context.Context, db *store.DB, r io.Reader) (bool, error) {
	keys, _, err := readKeysFile(r)
	if err != nil {
		return false, err
	}
	epochs, err := db.Secrets().KeyEpochs(ctx)
	if err != nil {
		return false, err
	}
	if has(keys, epochs.Current) {
		return true, nil
	}
	return slices.ContainsFunc(keys, func(key sealing.Secret) bool {
		fingerprint := sealing.NewEpoch(key).Fingerprint()
		_, former := epochs.Find(fingerprint[:])
		return former
	}), nil
}

// maxKeysHead is the maximum number of lines before the archive of a KEYS file.
const maxKeysHead = 8

// readKeysFile reads the beginning of a KEYS file. The archive follows in rest.
func readKeysFile(r io.Reader) (keys []sealing.Secret, rest io.Reader, err error) {
	lines := bufio.NewReader(r)
	var head strings.Builder
	for range maxKeysHead {
		line, err := lines.ReadString('\n')
		switch {
		case err != nil || head.Len() == 0 && strings.TrimSpace(line) != keysFileHead:
			return nil, nil, errNotKeys
		case line == "\n":
			keys, err := masterkey.Parse([]byte(strings.TrimPrefix(head.String(), keysFileHead+"\n")))
			if err != nil {
				return nil, nil, errNotKeys
			}
			return keys, lines, nil
		}
		head.WriteString(line)
	}
	return nil, nil, errNotKeys
}

// RestoreOptions says which keys a restored database gets.
type RestoreOptions struct {
	Keys        io.Reader // a KEYS file; nil if there is none
	WithoutKeys bool      // restores encrypted data with the key trees in the data, without a KEYS file
	Progress    func(table string, rows int64)
}

// Restored is the result of RestoreBackup.
type Restored struct {
	store.BackupStats
	// KeyFile is the file to which the master key was written. It is "" if the key was there already, or if the
	// operator must provide it.
	KeyFile string
	// ErasedAgain is the number of people who were erased after the backup, and whose rows were therefore
	// erased again.
	ErasedAgain int64
	// LogKey is the file in which the service will look for the log key. It is "" if none is configured, or if
	// -log-key is off.
	LogKey string
}

// RestoreBackup restores a backup into an empty database. If there is a KEYS file, the database gets the keys of
// that file instead of the keys in the data. The master key is then written to the file of -master-key, and people
// who were erased after the backup are erased again.
func RestoreBackup(ctx context.Context, c Config, data io.Reader, o RestoreOptions) (r Restored, err error) {
	if c.LogKey != logKeyOff {
		r.LogKey = c.logKeyFile()
	}
	restoreKeys := store.RestoreKeys{Required: !o.WithoutKeys}
	var keys []sealing.Secret
	if o.Keys != nil {
		if keys, restoreKeys.From, err = readKeysFile(o.Keys); err != nil {
			return r, err
		}
		if r.KeyFile, err = c.keyFileFor(ctx, keys); err != nil {
			return r, err
		}
	}
	r.BackupStats, err = store.RestoreWithKeys(ctx, c.DatabaseURL, data, restoreKeys, c.Store, o.Progress)
	if err == nil && r.KeyFile != "" {
		err = masterkey.Write(r.KeyFile, keys...)
	}
	if err == nil && keys != nil {
		r.ErasedAgain, err = c.applyErasures(ctx, keys)
	}
	return r, err
}

// applyErasures repeats the erasures of people who were erased after the backup, and returns the number of people.
// If it is interrupted, the service continues with it when it starts.
func (c Config) applyErasures(ctx context.Context, keys []sealing.Secret) (people int64, err error) {
	db, err := OpenStore(ctx, c)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	master, err := c.chooseMasterKey(ctx, keys, db)
	if err != nil {
		return 0, err
	}
	quiet := slog.New(slog.DiscardHandler) // the returned errors say the same
	service, err := NewService(db, c, quiet, usecase.Hooks{}, Background{}, evidencedesk.Options{}, master)
	if err != nil {
		return 0, err
	}
	return service.ApplyErasures(ctx)
}

// keyFileFor returns the file to which the keys of a KEYS file must be written. It returns "" if
// there is nothing to write: the file has the keys already, or -master-key is off, not set or
// not a file. It returns an error if the file has other keys.
func (c Config) keyFileFor(ctx context.Context, keys []sealing.Secret) (path string, err error) {
	source, configured := c.masterKeySource()
	path, isFile := source.Path()
	if !configured || c.MasterKey == masterKeyOff || !isFile {
		return "", nil
	}
	held, err := source.Read(ctx)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, nil
	case err != nil:
		return "", fmt.Errorf("-master-key: %s: %w", source, err)
	}
	for _, key := range keys {
		if !slices.Contains(held, key) {
			return "", fmt.Errorf("-master-key: %s has another key than the KEYS file; name a file that does not exist",
				source)
		}
	}
	return "", nil
}
