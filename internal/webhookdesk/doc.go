// Package webhookdesk contains the use cases of webhooks: the addresses to which the events
// of a scope are sent, and sending them (ADR 24).
//
// The operations, the scope that each requires, and their refusals besides
// insufficient_scope and unavailable:
//
//	Create        webhooks:manage  Invalid with every fault, cap_reached
//	List, Get     webhooks:manage  NotFound
//	Change        webhooks:manage  NotFound, Invalid; also pauses and resumes
//	RotateSecret  webhooks:manage  NotFound, Invalid
//	Delete        webhooks:manage  NotFound
//	Test          webhooks:manage  NotFound; a failed delivery is a result, not an error
//	Deliveries    webhooks:manage  NotFound, invalid_cursor
//	Redeliver     webhooks:manage  NotFound, Invalid, cap_reached, events_expired
//
// The operator's work, for which no caller is checked:
//
//	Run           sends events until its context ends
//	Wake          makes Run look immediately for something to send
//	Purge         removes old attempts from the log
//	SealOlder     encrypts the secrets of webhooks from before the master key
//
// Deliver runs one pass for each webhook that has something to send. Only tests call it.
//
// An event is delivered if the receiver answers with a status from 200 to 299. There is no queue: the database
// row of each webhook has the sequence number of the last event that was handled. Events are sent in the order of
// their sequence numbers, several at the same time, but never two of the same object. An event that fails is
// moved to the webhook's retries, and later events of its object wait there behind it. If the retries are full,
// the webhook waits. If no attempt succeeds, only one event is tried after each pause, until the webhook is
// disabled.
package webhookdesk
