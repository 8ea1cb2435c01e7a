// Package tabledesk contains the use cases of tables: the lender's own grids, such as limits by pincode and income, in
// which the row of an application is looked up (ADR 28).
//
// The operations, the scope that each requires, and their refusals besides insufficient_scope and unavailable:
//
//	Tables, Table  read          NotFound
//	LookUpRow      read          NotFound, Invalid
//	Rows           policy:write  NotFound, invalid_cursor
//	Replace        policy:write  Invalid with every fault, precondition_failed, cap_reached, request_too_large,
//	                             table_in_use
//	Delete         policy:write  NotFound, table_in_use
//
// For other use cases:
//
//	LookUp         adds the columns that a policy reads to the facts of an application: Conflict table_missing
//	Check          refuses tables that LookUp would refuse
//
// A version of a table is its row and one document with all rows, of at most table.MaxStored bytes, which are stored
// in one transaction. Decisions search the document in memory.
package tabledesk
