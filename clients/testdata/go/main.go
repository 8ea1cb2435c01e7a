// The program calls a running service with the generated client and prints the
// answers as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"verdict/clients/verdictapi"
)

func main() {
	found, err := call(context.Background(), os.Getenv("VERDICT_URL"))
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(found)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func call(ctx context.Context, url string) (found map[string]any, err error) {
	client, err := verdictapi.NewClientWithResponses(url)
	if err != nil {
		return nil, err
	}
	signup, err := client.SignUpWithResponse(ctx, verdictapi.SignupRequest{
		Email: "go@example.in", OrgName: "Go Finance", Password: "a long password",
	})
	if err != nil {
		return nil, err
	}
	if signup.JSON201 == nil {
		return nil, fmt.Errorf("signup: %d %s", signup.StatusCode(), signup.Body)
	}
	key := func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+signup.JSON201.ApiKey)
		return nil
	}
	found = map[string]any{}
	for name, run := range map[string]func() (map[string]any, error){
		"decisions": func() (map[string]any, error) { return decide(ctx, client, key) },
		"evaluate":  func() (map[string]any, error) { return evaluate(ctx, client, key) },
		"backtest":  func() (map[string]any, error) { return backtest(ctx, client, key) },
		"refused":   func() (map[string]any, error) { return refused(ctx, client, key) },
	} {
		if found[name], err = run(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return found, nil
}

func decide(
	ctx context.Context, client *verdictapi.ClientWithResponses, key verdictapi.RequestEditorFn,
) (map[string]any, error) {
	answer, err := client.CreateDecisionWithResponse(ctx, nil, verdictapi.DecisionRequest{
		Applicant: &verdictapi.Applicant{
			MonthlyIncome:   new(85000.0),
			Foir:            new(0.32),
			RequestedAmount: new(600000.0),
		},
		BureauReport: &verdictapi.BureauFields{
			Score:            new(742),
			Enquiries6m:      new(2),
			ActiveTradelines: new(4),
			MaxDpd12m:        new(0),
		},
	}, key)
	if err != nil {
		return nil, err
	}
	if answer.JSON200 == nil {
		return nil, fmt.Errorf("%d %s", answer.StatusCode(), answer.Body)
	}
	return map[string]any{
		"status": answer.JSON200.Status, "decision_hash": answer.JSON200.DecisionHash,
		"total_payable": answer.JSON200.Offer.TotalPayable, "fired_rules": len(answer.JSON200.Explanation.FiredRules),
	}, nil
}

func evaluate(
	ctx context.Context, client *verdictapi.ClientWithResponses, key verdictapi.RequestEditorFn,
) (map[string]any, error) {
	var report verdictapi.Report
	// One amount is a number and the other a text, because the schema allows
	// both.
	const document = `{"scoreData":{"score":742},"incomeAssessment":{"monthlyIncome":85000,"foir":32},
		"requestedAmount":300000,"reportDate":"2026-11-10",
		"accounts":[{"accountType":"personal_loan","openDate":"2024-02-11","closedDate":null,
		"sanctionedAmount":200000,"currentBalance":"120000","paymentHistory":[{"month":"2026-10","dpd":0}]}]}`
	if err := json.Unmarshal([]byte(document), &report); err != nil {
		return nil, err
	}
	if number, err := (*report.Accounts)[0].SanctionedAmount.AsNumberOrText0(); err != nil || number != 200000 {
		return nil, fmt.Errorf("the amount is read as %v: %w", number, err)
	}
	answer, err := client.EvaluateReportWithResponse(ctx, nil, verdictapi.EvaluateRequest{
		Bureau: new("cibil"), Report: &map[string]verdictapi.Report{"cibil": report}, Features: new(true),
	}, key)
	if err != nil {
		return nil, err
	}
	if answer.JSON200 == nil {
		return nil, fmt.Errorf("%d %s", answer.StatusCode(), answer.Body)
	}
	return map[string]any{
		"status": answer.JSON200.Status, "decision_hash": answer.JSON200.DecisionHash,
		"vector_hash": answer.JSON200.Features.VectorHash,
	}, nil
}

func backtest(
	ctx context.Context, client *verdictapi.ClientWithResponses, key verdictapi.RequestEditorFn,
) (map[string]any, error) {
	answer, err := client.RunBacktestWithResponse(ctx, &verdictapi.RunBacktestParams{}, verdictapi.BacktestRequest{
		Rows: &[]map[string]any{
			{
				"applicant_id": "A-1", "score": 781, "monthly_income": 120000, "foir": 0.21,
				"requested_amount": 800000, "outcome": "good",
			},
			{
				"applicant_id": "A-2", "score": 560, "monthly_income": 32000, "foir": 0.41,
				"requested_amount": 100000, "outcome": "bad",
			},
		},
	}, key)
	if err != nil {
		return nil, err
	}
	if answer.JSON200 == nil {
		return nil, fmt.Errorf("%d %s", answer.StatusCode(), answer.Body)
	}
	return map[string]any{
		"rows":        answer.JSON200.RowsTotal,
		"approved":    answer.JSON200.Summary.Approved,
		"total_limit": answer.JSON200.Summary.TotalLimit,
		"auc":         answer.JSON200.Performance.Auc,
	}, nil
}

// refused sends a percentage although a ratio is expected, and reads the
// problem.
func refused(
	ctx context.Context, client *verdictapi.ClientWithResponses, key verdictapi.RequestEditorFn,
) (map[string]any, error) {
	answer, err := client.CreateDecisionWithResponse(ctx, nil, verdictapi.DecisionRequest{
		Applicant: &verdictapi.Applicant{Foir: new(32.0)}, BureauReport: &verdictapi.BureauFields{Score: new(742)},
	}, key)
	if err != nil {
		return nil, err
	}
	problem := answer.ApplicationproblemJSON422
	if problem == nil || problem.Errors == nil || len(*problem.Errors) != 1 {
		return nil, fmt.Errorf("%d %s", answer.StatusCode(), answer.Body)
	}
	return map[string]any{"code": problem.Code, "pointer": (*problem.Errors)[0].Pointer}, nil
}
