// The program is the scenario that all clients run (see scenario_test.go). It
// prints what it saw as JSON.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"time"

	verdict "verdict/clients/go"
	"verdict/clients/go/api"
)

func main() {
	saw, err := scenario(context.Background(), os.Getenv("VERDICT_URL"))
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(saw)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func scenario(ctx context.Context, url string) (map[string]any, error) {
	nobody, err := verdict.New(url)
	if err != nil {
		return nil, err
	}
	signup, err := nobody.SignUp(ctx, api.SignupRequest{
		Email:    "go@example.in",
		OrgName:  "Go Finance",
		Password: "a long password",
	})
	if err != nil {
		return nil, err
	}
	client, err := verdict.New(url, verdict.Key(signup.ApiKey))
	if err != nil {
		return nil, err
	}
	saw := map[string]any{}
	decided, err := client.CreateDecision(ctx, nil, application(742))
	if err != nil {
		return nil, err
	}
	saw["decided"] = map[string]any{
		"status": decided.Status, "grade": decided.Grade, "hash": decided.DecisionHash, "limit": decided.Offer.Limit,
	}
	key := "order-1"
	first, err := client.CreateDecision(ctx, &api.CreateDecisionParams{IdempotencyKey: &key}, application(760))
	if err != nil {
		return nil, err
	}
	again, err := client.CreateDecision(ctx, &api.CreateDecisionParams{IdempotencyKey: &key}, application(760))
	if err != nil {
		return nil, err
	}
	saw["same"] = first.DecisionId == again.DecisionId

	wrong := api.DecisionRequest{BureauReport: &api.BureauFields{Score: new(9000)}}
	_, err = client.CreateDecision(ctx, nil, wrong)
	saw["refused"] = refusal(err)
	stranger, err := verdict.New(url, verdict.Key("vk_test_wrong"))
	if err != nil {
		return nil, err
	}
	_, err = stranger.GetUsage(ctx)
	saw["stranger"] = refusal(err)
	if _, err := verdict.New(url, verdict.Key("vk_sandbox_…")); err != nil {
		saw["placeholder"] = err.Error()
	}

	for _, score := range []int{700, 710, 720} {
		if _, err := client.CreateDecision(ctx, nil, application(score)); err != nil {
			return nil, err
		}
	}
	if err := list(ctx, client, saw); err != nil {
		return nil, err
	}
	// The proxy of the test refuses twice, and then loses the answer once: four requests, one decision.
	waits := []float64{}
	behind, err := recorder("UNRELIABLE_URL", signup.ApiKey, &waits)
	if err != nil {
		return nil, err
	}
	survived, err := behind.CreateDecision(ctx, nil, application(730))
	if err != nil {
		return nil, err
	}
	saw["survived"], saw["waits"] = survived.Status, waits
	usage, err := client.GetUsage(ctx)
	if err != nil {
		return nil, err
	}
	saw["used"] = usage.Used
	if err := waiting(ctx, signup.ApiKey, saw); err != nil {
		return nil, err
	}
	saw["webhook"], err = webhook()
	return saw, err
}

// recorder returns a client for the address in an environment variable. The client does not wait: it records, in
// seconds, how long it would wait.
func recorder(variable, key string, waits *[]float64) (*verdict.Client, error) {
	return verdict.New(os.Getenv(variable), verdict.Key(key),
		verdict.Sleep(func(_ context.Context, d time.Duration) error {
			*waits = append(*waits, d.Seconds())
			return nil
		}))
}

// waiting checks that a client waits for 30 seconds, but no longer.
func waiting(ctx context.Context, key string, saw map[string]any) error {
	longest, closedWaits := []float64{}, []float64{}
	busy, err := recorder("BUSY_URL", key, &longest)
	if err != nil {
		return err
	}
	if _, err := busy.GetUsage(ctx); err != nil {
		return err
	}
	closed, err := recorder("CLOSED_URL", key, &closedWaits)
	if err != nil {
		return err
	}
	_, err = closed.CreateDecision(ctx, nil, application(730))
	saw["longest"], saw["closed"], saw["closed_waits"] = longest, refusal(err), closedWaits
	return nil
}

func application(score int) api.DecisionRequest {
	return api.DecisionRequest{
		Applicant: &api.Applicant{
			Id: new("A-" + strconv.Itoa(score)), MonthlyIncome: new(85000.0), Foir: new(0.32),
			RequestedAmount: new(600000.0),
		},
		BureauReport: &api.BureauFields{
			Score: new(score), Enquiries6m: new(2), ActiveTradelines: new(4), MaxDpd12m: new(0),
		},
	}
}

func refusal(err error) any {
	var p *verdict.Problem
	if !errors.As(err, &p) {
		return fmt.Sprint("not refused: ", err)
	}
	pointers := []string{}
	for _, e := range p.Errors {
		pointers = append(pointers, e.Pointer)
	}
	return map[string]any{"status": p.Status, "code": p.Code, "pointers": pointers}
}

// list reads all decisions in pages of two.
func list(ctx context.Context, client *verdict.Client, saw map[string]any) error {
	listed, distinct := 0, map[string]bool{}
	two := 2
	for decision, err := range verdict.Pages(func(cursor *string) ([]api.DecisionItem, *string, error) {
		page, err := client.ListDecisions(ctx, &api.ListDecisionsParams{Limit: &two, Cursor: cursor})
		if err != nil {
			return nil, nil, err
		}
		return page.Data, page.Pagination.NextCursor, nil
	}) {
		if err != nil {
			return err
		}
		listed++
		distinct[decision.DecisionId] = true
	}
	saw["listed"], saw["distinct"] = listed, len(distinct)
	return nil
}

func webhook() ([]string, error) {
	var given map[string]string
	if err := json.Unmarshal([]byte(os.Getenv("WEBHOOK_HEADERS")), &given); err != nil {
		return nil, err
	}
	header := http.Header{}
	for name, value := range given {
		header.Set(name, value)
	}
	seconds, err := strconv.ParseInt(given["webhook-timestamp"], 10, 64)
	if err != nil {
		return nil, err
	}
	check := func(body string, at time.Time) string {
		if verdict.VerifyWebhook(os.Getenv("WEBHOOK_SECRET"), header, []byte(body), at) != nil {
			return "wrong"
		}
		return "right"
	}
	const body = `{"type":"decision.created"}`
	now := time.Unix(seconds, 0)
	return []string{check(body, now), check(body+" ", now), check(body, now.Add(301*time.Second))}, nil
}
