// Package frauddesk is where a lender watches for fraud: the alerts that decisions
// raised and what was done about them, the rings that tie applicants together, the
// thresholds, the block list, and the lender's own word on pincodes. Observing and
// counting is part of deciding and not done here.
//
// The operations. Each checks what the caller may do first (Forbidden); besides the
// errors named here any may fail with one of storage.
//
//	Alerts, Alert, Ring
//	    alerts, and what ties the applicants of one: NotFound, invalid_cursor
//	MoveAlert
//	    acknowledges or closes an alert: NotFound, invalid_transition, Invalid
//	Config, ChangeConfig
//	    the thresholds: precondition_failed, Invalid with every fault
//	Blocklist, Block, Unblock
//	    entities that are blocked: cap_reached, NotFound, invalid_cursor, Invalid
//	PincodeRisks, PincodeRegions, SetPincodeRisks
//	    the lender's risk of pincodes: invalid_cursor, Invalid
//
// Signals gives decisioning what the blocks of a body are held against.
package frauddesk
