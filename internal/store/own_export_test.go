package store

// SelectOwn and the others are the statements with which Own reads.
var (
	SelectHas             = selectHas
	SelectOwn             = selectOwn
	SelectOwnOthers       = selectOwnOthers
	SelectOpenExposures   = selectOpenExposures
	SelectOthersExposures = selectOthersExposures
)
