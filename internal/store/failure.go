package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"verdict/internal/fault"
)

// failed is a refusal together with the database error that caused it.
// errors.As finds the refusal, which a client may see; Error is for logs.
type failed struct {
	refusal *fault.Error
	action  string
	logText string
	cause   error
}

func (f *failed) Error() string {
	return fmt.Sprintf("%s: %s: %s", f.action, f.refusal.Code, f.logText)
}
func (f *failed) Unwrap() []error { return []error{f.refusal, f.cause} }

// failure turns a database error into the error for a caller. Refusals and
// cancelled contexts keep their kind. An error of no known class gets no kind,
// so the callers treat it as an internal error.
func (db *DB) failure(action string, err error) error {
	var refusal *fault.Error
	switch {
	case err == nil:
		return nil
	case isRefusal(err):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, sql.ErrNoRows), errors.Is(err, ErrBackup):
		return fmt.Errorf("%s: %w", action, err)
	}
	words := db.dialect.logText(err)
	switch db.dialect.class(err) {
	case classUnique:
		refusal = fault.New(fault.Conflict, fault.CodeVersionConflict, "a resource with this id already exists")
	case classConflict:
		refusal = unavailable("the database is busy")
	case classTimeout:
		refusal = unavailable("the database did not answer in time")
	case classFull:
		db.prober.full.Store(true)
		refusal = unavailable("the database is full")
	case classLost, classRefused:
		refusal = unavailable("the database cannot be reached")
	case classOther:
		if db.closed.Load() { // database/sql has no exported error for a closed database
			return &failed{
				refusal: unavailable("the service is shutting down"),
				action:  action,
				logText: words,
				cause:   err,
			}
		}
		return &unclassified{action: action, logText: words, cause: err}
	}
	return &failed{refusal: refusal, action: action, logText: words, cause: err}
}

// unclassified is a database error of no known class. Its text does not contain
// the driver's full message, which may quote a row, so the message does not
// appear in logs. errors.Is still finds the cause.
type unclassified struct {
	action, logText string
	cause           error
}

func (u *unclassified) Error() string { return u.action + ": " + u.logText }
func (u *unclassified) Unwrap() error { return u.cause }

func unavailable(what string) *fault.Error {
	return fault.New(fault.Unavailable, fault.CodeUnavailable, "%s; try again later", what)
}

// orNotFound turns sql.ErrNoRows into NotFound and returns other errors
// unchanged.
func orNotFound(what string, err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fault.Missing(what)
	}
	return err
}

// ignoreAbsent turns sql.ErrNoRows into nil, for reads that may find no row.
func ignoreAbsent(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}

// isUnavailable reports whether err says that the database could not be used.
func isUnavailable(err error) bool { return fault.KindOf(err) == fault.Unavailable }

// isRefusal reports whether err is a refusal of this package and not a failure
// of the database.
func isRefusal(err error) bool {
	var before *AlreadyAnswered
	return fault.Of(err) != nil || errors.As(err, &before) || errors.Is(err, ErrKeysChanged)
}
