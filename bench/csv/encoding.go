package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
)

// loop decides the rows with the simplest code: encoding/csv with a reused record,
// strconv, and the policy in Go. It runs on one core.
func loop(_ context.Context, in input) (*outcome, error) {
	f, err := os.Open(in.path)
	if err != nil {
		return nil, fmt.Errorf("open the file: %w", err)
	}
	defer f.Close() //nolint:errcheck // It was only read.
	r := csv.NewReader(f)
	r.ReuseRecord = true
	if _, err := r.Read(); err != nil {
		return nil, fmt.Errorf("read the header: %w", err)
	}
	var o outcome
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return &o, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read a row: %w", err)
		}
		a, err := applicantOf(record)
		if err != nil {
			return nil, fmt.Errorf("read a row: %w", err)
		}
		o.decide(&a)
	}
}

func applicantOf(record []string) (a applicant, err error) {
	number := func(i int) int {
		n, bad := strconv.Atoi(record[i])
		err = errors.Join(err, bad)
		return n
	}
	float := func(i int) float64 {
		x, bad := strconv.ParseFloat(record[i], 64)
		err = errors.Join(err, bad)
		return x
	}
	a = applicant{
		score:       number(1),
		age:         number(2),
		income:      float(3),
		foir:        float(4),
		requested:   number(5),
		enquiries:   number(6),
		tradelines:  number(7),
		dpd:         number(8),
		writtenOff:  number(9),
		overdue:     float(10),
		utilisation: float(11),
		oldest:      number(13),
		bounces:     number(15),
		fraud:       number(16),
		pincode:     number(17),
		employment:  employmentOf([]byte(record[18])),
		bad:         number(19) != 0,
	}
	// The policy does not read these two columns, but a row with an invalid number
	// is invalid.
	number(12)
	number(14)
	return a, err
}
