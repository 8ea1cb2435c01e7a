// Package agentdesk keeps what the agents did and what they go by: the stored runs of all
// agents, and the strategy by which a tenant collects. The agents themselves are package
// agent; the run of the underwriting agent is stored with its decision, by decisioning.
//
// The operations. Each checks what the caller may do first (Forbidden); besides the
// errors named here any may fail with one of storage.
//
//	AgentRun, AgentRuns
//	    show stored runs: NotFound, invalid_cursor
//	KeepAgentRun
//	    stores a run that needs no decision, and bills it: quota_exceeded, and the
//	    errors of the work; the reply has the run's response as it was stored
//	Underwritten
//	    decides the decision of a stored run again
//	CollectionsStrategy, StrategyInForce, StrategyAt
//	    show how a tenant collects
//	ChangeCollectionsStrategy
//	    stores a new version: precondition_failed, Invalid
package agentdesk
