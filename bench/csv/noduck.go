//go:build !cgo

package main

import (
	"context"
	"errors"
)

const hasDuck = false

func duck(context.Context, input) (*outcome, error) {
	return nil, errors.New("DuckDB needs a C compiler")
}
