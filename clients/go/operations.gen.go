// Code generated from api/openapi.yaml by clients/generate. DO NOT EDIT.

package verdict

import (
	"context"
	"io"

	"verdict/clients/go/api"
)

// SignUp is the operation "Create a tenant, its first user and its first key": POST /api/signup.
func (c *Client) SignUp(ctx context.Context, body api.SignUpJSONRequestBody) (*api.SignupAnswer, error) {
	return call[api.SignupAnswer](ctx, c, "POST", "/api/signup", nil, jsonBody(body))
}

// GetHealth is the operation "Check liveness and readiness, and get the version": GET /v1/health.
func (c *Client) GetHealth(ctx context.Context) (*api.Health, error) {
	return call[api.Health](ctx, c, "GET", "/v1/health", nil, noBody)
}

// EvaluateReport is the operation "Evaluate a bureau report": POST /v1/evaluate.
func (c *Client) EvaluateReport(ctx context.Context, params *api.EvaluateReportParams, body api.EvaluateReportJSONRequestBody) (*api.Decision, error) {
	return call[api.Decision](ctx, c, "POST", "/v1/evaluate", params, jsonBody(body))
}

// EvaluateReports is the operation "Evaluate many bureau reports": POST /v1/evaluate/batch.
func (c *Client) EvaluateReports(ctx context.Context, params *api.EvaluateReportsParams, body api.EvaluateReportsJSONRequestBody) (*api.BatchResults, error) {
	return call[api.BatchResults](ctx, c, "POST", "/v1/evaluate/batch", params, jsonBody(body))
}

// EvaluateReportsFrom is the operation "Evaluate many bureau reports" with a body of another content type: POST /v1/evaluate/batch.
func (c *Client) EvaluateReportsFrom(ctx context.Context, params *api.EvaluateReportsParams, contentType string, body io.Reader) (*api.BatchResults, error) {
	return call[api.BatchResults](ctx, c, "POST", "/v1/evaluate/batch", params, stream(contentType, body))
}

// CreateDecision is the operation "Decide an application": POST /v1/decisions.
func (c *Client) CreateDecision(ctx context.Context, params *api.CreateDecisionParams, body api.CreateDecisionJSONRequestBody) (*api.Decision, error) {
	return call[api.Decision](ctx, c, "POST", "/v1/decisions", params, jsonBody(body))
}

// ListDecisionsAnswer is the answer of ListDecisions.
type ListDecisionsAnswer struct {
	Data       []api.DecisionItem `json:"data"`
	Pagination api.Pagination     `json:"pagination"`
}

// ListDecisions is the operation "List decisions": GET /v1/decisions.
func (c *Client) ListDecisions(ctx context.Context, params *api.ListDecisionsParams) (*ListDecisionsAnswer, error) {
	return call[ListDecisionsAnswer](ctx, c, "GET", "/v1/decisions", params, noBody)
}

// GetDecision is the operation "Fetch a decision and explain it again": GET /v1/decisions/{id}.
func (c *Client) GetDecision(ctx context.Context, id string, params *api.GetDecisionParams) (*api.StoredDecision, error) {
	return call[api.StoredDecision](ctx, c, "GET", pathOf("/v1/decisions/%s", id), params, noBody)
}

// ListFeatures is the operation "Read the features of a decision": GET /v1/decisions/{id}/features.
func (c *Client) ListFeatures(ctx context.Context, id string, params *api.ListFeaturesParams) (*api.FeaturePage, error) {
	return call[api.FeaturePage](ctx, c, "GET", pathOf("/v1/decisions/%s/features", id), params, noBody)
}

// GetProof is the operation "Prove that a decision is in the log": GET /v1/decisions/{id}/proof.
func (c *Client) GetProof(ctx context.Context, id string) (*[]byte, error) {
	return call[[]byte](ctx, c, "GET", pathOf("/v1/decisions/%s/proof", id), nil, noBody)
}

// GetCapsule is the operation "Get a decision with all its evidence": GET /v1/decisions/{id}/capsule.
func (c *Client) GetCapsule(ctx context.Context, id string) (*api.Capsule, error) {
	return call[api.Capsule](ctx, c, "GET", pathOf("/v1/decisions/%s/capsule", id), nil, noBody)
}

// ReplaceLenderProfile is the operation "Store the lender profile that documents use": PUT /v1/lender-profile.
func (c *Client) ReplaceLenderProfile(ctx context.Context, params *api.ReplaceLenderProfileParams, body api.ReplaceLenderProfileJSONRequestBody) (*api.LenderProfile, error) {
	return call[api.LenderProfile](ctx, c, "PUT", "/v1/lender-profile", params, jsonBody(body))
}

// GetLenderProfile is the operation "Read the lender profile that documents use": GET /v1/lender-profile.
func (c *Client) GetLenderProfile(ctx context.Context, params *api.GetLenderProfileParams) (*api.LenderProfile, error) {
	return call[api.LenderProfile](ctx, c, "GET", "/v1/lender-profile", params, noBody)
}

// GetKeyFactsStatement is the operation "Get the key facts statement of an offer": GET /v1/decisions/{id}/kfs.
func (c *Client) GetKeyFactsStatement(ctx context.Context, id string, params *api.GetKeyFactsStatementParams) (*api.KeyFactsStatement, error) {
	return call[api.KeyFactsStatement](ctx, c, "GET", pathOf("/v1/decisions/%s/kfs", id), params, noBody)
}

// GetLetter is the operation "Get the letter about a decline or a counter-offer": GET /v1/decisions/{id}/letter.
func (c *Client) GetLetter(ctx context.Context, id string, params *api.GetLetterParams) (*api.Letter, error) {
	return call[api.Letter](ctx, c, "GET", pathOf("/v1/decisions/%s/letter", id), params, noBody)
}

// ReviewDecision is the operation "Record a person's review of a decision": POST /v1/decisions/{id}/review.
func (c *Client) ReviewDecision(ctx context.Context, id string, params *api.ReviewDecisionParams, body api.ReviewDecisionJSONRequestBody) (*api.Review, error) {
	return call[api.Review](ctx, c, "POST", pathOf("/v1/decisions/%s/review", id), params, jsonBody(body))
}

// CheckEligibility is the operation "Run only the Stage 1 knockouts": POST /v1/eligibility.
func (c *Client) CheckEligibility(ctx context.Context, params *api.CheckEligibilityParams, body api.CheckEligibilityJSONRequestBody) (*api.Eligibility, error) {
	return call[api.Eligibility](ctx, c, "POST", "/v1/eligibility", params, jsonBody(body))
}

// CreateRuleSet is the operation "Create a draft": POST /v1/rule-sets.
func (c *Client) CreateRuleSet(ctx context.Context, params *api.CreateRuleSetParams, body api.CreateRuleSetJSONRequestBody) (*api.RuleSet, error) {
	return call[api.RuleSet](ctx, c, "POST", "/v1/rule-sets", params, jsonBody(body))
}

// ListRuleSetsAnswer is the answer of ListRuleSets.
type ListRuleSetsAnswer struct {
	Data       []api.RuleSet  `json:"data"`
	Pagination api.Pagination `json:"pagination"`
}

// ListRuleSets is the operation "List the versions of all policies": GET /v1/rule-sets.
func (c *Client) ListRuleSets(ctx context.Context, params *api.ListRuleSetsParams) (*ListRuleSetsAnswer, error) {
	return call[ListRuleSetsAnswer](ctx, c, "GET", "/v1/rule-sets", params, noBody)
}

// GetRuleSet is the operation "Fetch one version with its findings": GET /v1/rule-sets/{id}.
func (c *Client) GetRuleSet(ctx context.Context, id string) (*api.RuleSet, error) {
	return call[api.RuleSet](ctx, c, "GET", pathOf("/v1/rule-sets/%s", id), nil, noBody)
}

// DeleteRuleSet is the operation "Delete a draft": DELETE /v1/rule-sets/{id}.
func (c *Client) DeleteRuleSet(ctx context.Context, id string) error {
	_, err := call[nothing](ctx, c, "DELETE", pathOf("/v1/rule-sets/%s", id), nil, noBody)
	return err
}

// CreateDecisions is the operation "Decide many applications": POST /v1/decisions/batch.
func (c *Client) CreateDecisions(ctx context.Context, params *api.CreateDecisionsParams, body api.CreateDecisionsJSONRequestBody) (*api.BatchResults, error) {
	return call[api.BatchResults](ctx, c, "POST", "/v1/decisions/batch", params, jsonBody(body))
}

// CreateDecisionsFrom is the operation "Decide many applications" with a body of another content type: POST /v1/decisions/batch.
func (c *Client) CreateDecisionsFrom(ctx context.Context, params *api.CreateDecisionsParams, contentType string, body io.Reader) (*api.BatchResults, error) {
	return call[api.BatchResults](ctx, c, "POST", "/v1/decisions/batch", params, stream(contentType, body))
}

// ListBatchesAnswer is the answer of ListBatches.
type ListBatchesAnswer struct {
	Data       []api.Batch    `json:"data"`
	Pagination api.Pagination `json:"pagination"`
}

// ListBatches is the operation "List the batches that run as jobs": GET /v1/batches.
func (c *Client) ListBatches(ctx context.Context, params *api.ListBatchesParams) (*ListBatchesAnswer, error) {
	return call[ListBatchesAnswer](ctx, c, "GET", "/v1/batches", params, noBody)
}

// GetBatch is the operation "Get the progress of a batch": GET /v1/batches/{id}.
func (c *Client) GetBatch(ctx context.Context, id string) (*api.Batch, error) {
	return call[api.Batch](ctx, c, "GET", pathOf("/v1/batches/%s", id), nil, noBody)
}

// DeleteBatch is the operation "Delete a batch that is over": DELETE /v1/batches/{id}.
func (c *Client) DeleteBatch(ctx context.Context, id string) error {
	_, err := call[nothing](ctx, c, "DELETE", pathOf("/v1/batches/%s", id), nil, noBody)
	return err
}

// CancelBatch is the operation "Cancel a batch": POST /v1/batches/{id}/cancel.
func (c *Client) CancelBatch(ctx context.Context, id string, params *api.CancelBatchParams) (*api.Batch, error) {
	return call[api.Batch](ctx, c, "POST", pathOf("/v1/batches/%s/cancel", id), params, noBody)
}

// GetBatchResults is the operation "Download the results of a batch": GET /v1/batches/{id}/results.
func (c *Client) GetBatchResults(ctx context.Context, id string, params *api.GetBatchResultsParams) (*[]byte, error) {
	return call[[]byte](ctx, c, "GET", pathOf("/v1/batches/%s/results", id), params, noBody)
}

// PreviewDecisionAnswer is the answer of PreviewDecision.
type PreviewDecisionAnswer any

// PreviewDecision is the operation "Ask \"what if\" without storing anything": POST /v1/decisions/preview.
func (c *Client) PreviewDecision(ctx context.Context, params *api.PreviewDecisionParams, body api.PreviewDecisionJSONRequestBody) (*PreviewDecisionAnswer, error) {
	return call[PreviewDecisionAnswer](ctx, c, "POST", "/v1/decisions/preview", params, jsonBody(body))
}

// DiffRuleSet is the operation "Compare two versions for all possible applicants": POST /v1/rule-sets/{id}/diff.
func (c *Client) DiffRuleSet(ctx context.Context, id string, body api.DiffRuleSetJSONRequestBody) (*api.PolicyDifference, error) {
	return call[api.PolicyDifference](ctx, c, "POST", pathOf("/v1/rule-sets/%s/diff", id), nil, jsonBody(body))
}

// ActivateRuleSet is the operation "Activate a version": POST /v1/rule-sets/{id}/activate.
func (c *Client) ActivateRuleSet(ctx context.Context, id string, params *api.ActivateRuleSetParams, body api.ActivateRuleSetJSONRequestBody) (*api.RuleSet, error) {
	return call[api.RuleSet](ctx, c, "POST", pathOf("/v1/rule-sets/%s/activate", id), params, jsonBody(body))
}

// ListPoliciesAnswer is the answer of ListPolicies.
type ListPoliciesAnswer struct {
	Data       []api.PolicyView `json:"data"`
	Pagination api.Pagination   `json:"pagination"`
}

// ListPolicies is the operation "Read the active policies and the drafts": GET /v1/policies.
func (c *Client) ListPolicies(ctx context.Context, params *api.ListPoliciesParams) (*ListPoliciesAnswer, error) {
	return call[ListPoliciesAnswer](ctx, c, "GET", "/v1/policies", params, noBody)
}

// ReplaceList is the operation "Replace or create a list": PUT /v1/lists/{name}.
func (c *Client) ReplaceList(ctx context.Context, name string, params *api.ReplaceListParams, body api.ReplaceListJSONRequestBody) (*api.ReplacedList, error) {
	return call[api.ReplacedList](ctx, c, "PUT", pathOf("/v1/lists/%s", name), params, jsonBody(body))
}

// ReplaceListFrom is the operation "Replace or create a list" with a body of another content type: PUT /v1/lists/{name}.
func (c *Client) ReplaceListFrom(ctx context.Context, name string, params *api.ReplaceListParams, contentType string, body io.Reader) (*api.ReplacedList, error) {
	return call[api.ReplacedList](ctx, c, "PUT", pathOf("/v1/lists/%s", name), params, stream(contentType, body))
}

// GetList is the operation "Read a list": GET /v1/lists/{name}.
func (c *Client) GetList(ctx context.Context, name string) (*api.List, error) {
	return call[api.List](ctx, c, "GET", pathOf("/v1/lists/%s", name), nil, noBody)
}

// ChangeList is the operation "Add and remove entries": PATCH /v1/lists/{name}.
func (c *Client) ChangeList(ctx context.Context, name string, params *api.ChangeListParams, body api.ChangeListJSONRequestBody) (*api.ChangedList, error) {
	return call[api.ChangedList](ctx, c, "PATCH", pathOf("/v1/lists/%s", name), params, jsonBody(body))
}

// DeleteList is the operation "Delete a list": DELETE /v1/lists/{name}.
func (c *Client) DeleteList(ctx context.Context, name string, params *api.DeleteListParams) error {
	_, err := call[nothing](ctx, c, "DELETE", pathOf("/v1/lists/%s", name), params, noBody)
	return err
}

// ListListEntries is the operation "Read the entries of a list": GET /v1/lists/{name}/entries.
func (c *Client) ListListEntries(ctx context.Context, name string, params *api.ListListEntriesParams) (*api.ListEntries, error) {
	return call[api.ListEntries](ctx, c, "GET", pathOf("/v1/lists/%s/entries", name), params, noBody)
}

// ListContains is the operation "Look up a value in a list": GET /v1/lists/{name}/contains.
func (c *Client) ListContains(ctx context.Context, name string, params *api.ListContainsParams) (*api.ListMembership, error) {
	return call[api.ListMembership](ctx, c, "GET", pathOf("/v1/lists/%s/contains", name), params, noBody)
}

// LookUpListValue is the operation "Look up a value from the body in a list": POST /v1/lists/{name}/lookup.
func (c *Client) LookUpListValue(ctx context.Context, name string, body api.LookUpListValueJSONRequestBody) (*api.ListMembership, error) {
	return call[api.ListMembership](ctx, c, "POST", pathOf("/v1/lists/%s/lookup", name), nil, jsonBody(body))
}

// ListListsAnswer is the answer of ListLists.
type ListListsAnswer struct {
	Data []api.List `json:"data"`
}

// ListLists is the operation "List the lists": GET /v1/lists.
func (c *Client) ListLists(ctx context.Context) (*ListListsAnswer, error) {
	return call[ListListsAnswer](ctx, c, "GET", "/v1/lists", nil, noBody)
}

// ReplaceTable is the operation "Replace or create a table": PUT /v1/tables/{name}.
func (c *Client) ReplaceTable(ctx context.Context, name string, params *api.ReplaceTableParams, body api.ReplaceTableJSONRequestBody) (*api.ReplacedTable, error) {
	return call[api.ReplacedTable](ctx, c, "PUT", pathOf("/v1/tables/%s", name), params, jsonBody(body))
}

// ReplaceTableFrom is the operation "Replace or create a table" with a body of another content type: PUT /v1/tables/{name}.
func (c *Client) ReplaceTableFrom(ctx context.Context, name string, params *api.ReplaceTableParams, contentType string, body io.Reader) (*api.ReplacedTable, error) {
	return call[api.ReplacedTable](ctx, c, "PUT", pathOf("/v1/tables/%s", name), params, stream(contentType, body))
}

// GetTable is the operation "Read a table": GET /v1/tables/{name}.
func (c *Client) GetTable(ctx context.Context, name string) (*api.Table, error) {
	return call[api.Table](ctx, c, "GET", pathOf("/v1/tables/%s", name), nil, noBody)
}

// DeleteTable is the operation "Delete a table": DELETE /v1/tables/{name}.
func (c *Client) DeleteTable(ctx context.Context, name string, params *api.DeleteTableParams) error {
	_, err := call[nothing](ctx, c, "DELETE", pathOf("/v1/tables/%s", name), params, noBody)
	return err
}

// ListTableRows is the operation "Read the rows of a table": GET /v1/tables/{name}/rows.
func (c *Client) ListTableRows(ctx context.Context, name string, params *api.ListTableRowsParams) (*api.TableRows, error) {
	return call[api.TableRows](ctx, c, "GET", pathOf("/v1/tables/%s/rows", name), params, noBody)
}

// LookUpTableRow is the operation "Look up a row of a table by key values": GET /v1/tables/{name}/lookup.
func (c *Client) LookUpTableRow(ctx context.Context, name string, params *api.LookUpTableRowParams) (*api.TableLookup, error) {
	return call[api.TableLookup](ctx, c, "GET", pathOf("/v1/tables/%s/lookup", name), params, noBody)
}

// LookUpTableRowOfBody is the operation "Look up a row of a table by key values in the body": POST /v1/tables/{name}/lookup.
func (c *Client) LookUpTableRowOfBody(ctx context.Context, name string, body api.LookUpTableRowOfBodyJSONRequestBody) (*api.TableLookup, error) {
	return call[api.TableLookup](ctx, c, "POST", pathOf("/v1/tables/%s/lookup", name), nil, jsonBody(body))
}

// ListTablesAnswer is the answer of ListTables.
type ListTablesAnswer struct {
	Data []api.Table `json:"data"`
}

// ListTables is the operation "List the tables": GET /v1/tables.
func (c *Client) ListTables(ctx context.Context) (*ListTablesAnswer, error) {
	return call[ListTablesAnswer](ctx, c, "GET", "/v1/tables", nil, noBody)
}

// CreateOrScoreScorecardAnswer is the answer of CreateOrScoreScorecard.
type CreateOrScoreScorecardAnswer any

// CreateOrScoreScorecard is the operation "Create a scorecard, or score with one": POST /v1/scorecards.
func (c *Client) CreateOrScoreScorecard(ctx context.Context, params *api.CreateOrScoreScorecardParams, body api.CreateOrScoreScorecardJSONRequestBody) (*CreateOrScoreScorecardAnswer, error) {
	return call[CreateOrScoreScorecardAnswer](ctx, c, "POST", "/v1/scorecards", params, jsonBody(body))
}

// ListScorecardsAnswer is the answer of ListScorecards.
type ListScorecardsAnswer struct {
	Data       []api.StoredScorecard `json:"data"`
	Pagination api.Pagination        `json:"pagination"`
}

// ListScorecards is the operation "List scorecards": GET /v1/scorecards.
func (c *Client) ListScorecards(ctx context.Context, params *api.ListScorecardsParams) (*ListScorecardsAnswer, error) {
	return call[ListScorecardsAnswer](ctx, c, "GET", "/v1/scorecards", params, noBody)
}

// FitScorecard is the operation "Fit a scorecard to data": POST /v1/scorecards/fit.
func (c *Client) FitScorecard(ctx context.Context, params *api.FitScorecardParams, body api.FitScorecardJSONRequestBody) (*api.Fit, error) {
	return call[api.Fit](ctx, c, "POST", "/v1/scorecards/fit", params, jsonBody(body))
}

// ListAlertsAnswer is the answer of ListAlerts.
type ListAlertsAnswer struct {
	Data       []api.Alert    `json:"data"`
	Pagination api.Pagination `json:"pagination"`
}

// ListAlerts is the operation "List fraud alerts": GET /v1/fraud/alerts.
func (c *Client) ListAlerts(ctx context.Context, params *api.ListAlertsParams) (*ListAlertsAnswer, error) {
	return call[ListAlertsAnswer](ctx, c, "GET", "/v1/fraud/alerts", params, noBody)
}

// GetAlert is the operation "Fetch an alert with its history": GET /v1/fraud/alerts/{id}.
func (c *Client) GetAlert(ctx context.Context, id string) (*api.AlertWithHistory, error) {
	return call[api.AlertWithHistory](ctx, c, "GET", pathOf("/v1/fraud/alerts/%s", id), nil, noBody)
}

// MoveAlert is the operation "Acknowledge or close an alert": PATCH /v1/fraud/alerts/{id}.
func (c *Client) MoveAlert(ctx context.Context, id string, body api.MoveAlertJSONRequestBody) (*api.Alert, error) {
	return call[api.Alert](ctx, c, "PATCH", pathOf("/v1/fraud/alerts/%s", id), nil, jsonBody(body))
}

// GetAlertRing is the operation "Fetch the ring of an alert as a graph": GET /v1/fraud/alerts/{id}/ring.
func (c *Client) GetAlertRing(ctx context.Context, id string) (*api.Ring, error) {
	return call[api.Ring](ctx, c, "GET", pathOf("/v1/fraud/alerts/%s/ring", id), nil, noBody)
}

// ListBlockedAnswer is the answer of ListBlocked.
type ListBlockedAnswer struct {
	Data       []api.BlockedEntity `json:"data"`
	Pagination api.Pagination      `json:"pagination"`
}

// ListBlocked is the operation "List the blocked entities": GET /v1/fraud/blocklist.
func (c *Client) ListBlocked(ctx context.Context, params *api.ListBlockedParams) (*ListBlockedAnswer, error) {
	return call[ListBlockedAnswer](ctx, c, "GET", "/v1/fraud/blocklist", params, noBody)
}

// Block is the operation "Add an entity to the block list": POST /v1/fraud/blocklist.
func (c *Client) Block(ctx context.Context, params *api.BlockParams, body api.BlockJSONRequestBody) (*api.BlockedEntity, error) {
	return call[api.BlockedEntity](ctx, c, "POST", "/v1/fraud/blocklist", params, jsonBody(body))
}

// Unblock is the operation "Remove an entity from the block list": DELETE /v1/fraud/blocklist.
func (c *Client) Unblock(ctx context.Context, params *api.UnblockParams) error {
	_, err := call[nothing](ctx, c, "DELETE", "/v1/fraud/blocklist", params, noBody)
	return err
}

// GetFraudConfig is the operation "Read the thresholds of fraud, device and location": GET /v1/fraud/config.
func (c *Client) GetFraudConfig(ctx context.Context) (*api.FraudConfig, error) {
	return call[api.FraudConfig](ctx, c, "GET", "/v1/fraud/config", nil, noBody)
}

// ChangeFraudConfig is the operation "Change thresholds": PUT /v1/fraud/config.
func (c *Client) ChangeFraudConfig(ctx context.Context, params *api.ChangeFraudConfigParams, body api.ChangeFraudConfigJSONRequestBody) (*api.FraudConfig, error) {
	return call[api.FraudConfig](ctx, c, "PUT", "/v1/fraud/config", params, jsonBody(body))
}

// SetPincodeRiskAnswer is the answer of SetPincodeRisk.
type SetPincodeRiskAnswer struct {
	Data        []api.PincodeRisk `json:"data"`
	DefaultRisk api.Risk          `json:"default_risk"`
}

// SetPincodeRisk is the operation "Set the risk of pincodes": PUT /v1/fraud/pincode-risk.
func (c *Client) SetPincodeRisk(ctx context.Context, body api.SetPincodeRiskJSONRequestBody) (*SetPincodeRiskAnswer, error) {
	return call[SetPincodeRiskAnswer](ctx, c, "PUT", "/v1/fraud/pincode-risk", nil, jsonBody(body))
}

// ListPincodeRiskAnswer is the answer of ListPincodeRisk.
type ListPincodeRiskAnswer struct {
	Data        []api.PincodeRisk `json:"data"`
	DefaultRisk api.Risk          `json:"default_risk"`
	Pagination  api.Pagination    `json:"pagination"`
}

// ListPincodeRisk is the operation "List the risk of pincodes": GET /v1/fraud/pincode-risk.
func (c *Client) ListPincodeRisk(ctx context.Context, params *api.ListPincodeRiskParams) (*ListPincodeRiskAnswer, error) {
	return call[ListPincodeRiskAnswer](ctx, c, "GET", "/v1/fraud/pincode-risk", params, noBody)
}

// RunBacktest is the operation "Run a policy over past applications": POST /v1/backtest.
func (c *Client) RunBacktest(ctx context.Context, params *api.RunBacktestParams, body api.RunBacktestJSONRequestBody) (*api.BacktestReport, error) {
	return call[api.BacktestReport](ctx, c, "POST", "/v1/backtest", params, jsonBody(body))
}

// RunBacktestFrom is the operation "Run a policy over past applications" with a body of another content type: POST /v1/backtest.
func (c *Client) RunBacktestFrom(ctx context.Context, params *api.RunBacktestParams, contentType string, body io.Reader) (*api.BacktestReport, error) {
	return call[api.BacktestReport](ctx, c, "POST", "/v1/backtest", params, stream(contentType, body))
}

// ListBacktestsAnswer is the answer of ListBacktests.
type ListBacktestsAnswer struct {
	Data       []api.BacktestItem `json:"data"`
	Pagination api.Pagination     `json:"pagination"`
}

// ListBacktests is the operation "List backtests": GET /v1/backtest.
func (c *Client) ListBacktests(ctx context.Context, params *api.ListBacktestsParams) (*ListBacktestsAnswer, error) {
	return call[ListBacktestsAnswer](ctx, c, "GET", "/v1/backtest", params, noBody)
}

// GetBacktest is the operation "Get the progress of a backtest, and its report": GET /v1/backtest/{id}.
func (c *Client) GetBacktest(ctx context.Context, id string) (*api.BacktestRun, error) {
	return call[api.BacktestRun](ctx, c, "GET", pathOf("/v1/backtest/%s", id), nil, noBody)
}

// CancelBacktest is the operation "Cancel a backtest": POST /v1/backtest/{id}/cancel.
func (c *Client) CancelBacktest(ctx context.Context, id string, params *api.CancelBacktestParams) (*api.BacktestRun, error) {
	return call[api.BacktestRun](ctx, c, "POST", pathOf("/v1/backtest/%s/cancel", id), params, noBody)
}

// GetBacktestRows is the operation "Download the decision of each row": GET /v1/backtest/{id}/rows.
func (c *Client) GetBacktestRows(ctx context.Context, id string, params *api.GetBacktestRowsParams) (*[]byte, error) {
	return call[[]byte](ctx, c, "GET", pathOf("/v1/backtest/%s/rows", id), params, noBody)
}

// GetBacktestReport is the operation "Download the report as an HTML page": GET /v1/backtest/{id}/report.
func (c *Client) GetBacktestReport(ctx context.Context, id string) (*[]byte, error) {
	return call[[]byte](ctx, c, "GET", pathOf("/v1/backtest/%s/report", id), nil, noBody)
}

// RunSyntheticBacktest is the operation "Run a policy over a synthetic book": GET /v1/credit/backtest.
func (c *Client) RunSyntheticBacktest(ctx context.Context, params *api.RunSyntheticBacktestParams) (*api.BacktestReport, error) {
	return call[api.BacktestReport](ctx, c, "GET", "/v1/credit/backtest", params, noBody)
}

// Underwrite is the operation "Underwrite an application": POST /v1/agents/underwrite.
func (c *Client) Underwrite(ctx context.Context, params *api.UnderwriteParams, body api.UnderwriteJSONRequestBody) (*api.UnderwritingRun, error) {
	return call[api.UnderwritingRun](ctx, c, "POST", "/v1/agents/underwrite", params, jsonBody(body))
}

// Collect is the operation "Advise on a loan in arrears": POST /v1/agents/collections.
func (c *Client) Collect(ctx context.Context, params *api.CollectParams, body api.CollectJSONRequestBody) (*api.CollectionsRun, error) {
	return call[api.CollectionsRun](ctx, c, "POST", "/v1/agents/collections", params, jsonBody(body))
}

// GetCollectionsStrategy is the operation "Read the collections strategy": GET /v1/agents/collections/strategy.
func (c *Client) GetCollectionsStrategy(ctx context.Context) (*api.CollectionsStrategy, error) {
	return call[api.CollectionsStrategy](ctx, c, "GET", "/v1/agents/collections/strategy", nil, noBody)
}

// ChangeCollectionsStrategy is the operation "Change the collections strategy": PUT /v1/agents/collections/strategy.
func (c *Client) ChangeCollectionsStrategy(ctx context.Context, params *api.ChangeCollectionsStrategyParams, body api.ChangeCollectionsStrategyJSONRequestBody) (*api.CollectionsStrategy, error) {
	return call[api.CollectionsStrategy](ctx, c, "PUT", "/v1/agents/collections/strategy", params, jsonBody(body))
}

// ListAgentRunsAnswer is the answer of ListAgentRuns.
type ListAgentRunsAnswer struct {
	Data       []api.AgentRunItem `json:"data"`
	Pagination api.Pagination     `json:"pagination"`
}

// ListAgentRuns is the operation "List runs": GET /v1/agents/runs.
func (c *Client) ListAgentRuns(ctx context.Context, params *api.ListAgentRunsParams) (*ListAgentRunsAnswer, error) {
	return call[ListAgentRunsAnswer](ctx, c, "GET", "/v1/agents/runs", params, noBody)
}

// GetAgentRunAnswer is the answer of GetAgentRun.
type GetAgentRunAnswer any

// GetAgentRun is the operation "Read a run and repeat it": GET /v1/agents/runs/{id}.
func (c *Client) GetAgentRun(ctx context.Context, id string) (*GetAgentRunAnswer, error) {
	return call[GetAgentRunAnswer](ctx, c, "GET", pathOf("/v1/agents/runs/%s", id), nil, noBody)
}

// ListEvents is the operation "Read the events in order": GET /v1/events.
func (c *Client) ListEvents(ctx context.Context, params *api.ListEventsParams) (*api.EventFeed, error) {
	return call[api.EventFeed](ctx, c, "GET", "/v1/events", params, noBody)
}

// CreateWebhook is the operation "Create a webhook": POST /v1/webhooks.
func (c *Client) CreateWebhook(ctx context.Context, params *api.CreateWebhookParams, body api.CreateWebhookJSONRequestBody) (*api.WebhookSecret, error) {
	return call[api.WebhookSecret](ctx, c, "POST", "/v1/webhooks", params, jsonBody(body))
}

// ListWebhooks is the operation "List webhooks": GET /v1/webhooks.
func (c *Client) ListWebhooks(ctx context.Context) (*api.WebhookList, error) {
	return call[api.WebhookList](ctx, c, "GET", "/v1/webhooks", nil, noBody)
}

// TestWebhook is the operation "Send a test event": POST /v1/webhooks/{id}/test.
func (c *Client) TestWebhook(ctx context.Context, id string, params *api.TestWebhookParams) (*api.WebhookDelivery, error) {
	return call[api.WebhookDelivery](ctx, c, "POST", pathOf("/v1/webhooks/%s/test", id), params, noBody)
}

// ListWebhookDeliveries is the operation "List attempts to deliver events": GET /v1/webhooks/{id}/deliveries.
func (c *Client) ListWebhookDeliveries(ctx context.Context, id string, params *api.ListWebhookDeliveriesParams) (*api.WebhookDeliveries, error) {
	return call[api.WebhookDeliveries](ctx, c, "GET", pathOf("/v1/webhooks/%s/deliveries", id), params, noBody)
}

// RedeliverEvents is the operation "Send events again": POST /v1/webhooks/{id}/redeliver.
func (c *Client) RedeliverEvents(ctx context.Context, id string, params *api.RedeliverEventsParams, body api.RedeliverEventsJSONRequestBody) error {
	_, err := call[nothing](ctx, c, "POST", pathOf("/v1/webhooks/%s/redeliver", id), params, jsonBody(body))
	return err
}

// RotateWebhookSecret is the operation "Replace the secret of a webhook": POST /v1/webhooks/{id}/secret.
func (c *Client) RotateWebhookSecret(ctx context.Context, id string, params *api.RotateWebhookSecretParams, body api.RotateWebhookSecretJSONRequestBody) (*api.WebhookSecret, error) {
	return call[api.WebhookSecret](ctx, c, "POST", pathOf("/v1/webhooks/%s/secret", id), params, jsonBody(body))
}

// GetWebhook is the operation "Read a webhook": GET /v1/webhooks/{id}.
func (c *Client) GetWebhook(ctx context.Context, id string) (*api.Webhook, error) {
	return call[api.Webhook](ctx, c, "GET", pathOf("/v1/webhooks/%s", id), nil, noBody)
}

// ChangeWebhook is the operation "Change, pause or resume a webhook": PATCH /v1/webhooks/{id}.
func (c *Client) ChangeWebhook(ctx context.Context, id string, body api.ChangeWebhookJSONRequestBody) (*api.Webhook, error) {
	return call[api.Webhook](ctx, c, "PATCH", pathOf("/v1/webhooks/%s", id), nil, jsonBody(body))
}

// DeleteWebhook is the operation "Delete a webhook": DELETE /v1/webhooks/{id}.
func (c *Client) DeleteWebhook(ctx context.Context, id string) error {
	_, err := call[nothing](ctx, c, "DELETE", pathOf("/v1/webhooks/%s", id), nil, noBody)
	return err
}

// GetLogKey is the operation "Read the public key of the log": GET /v1/log/key.
func (c *Client) GetLogKey(ctx context.Context) (*[]byte, error) {
	return call[[]byte](ctx, c, "GET", "/v1/log/key", nil, noBody)
}

// GetCheckpoint is the operation "Read the last signed checkpoint": GET /v1/log/checkpoint.
func (c *Client) GetCheckpoint(ctx context.Context) (*[]byte, error) {
	return call[[]byte](ctx, c, "GET", "/v1/log/checkpoint", nil, noBody)
}

// AddCosignature is the operation "Add the signature of a witness to a checkpoint": POST /v1/log/cosignatures.
func (c *Client) AddCosignature(ctx context.Context, params *api.AddCosignatureParams, body api.AddCosignatureJSONRequestBody) (*api.Cosignature, error) {
	return call[api.Cosignature](ctx, c, "POST", "/v1/log/cosignatures", params, jsonBody(body))
}

// GetTile is the operation "Read a tile of the log": GET /v1/log/tile/{level}/{index}.
func (c *Client) GetTile(ctx context.Context, level string, index string) (*[]byte, error) {
	return call[[]byte](ctx, c, "GET", pathOf("/v1/log/tile/%s/%s", level, index), nil, noBody)
}

// GetUsage is the operation "Get the usage and the plan's quota": GET /v1/usage.
func (c *Client) GetUsage(ctx context.Context) (*api.Usage, error) {
	return call[api.Usage](ctx, c, "GET", "/v1/usage", nil, noBody)
}

// ListAuditAnswer is the answer of ListAudit.
type ListAuditAnswer struct {
	Data       []api.AuditEntry `json:"data"`
	Pagination api.Pagination   `json:"pagination"`
}

// ListAudit is the operation "Read the audit trail": GET /v1/audit.
func (c *Client) ListAudit(ctx context.Context, params *api.ListAuditParams) (*ListAuditAnswer, error) {
	return call[ListAuditAnswer](ctx, c, "GET", "/v1/audit", params, noBody)
}

// GetLivez is the operation "Is the process alive?": GET /livez.
func (c *Client) GetLivez(ctx context.Context) (*[]byte, error) {
	return call[[]byte](ctx, c, "GET", "/livez", nil, noBody)
}

// GetReadyz is the operation "Is the service ready?": GET /readyz.
func (c *Client) GetReadyz(ctx context.Context) (*[]byte, error) {
	return call[[]byte](ctx, c, "GET", "/readyz", nil, noBody)
}

// GetFrontAnswer is the answer of GetFront.
type GetFrontAnswer struct {
	Service       string `json:"service"`
	Version       string `json:"version"`
	Documentation string `json:"documentation"`
	Openapi       string `json:"openapi"`
	Console       string `json:"console"`
	Signup        string `json:"signup"`
}

// GetFront is the operation "Find the console and the documentation": GET /.
func (c *Client) GetFront(ctx context.Context) (*GetFrontAnswer, error) {
	return call[GetFrontAnswer](ctx, c, "GET", "/", nil, noBody)
}

// GetOpenAPIAsJSONAnswer is the answer of GetOpenAPIAsJSON.
type GetOpenAPIAsJSONAnswer struct {
	Openapi    string            `json:"openapi"`
	Info       map[string]any    `json:"info"`
	Servers    *[]map[string]any `json:"servers,omitempty"`
	Security   *[]map[string]any `json:"security,omitempty"`
	Tags       *[]map[string]any `json:"tags,omitempty"`
	Paths      map[string]any    `json:"paths"`
	Components *map[string]any   `json:"components,omitempty"`
}

// GetOpenAPIAsJSON is the operation "This document as JSON": GET /openapi.json.
func (c *Client) GetOpenAPIAsJSON(ctx context.Context) (*GetOpenAPIAsJSONAnswer, error) {
	return call[GetOpenAPIAsJSONAnswer](ctx, c, "GET", "/openapi.json", nil, noBody)
}

// GetOpenAPI is the operation "This document": GET /openapi.yaml.
func (c *Client) GetOpenAPI(ctx context.Context) (*[]byte, error) {
	return call[[]byte](ctx, c, "GET", "/openapi.yaml", nil, noBody)
}

// GetDocs is the operation "Read the documentation": GET /docs.
func (c *Client) GetDocs(ctx context.Context) (*[]byte, error) {
	return call[[]byte](ctx, c, "GET", "/docs", nil, noBody)
}

// GetErrorPage is the operation "What an error code means": GET /docs/errors/{code}.
func (c *Client) GetErrorPage(ctx context.Context, code string) (*[]byte, error) {
	return call[[]byte](ctx, c, "GET", pathOf("/docs/errors/%s", code), nil, noBody)
}

// ErasePerson is the operation "Erase everything about a person": POST /v1/erasures.
func (c *Client) ErasePerson(ctx context.Context, params *api.ErasePersonParams, body api.ErasePersonJSONRequestBody) (*api.Erasure, error) {
	return call[api.Erasure](ctx, c, "POST", "/v1/erasures", params, jsonBody(body))
}

// ListErasures is the operation "List erasures": GET /v1/erasures.
func (c *Client) ListErasures(ctx context.Context, params *api.ListErasuresParams) (*api.Erasures, error) {
	return call[api.Erasures](ctx, c, "GET", "/v1/erasures", params, noBody)
}

// GetErasure is the operation "Read the receipt of an erasure": GET /v1/erasures/{id}.
func (c *Client) GetErasure(ctx context.Context, id string) (*api.Erasure, error) {
	return call[api.Erasure](ctx, c, "GET", pathOf("/v1/erasures/%s", id), nil, noBody)
}

// WithdrawErasure is the operation "Withdraw a deferred erasure": POST /v1/erasures/{id}/withdraw.
func (c *Client) WithdrawErasure(ctx context.Context, id string, params *api.WithdrawErasureParams) (*api.Erasure, error) {
	return call[api.Erasure](ctx, c, "POST", pathOf("/v1/erasures/%s/withdraw", id), params, noBody)
}

// ReportExposure is the operation "Report the state of a loan": POST /v1/exposures.
func (c *Client) ReportExposure(ctx context.Context, params *api.ReportExposureParams, body api.ReportExposureJSONRequestBody) (*api.Exposure, error) {
	return call[api.Exposure](ctx, c, "POST", "/v1/exposures", params, jsonBody(body))
}

// ListExposures is the operation "List reported loans": GET /v1/exposures.
func (c *Client) ListExposures(ctx context.Context, params *api.ListExposuresParams) (*api.Exposures, error) {
	return call[api.Exposures](ctx, c, "GET", "/v1/exposures", params, noBody)
}

// PlaceLegalHold is the operation "Place a legal hold on an applicant": POST /v1/legal-holds.
func (c *Client) PlaceLegalHold(ctx context.Context, params *api.PlaceLegalHoldParams, body api.PlaceLegalHoldJSONRequestBody) (*api.LegalHold, error) {
	return call[api.LegalHold](ctx, c, "POST", "/v1/legal-holds", params, jsonBody(body))
}

// ListLegalHolds is the operation "List legal holds": GET /v1/legal-holds.
func (c *Client) ListLegalHolds(ctx context.Context, params *api.ListLegalHoldsParams) (*api.LegalHolds, error) {
	return call[api.LegalHolds](ctx, c, "GET", "/v1/legal-holds", params, noBody)
}

// GetLegalHold is the operation "Read a legal hold": GET /v1/legal-holds/{id}.
func (c *Client) GetLegalHold(ctx context.Context, id string) (*api.LegalHold, error) {
	return call[api.LegalHold](ctx, c, "GET", pathOf("/v1/legal-holds/%s", id), nil, noBody)
}

// ReleaseLegalHold is the operation "Release a legal hold": POST /v1/legal-holds/{id}/release.
func (c *Client) ReleaseLegalHold(ctx context.Context, id string, params *api.ReleaseLegalHoldParams) (*api.LegalHold, error) {
	return call[api.LegalHold](ctx, c, "POST", pathOf("/v1/legal-holds/%s/release", id), params, noBody)
}

// GetRetention is the operation "Read the retention periods": GET /v1/retention.
func (c *Client) GetRetention(ctx context.Context) (*api.Retention, error) {
	return call[api.Retention](ctx, c, "GET", "/v1/retention", nil, noBody)
}

// SetRetention is the operation "Set the retention periods": PUT /v1/retention.
func (c *Client) SetRetention(ctx context.Context, params *api.SetRetentionParams, body api.SetRetentionJSONRequestBody) (*api.Retention, error) {
	return call[api.Retention](ctx, c, "PUT", "/v1/retention", params, jsonBody(body))
}

// GetApplicant is the operation "Read everything that is held about an applicant": GET /v1/applicants/{ref}.
func (c *Client) GetApplicant(ctx context.Context, ref string, params *api.GetApplicantParams) (*api.HeldApplicant, error) {
	return call[api.HeldApplicant](ctx, c, "GET", pathOf("/v1/applicants/%s", ref), params, noBody)
}
