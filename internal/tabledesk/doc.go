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
//	Delete         policy:write  NotFound, precondition_failed, table_in_use
//
// For other use cases:
//
//	LookUp         adds the columns that a policy reads to the facts of an application: Conflict table_missing
//	Check          refuses tables that LookUp would refuse
//
// A version of a table consists of a database row that describes it and one document with all rows of the table.
// The document has at most table.MaxStored bytes. Both are stored in one transaction. Decisions search the
// document in memory.
package tabledesk
