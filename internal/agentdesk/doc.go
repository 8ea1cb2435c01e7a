// Package agentdesk reads the stored runs of all agents, stores runs that need no
// decision, and stores the collections strategy of each tenant. The agents themselves are
// in package agent. Package decisioning stores the runs of the underwriting agent, each in
// the transaction of its decision.
//
// These are the operations. Each first checks the permissions of the caller (Forbidden).
// In addition to the errors named here, each can return an error of storage.
//
//	AgentRun, AgentRuns
//	    read stored runs: NotFound, invalid_cursor; AgentRun also erased
//	KeepAgentRun
//	    stores and bills a run that needs no decision: quota_exceeded, and the
//	    errors of the run itself; the reply has the run's response as it was stored
//	Underwritten
//	    repeats the decision of a stored run
//	CollectionsStrategy, StrategyInForce, StrategyAt
//	    read the collections strategy
//	ChangeCollectionsStrategy
//	    stores a new version: precondition_failed, Invalid, cap_reached
//
// The operator's work takes no caller:
//
//	SealOlder
//	    encrypts the documents of runs from before the master key
package agentdesk
