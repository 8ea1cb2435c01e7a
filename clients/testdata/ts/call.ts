// The program calls a running service with the generated types and prints the
// answers as JSON.
import createClient from "openapi-fetch";
import type { components, paths } from "./verdict.js";

declare const process: { env: Record<string, string | undefined> };

const client = createClient<paths>({ baseUrl: process.env.VERDICT_URL! });

// given returns the data of an answer. It throws the error if the service refused the request.
function given<T>(answer: { data?: T; error?: unknown; response: Response }): T {
  if (answer.data === undefined) {
    throw new Error(`${answer.response.url}: ${answer.response.status} ${JSON.stringify(answer.error)}`);
  }
  return answer.data;
}

const signup = given(
  await client.POST("/api/signup", {
    body: { email: "ts@example.in", org_name: "TypeScript Finance", password: "a long password" },
  }),
);
const headers = { Authorization: `Bearer ${signup.api_key}` };

const decided = given(
  await client.POST("/v1/decisions", {
    headers,
    body: {
      applicant: { monthly_income: 85000, foir: 0.32, requested_amount: 600000, age: null },
      bureau_report: { score: 742, enquiries_6m: 2, active_tradelines: 4, max_dpd_12m: 0 },
    },
  }),
);

// One amount is a number and the other a text, because the schema allows both.
const report: components["schemas"]["Report"] = {
  scoreData: { score: 742 },
  incomeAssessment: { monthlyIncome: 85000, foir: 32 },
  requestedAmount: 300000,
  reportDate: "2026-11-10",
  accounts: [
    {
      accountType: "personal_loan",
      openDate: "2024-02-11",
      closedDate: null,
      sanctionedAmount: 200000,
      currentBalance: "120000",
      paymentHistory: [{ month: "2026-10", dpd: 0 }],
    },
  ],
};
const evaluated = given(
  await client.POST("/v1/evaluate", { headers, body: { bureau: "cibil", report: { cibil: report }, features: true } }),
);

const tested = given(
  await client.POST("/v1/backtest", {
    headers,
    body: {
      rows: [
        { applicant_id: "A-1", score: 781, monthly_income: 120000, foir: 0.21, requested_amount: 800000, outcome: "good" },
        { applicant_id: "A-2", score: 560, monthly_income: 32000, foir: 0.41, requested_amount: 100000, outcome: "bad" },
      ],
    },
  }),
);
// A larger backtest is answered with a job, which has no rows_total.
if (!("rows_total" in tested)) {
  throw new Error("the backtest was not answered in the request");
}

// Send a percentage although a ratio is expected. The problem in the answer is typed, too.
const refused = await client.POST("/v1/decisions", {
  headers,
  body: { applicant: { foir: 32 }, bureau_report: { score: 742 } },
});
if (refused.error === undefined) {
  throw new Error("a FOIR of 32 was taken for a ratio");
}

console.log(
  JSON.stringify({
    decisions: {
      status: decided.status,
      decision_hash: decided.decision_hash,
      total_payable: decided.offer.total_payable,
      fired_rules: decided.explanation.fired_rules.length,
    },
    evaluate: {
      status: evaluated.status,
      decision_hash: evaluated.decision_hash,
      vector_hash: evaluated.features?.vector_hash,
    },
    backtest: {
      rows: tested.rows_total,
      approved: tested.summary.approved,
      total_limit: tested.summary.total_limit,
      auc: tested.performance.auc,
    },
    refused: { code: refused.error.code, pointer: refused.error.errors?.[0]?.pointer },
  }),
);
