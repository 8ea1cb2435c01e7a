// Package frauddesk holds the operations with which a lender watches for fraud. They are about alerts and their
// history, rings of connected applicants, thresholds, the block list, and the lender's own risk table of pincodes.
// Decisions raise the alerts. The package does not record or count applicants: package decisioning does, while it
// decides.
//
// These are the operations. Each first checks the permissions of the caller (Forbidden).
// In addition to the errors named here, each can return an error of storage.
//
//	Alerts, Alert, Ring
//	    read alerts, and the graph of one alert's applicants: NotFound, invalid_cursor
//	MoveAlert
//	    acknowledges or closes an alert: NotFound, invalid_transition, Invalid
//	Config, ChangeConfig
//	    read and change the thresholds: precondition_failed, Invalid with every fault
//	Blocklist, Block, Unblock
//	    list, block and unblock entities: cap_reached, NotFound, invalid_cursor, Invalid
//	PincodeRisks, PincodeRegions, SetPincodeRisks
//	    read and change the lender's risk of pincodes: invalid_cursor, Invalid
//
// Signals returns the settings with which decisioning evaluates the fraud, device and
// location blocks of a request.
package frauddesk
