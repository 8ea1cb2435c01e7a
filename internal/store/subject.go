package store

import "context"

// The methods for the data of a scope are grouped by subject. Each subject has two types: a reader,
// which Scope and Tx both return, and a type that adds the methods for changes, which
// only Tx returns. So nothing can be changed outside a transaction, and each read is
// implemented once.
//
// Both types are small values, made for a call or two. The values that a Tx returns are
// valid for as long as the Tx is.

// access says where the reads of a subject run: in a given transaction, or each
// read in a new transaction.
//
// It holds a copy of the scope and not a pointer, so that the caller's scope can
// stay on the stack.
type access struct {
	tx    *Tx             // nil outside a transaction
	scope Scope           // scope and ctx are for reads outside a transaction
	ctx   context.Context // the caller's context; a transaction has its own
}

func (s *Scope) access(ctx context.Context) access { return access{scope: *s, ctx: ctx} }

func (tx *Tx) access() access { return access{tx: tx} }

// read runs fn in the transaction, or in a new read transaction. In the latter
// case fn may be run again on another connection, so it must compute its result
// from scratch.
func read[T any](a access, fn func(*Tx) (T, error)) (T, error) {
	if a.tx != nil {
		return fn(a.tx)
	}
	var result T
	err := a.scope.Read(a.ctx, func(tx *Tx) (err error) {
		result, err = fn(tx)
		return err
	})
	return result, err
}

// readTwo runs fn like read, for two results.
func readTwo[A, B any](a access, fn func(*Tx) (A, B, error)) (first A, second B, err error) {
	if a.tx != nil {
		return fn(a.tx)
	}
	err = a.scope.Read(a.ctx, func(tx *Tx) (err error) {
		first, second, err = fn(tx)
		return err
	})
	return first, second, err
}

// readOf runs fn like read, for a row with an id. Outside a transaction it runs fn with
// Scope.ReadOf.
func readOf[T any](a access, id string, fn func(*Tx) (T, error)) (T, error) {
	if a.tx != nil {
		return fn(a.tx)
	}
	var result T
	scope := a.scope // a copy, because ReadOf takes its address and may move it to the heap
	err := scope.ReadOf(a.ctx, id, func(tx *Tx) (err error) {
		result, err = fn(tx)
		return err
	})
	if err != nil {
		var none T // the commit may have failed after fn succeeded
		return none, err
	}
	return result, nil
}

// DecisionReader reads decisions, their features and reviews, and the queue of referrals.
type DecisionReader struct{ access }

// Decisions reads like DecisionReader, and stores decisions and reviews.
type Decisions struct{ DecisionReader }

// Decisions returns the DecisionReader of the scope.
func (s *Scope) Decisions(ctx context.Context) DecisionReader { return DecisionReader{s.access(ctx)} }

// Decisions returns the Decisions of the transaction.
func (tx *Tx) Decisions() Decisions { return Decisions{DecisionReader{tx.access()}} }

// AnswerReader reads the answers that are stored under idempotency keys.
type AnswerReader struct{ access }

// Answers reads like AnswerReader, and stores answers.
type Answers struct{ AnswerReader }

// Answers returns the AnswerReader of the scope.
func (s *Scope) Answers(ctx context.Context) AnswerReader { return AnswerReader{s.access(ctx)} }

// Answers returns the Answers of the transaction.
func (tx *Tx) Answers() Answers { return Answers{AnswerReader{tx.access()}} }

// UsageReader reads the usage counters.
type UsageReader struct{ access }

// UsageMeter reads and counts usage. Billed usage counts against the quota.
type UsageMeter struct{ UsageReader }

// Usage returns the UsageReader of the scope.
func (s *Scope) Usage(ctx context.Context) UsageReader { return UsageReader{s.access(ctx)} }

// Usage returns the UsageMeter of the transaction.
func (tx *Tx) Usage() UsageMeter { return UsageMeter{UsageReader{tx.access()}} }

// RunReader reads the runs of agents.
type RunReader struct{ access }

// Runs reads like RunReader, and stores runs.
type Runs struct{ RunReader }

// Runs returns the RunReader of the scope.
func (s *Scope) Runs(ctx context.Context) RunReader { return RunReader{s.access(ctx)} }

// Runs returns the Runs of the transaction.
func (tx *Tx) Runs() Runs { return Runs{RunReader{tx.access()}} }

// RuleSetReader reads rule sets and the statistics of their rules.
type RuleSetReader struct{ access }

// RuleSets reads like RuleSetReader, and stores, activates and removes rule sets.
type RuleSets struct{ RuleSetReader }

// RuleSets returns the RuleSetReader of the scope.
func (s *Scope) RuleSets(ctx context.Context) RuleSetReader { return RuleSetReader{s.access(ctx)} }

// RuleSets returns the RuleSets of the transaction.
func (tx *Tx) RuleSets() RuleSets { return RuleSets{RuleSetReader{tx.access()}} }

// ScorecardReader reads scorecards.
type ScorecardReader struct{ access }

// Scorecards reads like ScorecardReader, and stores scorecards.
type Scorecards struct{ ScorecardReader }

// Scorecards returns the ScorecardReader of the scope.
func (s *Scope) Scorecards(ctx context.Context) ScorecardReader {
	return ScorecardReader{s.access(ctx)}
}

// Scorecards returns the Scorecards of the transaction.
func (tx *Tx) Scorecards() Scorecards { return Scorecards{ScorecardReader{tx.access()}} }

// StrategyReader reads the versions of the collections strategy.
type StrategyReader struct{ access }

// Strategies reads like StrategyReader, and adds versions.
type Strategies struct{ StrategyReader }

// Strategies returns the StrategyReader of the scope.
func (s *Scope) Strategies(ctx context.Context) StrategyReader { return StrategyReader{s.access(ctx)} }

// Strategies returns the Strategies of the transaction.
func (tx *Tx) Strategies() Strategies { return Strategies{StrategyReader{tx.access()}} }

// AlertReader reads fraud alerts, their history and their rings.
type AlertReader struct{ access }

// Alerts reads like AlertReader, and raises and moves alerts.
type Alerts struct{ AlertReader }

// Alerts returns the AlertReader of the scope.
func (s *Scope) Alerts(ctx context.Context) AlertReader { return AlertReader{s.access(ctx)} }

// Alerts returns the Alerts of the transaction.
func (tx *Tx) Alerts() Alerts { return Alerts{AlertReader{tx.access()}} }

// ObservationReader reads the fraud counters.
type ObservationReader struct{ access }

// Observations reads like ObservationReader, and records observations.
type Observations struct{ ObservationReader }

// Observations returns the ObservationReader of the scope.
func (s *Scope) Observations(ctx context.Context) ObservationReader {
	return ObservationReader{s.access(ctx)}
}

// Observations returns the Observations of the transaction.
func (tx *Tx) Observations() Observations { return Observations{ObservationReader{tx.access()}} }

// rings stores which people are connected by observations.
type rings struct{ tx *Tx }

func ringsOf(tx *Tx) rings { return rings{tx} }

// BlocklistReader reads the block list.
type BlocklistReader struct{ access }

// Blocklist reads like BlocklistReader, and adds and removes entries.
type Blocklist struct{ BlocklistReader }

// Blocklist returns the BlocklistReader of the scope.
func (s *Scope) Blocklist(ctx context.Context) BlocklistReader { return BlocklistReader{s.access(ctx)} }

// Blocklist returns the Blocklist of the transaction.
func (tx *Tx) Blocklist() Blocklist { return Blocklist{BlocklistReader{tx.access()}} }

// FraudConfigReader reads the fraud thresholds and the number of changes.
type FraudConfigReader struct{ access }

// FraudConfigs reads like FraudConfigReader, and replaces the thresholds.
type FraudConfigs struct{ FraudConfigReader }

// FraudConfigs returns the FraudConfigReader of the scope.
func (s *Scope) FraudConfigs(ctx context.Context) FraudConfigReader {
	return FraudConfigReader{s.access(ctx)}
}

// FraudConfigs returns the FraudConfigs of the transaction.
func (tx *Tx) FraudConfigs() FraudConfigs { return FraudConfigs{FraudConfigReader{tx.access()}} }

// PincodeRiskReader reads the risks that the tenant assigns to pincodes.
type PincodeRiskReader struct{ access }

// PincodeRisks reads like PincodeRiskReader, and changes the risks.
type PincodeRisks struct{ PincodeRiskReader }

// PincodeRisks returns the PincodeRiskReader of the scope.
func (s *Scope) PincodeRisks(ctx context.Context) PincodeRiskReader {
	return PincodeRiskReader{s.access(ctx)}
}

// PincodeRisks returns the PincodeRisks of the transaction.
func (tx *Tx) PincodeRisks() PincodeRisks { return PincodeRisks{PincodeRiskReader{tx.access()}} }

// BacktestReader reads backtests and their chunks.
type BacktestReader struct{ access }

// Backtests reads like BacktestReader, stores backtests and changes their state.
type Backtests struct{ BacktestReader }

// Backtests returns the BacktestReader of the scope.
func (s *Scope) Backtests(ctx context.Context) BacktestReader { return BacktestReader{s.access(ctx)} }

// Backtests returns the Backtests of the transaction.
func (tx *Tx) Backtests() Backtests { return Backtests{BacktestReader{tx.access()}} }

// AuditReader reads the audit log.
type AuditReader struct{ access }

// AuditLog reads like AuditReader, and adds entries.
type AuditLog struct{ AuditReader }

// Audit returns the AuditReader of the scope.
func (s *Scope) Audit(ctx context.Context) AuditReader { return AuditReader{s.access(ctx)} }

// Audit returns the AuditLog of the transaction.
func (tx *Tx) Audit() AuditLog { return AuditLog{AuditReader{tx.access()}} }
