package store

// SelectOwn and the others are the statements with which Own reads.
var (
	SelectHas             = selectHas
	SelectOwn             = selectOwn
	SelectOwnOthers       = selectOwnOthers
	SelectOlderOffers     = selectOlderOffers
	SelectOlderOthers     = selectOlderOthers
	SelectOpenExposures   = selectOpenExposures
	SelectOthersExposures = selectOthersExposures
)
