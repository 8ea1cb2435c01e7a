// The scenario that all clients run (see scenario_test.go). Prints what it saw as JSON.
import { answer, createVerdict, pages, Problem, verifyWebhook } from "./index.js";

declare const process: { env: Record<string, string | undefined> };

const url = process.env.VERDICT_URL!;
const saw: Record<string, unknown> = {};
const nobody = createVerdict(url);
const signup = await answer(
  nobody.POST("/api/signup", { body: { email: "ts@example.in", org_name: "TypeScript Finance", password: "a long password" } }),
);
const verdict = createVerdict(url, { key: signup.api_key });
// recorder returns a client that only records how long it would wait, in seconds.
const recorder = (address: string, waits: number[]) =>
  createVerdict(address, { key: signup.api_key, sleep: async (ms) => void waits.push(ms / 1000) });
const application = (score: number) => ({
  applicant: { id: `A-${score}`, monthly_income: 85000, foir: 0.32, requested_amount: 600000 },
  bureau_report: { score, enquiries_6m: 2, active_tradelines: 4, max_dpd_12m: 0 },
});

async function refusal(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Problem) {
      return { status: error.status, code: error.code, pointers: error.errors.map((e) => e.pointer) };
    }
    throw error;
  }
  return "not refused";
}

const decided = await answer(verdict.POST("/v1/decisions", { body: application(742) }));
saw.decided = { status: decided.status, grade: decided.grade, hash: decided.decision_hash, limit: decided.offer?.limit };

const key = { header: { "Idempotency-Key": "order-1" } };
const first = await answer(verdict.POST("/v1/decisions", { params: key, body: application(760) }));
const again = await answer(verdict.POST("/v1/decisions", { params: key, body: application(760) }));
saw.same = first.decision_id === again.decision_id;

saw.refused = await refusal(answer(verdict.POST("/v1/decisions", { body: { bureau_report: { score: 9000 } } })));
saw.stranger = await refusal(answer(createVerdict(url, { key: "vk_test_wrong" }).GET("/v1/usage")));
try {
  createVerdict(url, { key: "vk_sandbox_…" });
} catch (error) {
  saw.placeholder = String((error as Error).message);
}

for (const score of [700, 710, 720]) {
  await answer(verdict.POST("/v1/decisions", { body: application(score) }));
}
const all: string[] = [];
const query = (cursor: string | undefined) => (cursor === undefined ? { limit: 2 } : { limit: 2, cursor });
for await (const d of pages((cursor) => verdict.GET("/v1/decisions", { params: { query: query(cursor) } }))) {
  all.push(d.decision_id);
}
saw.listed = all.length;
saw.distinct = new Set(all).size;

// The proxy of the test refuses twice, and then loses the answer once: four requests, one decision.
const waits: number[] = [];
const behind = recorder(process.env.UNRELIABLE_URL!, waits);
const survived = await answer(behind.POST("/v1/decisions", { body: application(730) }));
saw.survived = survived.status;
saw.waits = waits;
saw.used = (await answer(verdict.GET("/v1/usage"))).used;

// A client waits for 30 seconds, but no longer.
const longest: number[] = [];
await answer(recorder(process.env.BUSY_URL!, longest).GET("/v1/usage"));
saw.longest = longest;
const closedWaits: number[] = [];
const closed = recorder(process.env.CLOSED_URL!, closedWaits);
saw.closed = await refusal(answer(closed.POST("/v1/decisions", { body: application(730) })));
saw.closed_waits = closedWaits;

const body = '{"type":"decision.created"}';
const event = new Headers(JSON.parse(process.env.WEBHOOK_HEADERS!));
const now = Number(event.get("webhook-timestamp"));
const check = async (text: string, at: number) => {
  try {
    await verifyWebhook(process.env.WEBHOOK_SECRET!, event, text, { now: at });
    return "right";
  } catch {
    return "wrong";
  }
};
saw.webhook = [await check(body, now), await check(`${body} `, now), await check(body, now + 301)];

console.log(JSON.stringify(saw));
