package store

// SelectOwn and SelectOpenExposures are the statements with which Own reads.
var (
	SelectOwn           = selectOwn
	SelectOpenExposures = selectOpenExposures
)
