package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"verdict/internal/fault"
)

// failed is a refusal with the database's reason behind it. errors.As finds
// the refusal, which a client may see; Error is for logs.
type failed struct {
	refusal *fault.Error
	action  string
	words   string
	cause   error
}

func (f *failed) Error() string   { return fmt.Sprintf("%s: %s: %s", f.action, f.refusal.Code, f.words) }
func (f *failed) Unwrap() []error { return []error{f.refusal, f.cause} }

// failure says of a database error what it means to a caller. A refusal of our
// own and a cancelled context pass as they are; what nobody foresaw keeps no
// kind and is therefore an internal error to everyone above.
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
	words := db.dialect.words(err)
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
		if db.closed.Load() { // database/sql has no error of its own for it
			return &failed{refusal: unavailable("the service is shutting down"), action: action, words: words, cause: err}
		}
		return &unforeseen{action: action, words: words, cause: err}
	}
	return &failed{refusal: refusal, action: action, words: words, cause: err}
}

// unforeseen keeps a driver's full message, which may quote a row, out of the
// logs while errors.Is still sees it.
type unforeseen struct {
	action, words string
	cause         error
}

func (u *unforeseen) Error() string { return u.action + ": " + u.words }
func (u *unforeseen) Unwrap() error { return u.cause }

func unavailable(what string) *fault.Error {
	return fault.New(fault.Unavailable, fault.CodeUnavailable, "%s; try again later", what)
}

func notFound(what string) *fault.Error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "there is no such %s", what)
}

// oneOf turns the absence of a row into NotFound.
func oneOf(what string, err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return notFound(what)
	}
	return err
}

// ignoreAbsent is for reads to which the absence of a row is an answer.
func ignoreAbsent(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}

// isUnavailable tells whether the database could not be used.
func isUnavailable(err error) bool {
	var refusal *fault.Error
	return errors.As(err, &refusal) && refusal.Kind == fault.Unavailable
}

// isRefusal tells a refusal of ours from a failure of the database.
func isRefusal(err error) bool {
	var refusal *fault.Error
	var before *AlreadyAnswered
	return errors.As(err, &refusal) || errors.As(err, &before)
}
