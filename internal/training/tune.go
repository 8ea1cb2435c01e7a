package training

import (
	"verdict/internal/backtest"
)

// setting is one of the settings that tune compares.
type setting struct {
	rule binRule
	hold float64 // ridge of the refining; 0 means no refining
}

// Trial is a setting and its AUC on rows that it was not fitted to.
type Trial struct {
	Penalty float64
	Hold    float64
	AUC     float64
	Chosen  bool
}

const (
	folds    = 5
	tuneRows = 30_000
)

// settings returns the settings to compare, beginning with the simplest. They vary two
// values whose best choice depends on the data: how much information a further bin
// must add, and how far bins may move from their weights of evidence. The options set
// all other values.
func (o *Options) settings() []setting {
	holds := []float64{0, 100, 30}
	if o.NoRefining {
		holds = holds[:1]
	}
	var list []setting
	for _, penalty := range []float64{8, 4, 2} {
		r := binRule{maxBins: o.MaxBins, leastShare: toFloat(o.MinShare), penalty: penalty, turns: !o.MonotoneOnly}
		for _, hold := range holds {
			list = append(list, setting{r, hold})
		}
	}
	return list
}

// tune returns the setting with the best average AUC in a five-fold cross-validation
// on the training rows. If two settings have the same AUC, it returns the earlier
// one, which is simpler. It uses a fixed sample of at most tuneRows rows.
func (t *table) tune(o *Options, stage func() error) (setting, []Trial, error) {
	list := o.settings()
	trials := make([]Trial, len(list))
	sample := few(t.train, tuneRows)
	for fold := range uint64(folds) {
		if err := stage(); err != nil {
			return setting{}, nil, err
		}
		var in, out []int32
		for _, row := range sample {
			if mix(uint64(row)^mix(uint64(o.Seed)+1))%folds == fold {
				out = append(out, row)
			} else {
				in = append(in, row)
			}
		}
		if err := t.try(o, list, in, out, trials); err != nil {
			return setting{}, nil, err
		}
	}
	best := 0
	for i, s := range list {
		trials[i].Penalty, trials[i].Hold = s.rule.penalty, s.hold
		trials[i].AUC = roundTo(trials[i].AUC/folds, 6)
		if trials[i].AUC > trials[best].AUC {
			best = i
		}
	}
	trials[best].Chosen = true
	return list[best], trials, nil
}

// try fits every setting on the rows in the parameter in, measures its AUC on the rows in the parameter out, and
// adds the AUC to trials. Settings that refine the same bins, with different values of hold, share the
// regression.
func (t *table) try(o *Options, list []setting, in, out []int32, trials []Trial) error {
	var kept []*binning
	var last setting
	var c *chosen
	for i, s := range list {
		if s.rule != last.rule {
			kept, _ = t.screen(o, t.bin(s.rule, in), in)
		}
		if s.rule != last.rule || (s.hold > 0) != (last.hold > 0) {
			var err error
			if c, err = t.choose(o, kept, in, s.hold > 0); err != nil {
				return err
			}
		}
		last = s
		e, err := t.effects(c, s, in)
		if err != nil {
			return err
		}
		trials[i].AUC += t.separation(c.features, e, out).AUC
	}
	return nil
}

// effects returns the effects of the chosen columns' bins under a setting.
func (t *table) effects(c *chosen, s setting, rows []int32) (*effects, error) {
	switch {
	case len(c.features) == 0:
		return &effects{}, nil
	case s.hold > 0:
		return t.refine(c, rows, s.hold)
	}
	return c.plain(), nil
}

// separation measures how well effects separate good from bad. The AUC is 0.5 if
// the rows are only good or only bad.
func (t *table) separation(features []*binning, e *effects, rows []int32) backtest.Separation {
	list := make([]backtest.Outcome, len(rows))
	for i, row := range rows {
		list[i] = backtest.Outcome{Score: e.logit(features, row), Bad: t.bad[row] == 1}
	}
	s, ok := t.separate(list, rows)
	if !ok {
		return backtest.Separation{AUC: 0.5}
	}
	return s
}
