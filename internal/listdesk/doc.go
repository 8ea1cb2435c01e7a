// Package listdesk contains the use cases of lists: the lender's own values, such as employers or pincodes, in which
// conditions look fields up (ADR 25).
//
// The operations, the scope that each requires, and their refusals besides insufficient_scope and unavailable:
//
//	Lists, List   read          NotFound
//	Contains      read          NotFound, Invalid
//	Entries       policy:write  NotFound, invalid_cursor
//	Replace       policy:write  Invalid with every fault, precondition_failed, cap_reached, request_too_large
//	Change        policy:write  NotFound, Invalid with every fault, precondition_failed, cap_reached,
//	                            request_too_large
//	Delete        policy:write  NotFound, precondition_failed, list_in_use
//
// For other use cases:
//
//	LookUp        looks up the fields of an application in the lists of a policy: Conflict list_missing
//	Check         checks that the lists of a policy exist and have the types of the fields: Conflict list_missing
//	Purge         removes chunks that no list names
//
// A version of a list consists of chunks that are never changed. A change writes its new chunks in small
// transactions, and then the row of the list. So a change is seen as a whole or not at all, and a large list does
// not delay the writes of others. Decisions search chunks in memory, which are loaded one by one when they are
// first needed.
package listdesk
