package main

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"verdict/internal/backtest"
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/sheet"
	"verdict/internal/wire"
)

//go:embed policy.json
var policyJSON []byte

// ours runs a backtest as the product does, with the full report: decisions with priced
// offers and reasons, and every metric.
func ours(_ context.Context, in input) (*outcome, error) {
	plan, err := readPlan()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(in.path)
	if err != nil {
		return nil, fmt.Errorf("open the file: %w", err)
	}
	defer f.Close() //nolint:errcheck // It was only read.
	rows, err := repeated(f, in.times)
	if err != nil {
		return nil, err
	}
	reader := sheet.NewReader(rows, 0)
	header, err := reader.Header()
	if err != nil {
		return nil, fmt.Errorf("read the header: %w", err)
	}
	run, err := backtest.New(backtest.Setup{
		Header:      header,
		Outcome:     "bad",
		LGD:         backtest.DefaultLGD,
		FundingRate: backtest.DefaultFundingRate,
	}, plan, nil)
	if err != nil {
		return nil, fmt.Errorf("set up the backtest: %w", err)
	}
	whole, err := decideBlocks(run, reader, in.cores)
	if err != nil {
		return nil, err
	}
	return outcomeOf(run.Report(whole))
}

// repeated returns a reader of the file with its rows repeated. A backtest of a hundred
// million rows then needs no file of ten gigabytes.
func repeated(f *os.File, times int) (io.Reader, error) {
	if times <= 1 {
		return f, nil
	}
	first, err := bufio.NewReader(f).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("read the header: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	parts := []io.Reader{strings.NewReader(first)}
	for range times {
		parts = append(parts, io.NewSectionReader(f, int64(len(first)), info.Size()-int64(len(first))))
	}
	return io.MultiReader(parts...), nil
}

// decideBlocks decides the rows in one goroutine for each core. The goroutines take turns
// reading blocks, and decide their blocks concurrently.
func decideBlocks(run *backtest.Run, reader *sheet.Reader, cores int) (*backtest.Partial, error) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	whole, failure := backtest.NewPartial(), error(nil)
	for range cores {
		wg.Go(func() {
			worker := run.NewWorker()
			var memory []byte
			for {
				mu.Lock()
				block, err := reader.Next(memory)
				if err != nil {
					whole.Merge(worker.Take())
					if !errors.Is(err, io.EOF) {
						failure = err
					}
					mu.Unlock()
					return
				}
				mu.Unlock()
				worker.Block(block)
				memory = block.Data
			}
		})
	}
	wg.Wait()
	if failure != nil {
		return nil, fmt.Errorf("read the file: %w", failure)
	}
	return whole, nil
}

func readPlan() (*engine.Plan, error) {
	v, err := wire.Parse(policyJSON)
	if err != nil {
		return nil, fmt.Errorf("parse the policy: %w", err)
	}
	policy, err := engine.ReadPolicy(v, engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		return nil, fmt.Errorf("read the policy: %w", err)
	}
	return engine.Compile(policy, field.Catalogue()), nil
}

// outcomeOf returns the part of the report that the other contestants also count.
func outcomeOf(r *backtest.Report) (*outcome, error) {
	if r.RowsFailed > 0 || r.Performance.Labelled != r.RowsTotal {
		return nil, fmt.Errorf("%d rows failed, %d of %d are labelled",
			r.RowsFailed, r.Performance.Labelled, r.RowsTotal)
	}
	var o outcome
	for _, g := range r.ByGrade {
		o.Grades[strings.Index(gradeNames, g.Grade)] = gradeCount{
			Rows:        g.Count,
			Approved:    g.Approved,
			Referred:    g.Referred,
			Bad:         g.BadRate.Bad,
			BadApproved: g.BadRateApproved.Bad,
			LimitRupees: g.TotalLimit.Paise / 100,
		}
	}
	for i, k := range r.Rules {
		o.Hits[i] = k.Hit
	}
	return &o, nil
}
