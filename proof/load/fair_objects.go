package load

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// HostilePolicy returns the body of a request that adds rules to the active policy.
// The added rules read fields that an applicant can change. Each of them has many
// alternatives, and none ever hits.
func HostilePolicy(rules int) string {
	const alternatives = 15
	var b strings.Builder
	b.WriteString(`{"name":"hostile","patch":{"knockouts":{"set":[`)
	for i := range rules {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `{"id":"KO_H%05d","stage":1,"action":"decline","reason_code":"FOIR_HIGH",`+
			`"condition_ast":{"op":"or","args":[`, i)
		for k := range alternatives {
			if k > 0 {
				b.WriteString(",")
			}
			field, value := "foir_effective", fmt.Sprintf("4.%05d", alternatives*i+k+10_000)
			if k%3 == 0 {
				field, value = "requested_amount", fmt.Sprint(900_000_000+alternatives*i+k)
			}
			fmt.Fprintf(&b, `{"op":"gt","field":%q,"value":%s}`, field, value)
		}
		b.WriteString(`]}}`)
	}
	b.WriteString(`]}}}`)
	return b.String()
}

const (
	// armedApplicant is the applicant of most decisions that Arm stores.
	armedApplicant = "LOAD-0"
	// armedName is the name of the list and of the table that Arm makes.
	armedName = "armed"
)

// armData makes a list and a table, and stores many decisions about one applicant.
func armData(ctx context.Context, url, key string) error {
	var list, table strings.Builder
	list.WriteString(`{"type":"number","entries":[`)
	table.WriteString(`{"keys":[{"field":"monthly_income","match":"range"}],"columns":[{"name":"x","type":"number"}],` +
		`"default":[0],"rows":[`)
	const entries, rows, decisions = 20_000, 2_000, 2_000
	for i := range entries {
		fmt.Fprintf(&list, `{"value":%d},`, i)
	}
	for i := range rows {
		fmt.Fprintf(&table, `{"keys":[{"gte":%d,"lt":%d}],"values":[%d]},`, i, i+1, i)
	}
	var made struct{}
	for path, body := range map[string]string{"/v1/lists/": list.String(), "/v1/tables/": table.String()} {
		body = strings.TrimSuffix(body, ",") + "]}"
		if err := call(ctx, http.MethodPut, url+path+armedName, key, []byte(body), http.StatusOK, &made); err != nil {
			return fmt.Errorf("make %s%s: %w", path, armedName, err)
		}
	}
	const each = 500
	items := strings.TrimSuffix(strings.Repeat(application(0)+",", each), ",")
	for range decisions / each {
		if err := call(
			ctx, http.MethodPost, url+"/v1/decisions/batch", key, []byte(`{"items":[`+items+`]}`), http.StatusOK, &made,
		); err != nil {
			return fmt.Errorf("decide a batch: %w", err)
		}
	}
	return nil
}

// armObjects makes two objects of every kind that has an id: backtests, batches, fraud alerts, agent runs, webhooks,
// erasures and legal holds. Decisions and rule sets exist already.
func armObjects(ctx context.Context, url, key string) error {
	var rows strings.Builder
	for range 500 {
		rows.WriteString(application(0) + "\n")
	}
	for i := range 2 {
		shared := fmt.Sprintf(`,"fraud":{"beneficiary_account":"99887766%04d","applicant_ref":"LOAD-%%d"}}`, i)
		other := fmt.Sprintf(`{"applicant_ref":"LOAD-%d"`, 1+i)
		type object struct{ path, kind, body, header string }
		objects := []object{
			{"/v1/backtest", jsonKind, backtest(200), ""},
			{"/v1/decisions/batch", "application/x-ndjson", rows.String(), "Prefer: respond-async"},
			{"/v1/webhooks", jsonKind, fmt.Sprintf(`{"url":"https://receiver.invalid/%d"}`, i), ""},
			{"/v1/agents/underwrite", jsonKind, application(1 + i), ""},
			{"/v1/legal-holds", jsonKind,
				fmt.Sprintf(`{"applicant_ref":%q,"reason":%q}`, armedApplicant, []string{"litigation", "audit"}[i]),
				""},
			{"/v1/erasures", jsonKind, other + `,"reason":"applicant_request"}`, ""},
		}
		for k := range 3 { // people who share an account raise an alert
			body := strings.TrimSuffix(evaluation(i), "}") + fmt.Sprintf(shared, 100+10*i+k)
			objects = append(objects, object{"/v1/evaluate", jsonKind, body, ""})
		}
		for _, o := range objects {
			if err := makeObject(ctx, url+o.path, key, o.kind, o.body, o.header); err != nil {
				return fmt.Errorf("make an object of %s: %w", o.path, err)
			}
		}
	}
	return awaitBatches(ctx, url, key)
}

// makeObject sends a request that makes an object.
func makeObject(ctx context.Context, url, key, kind, body, header string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", kind)
	if name, value, found := strings.Cut(header, ": "); found {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("the answer is %d: %s", response.StatusCode, text)
	}
	return err
}

// awaitBatches waits until no batch is running, so that their results can be read.
func awaitBatches(ctx context.Context, url, key string) error {
	for ctx.Err() == nil {
		var page struct {
			Data []struct {
				Status string `json:"status"`
			} `json:"data"`
		}
		if err := call(ctx, http.MethodGet, url+"/v1/batches", key, nil, http.StatusOK, &page); err != nil {
			return fmt.Errorf("list the batches: %w", err)
		}
		ended := 0
		for _, batch := range page.Data {
			if batch.Status == "completed" {
				ended++
			}
		}
		if ended == len(page.Data) {
			return nil
		}
		pause(ctx, 50*time.Millisecond)
	}
	return ctx.Err()
}

// backtest returns the body of a backtest of n rows.
func backtest(n int) string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"applicant_id":"B-%d","score":%d,"monthly_income":%d,"foir":0.32,`+
			`"requested_amount":600000,"outcome":%q}`, i, 600+i%250, 30_000+i*100, []string{"good", "bad"}[i%2])
	}
	return `{"rows":[` + strings.Join(rows, ",") + `]}`
}

// Arm stores decisions, a list, a table and two objects of every kind that has an id for the attacker, and activates a
// hostile policy.
func Arm(ctx context.Context, url, key string, rules int) error {
	if err := armData(ctx, url, key); err != nil {
		return err
	}
	if err := armObjects(ctx, url, key); err != nil {
		return err
	}
	var made struct {
		ID string `json:"id"`
	}
	if err := call(
		ctx, http.MethodPost, url+"/v1/rule-sets", key, []byte(HostilePolicy(rules)), http.StatusCreated, &made,
	); err != nil {
		return fmt.Errorf("make the hostile policy: %w", err)
	}
	var active struct{}
	if err := call(
		ctx, http.MethodPost, url+"/v1/rule-sets/"+made.ID+"/activate", key, nil, http.StatusOK, &active,
	); err != nil {
		return fmt.Errorf("activate the hostile policy: %w", err)
	}
	return nil
}
