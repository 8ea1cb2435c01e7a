package store

// SelectOutcomes and SelectSummaries are the statements that read OutcomesAtOnce decisions by their ids.
var SelectOutcomes, SelectSummaries = selectOutcomes, selectSummaries

const OutcomesAtOnce = outcomesAtOnce
