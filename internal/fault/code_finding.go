package fault

// Findings of the analysis of a policy. An activation in the live environment is refused until each finding that is
// an error is acknowledged. The items of the refusal have these codes.
const (
	CodeNeverFires             = "never_fires"
	CodeAlwaysFires            = "always_fires"
	CodeImpliedBy              = "implied_by"
	CodeDuplicateCondition     = "duplicate_condition"
	CodeContradictoryCondition = "contradictory_condition"
	CodeUnsuppliedFields       = "unsupplied_fields"
	CodeSilentForNTC           = "silent_for_ntc"
	CodeSilentWhenAbsent       = "silent_when_absent"
	CodeUnreachableGrade       = "unreachable_grade"
	CodeBetterScoreWorsePrice  = "better_score_worse_price"
	CodeNoNTCBand              = "no_ntc_band"
	CodeNonMonotoneBins        = "non_monotone_bins"
	CodeDeadAdjustment         = "dead_adjustment"
	CodeDeadBin                = "dead_bin"
	CodeNoApplicantMessage     = "no_applicant_message"
	CodeReasonCodeUntrue       = "reason_code_untrue"
	CodeUnitMismatch           = "unit_mismatch"
	CodeSemanticsOld           = "semantics_old"
	CodeAnalysisTruncated      = "analysis_truncated"
)

// Findings about pricing bands and limit caps.
const (
	CodeUnlendableBand        = "unlendable_band"
	CodeRunawayLastInstalment = "runaway_last_instalment"
	CodeScoresWithoutBand     = "scores_without_band"
	CodeNoFallbackBand        = "no_fallback_band"
	CodeShadowedBand          = "shadowed_band"
	CodeOverlappingBands      = "overlapping_bands"
	CodeChargesExceedLoan     = "charges_exceed_loan"
	CodeHighestScoreCounts    = "highest_score_counts"
	CodeUnlendableCap         = "unlendable_cap"
	CodeUnlendableExposure    = "unlendable_exposure"
	CodeNegativeCap           = "negative_cap"
	CodeCapNeedsField         = "cap_needs_field"
)

// Findings about entries of the base that a version no longer has.
const (
	CodeRulesRemoved      = "rules_removed"
	CodeBandsRemoved      = "bands_removed"
	CodeFactorsRemoved    = "factors_removed"
	CodeSourcesRemoved    = "sources_removed"
	CodeGuaranteesRemoved = "guarantees_removed"
)

// CodeGuaranteeUndecided is the finding about a guarantee that is neither proved nor refuted. The finding about a
// refuted guarantee has the code of the refusal, CodeGuaranteeViolated.
const CodeGuaranteeUndecided = "guarantee_undecided"
