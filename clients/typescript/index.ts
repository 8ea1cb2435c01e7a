// A client for Verdict, which decides credit applications.
//
//   import { answer, createVerdict } from "verdict-client";
//
//   const verdict = createVerdict("https://verdict.example", { key: "vk_live_..." });
//   const decision = await answer(
//     verdict.POST("/v1/decisions", {
//       body: { applicant: { id: "A-1001", monthly_income: 85000 }, bureau_report: { score: 742 } },
//     }),
//   );
//
// Types come from the API description (schema.d.ts). This file adds keys, retries, problems as exceptions, pages and
// the check of webhooks. It runs in browsers, Deno, Bun and Node.js 20.
import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./schema.js";

export type { components, paths };

/** A refusal of the service, with its reason. */
export class Problem extends Error {
  /** Stable; a page of the documentation explains it. */
  readonly code: string;
  /** An entry for each invalid field, with a JSON pointer. */
  readonly errors: { pointer?: string; code?: string; detail?: string }[];
  readonly requestId: string;

  constructor(
    readonly status: number,
    readonly document: Partial<components["schemas"]["Problem"]>,
  ) {
    super(`${status} ${document.code ?? ""}: ${document.detail ?? document.title ?? ""}`);
    this.name = "Problem";
    this.code = document.code ?? "";
    this.errors = document.errors ?? [];
    this.requestId = document.request_id ?? "";
  }
}

export interface Options {
  /** The API key; none is needed to sign up. */
  key?: string;
  /** The maximum number of times that a request is sent; 4 if not given. */
  attempts?: number;
  /** How long to wait for one answer, in milliseconds; 30,000 if not given. */
  timeout?: number;
  fetch?: typeof fetch;
  /** For tests. */
  sleep?: (milliseconds: number) => Promise<void>;
}

// Statuses after which the same request may succeed later: too many requests, and a service that is busy or restarting.
const retried = new Set([429, 502, 503, 504]);

// The client does not wait longer than this. The caller gets the refusal instead, for example if a quota is used up
// until next month.
const longestWait = 30_000;

/** Returns a client for one service and one key. Its calls return `{ data, error, response }`; see {@link answer}. */
export function createVerdict(url: string, options: Options = {}): Client<paths> {
  const wrong = options.key?.search(/[^A-Za-z0-9_]/) ?? -1;
  if (wrong >= 0) {
    // The message must not contain the key.
    throw new Error(
      `character ${wrong + 1} of the key is not a letter, digit or _: ` +
        "use the whole key as it was shown when it was created",
    );
  }
  return createClient<paths>({ baseUrl: url, fetch: (request) => send(request, options) });
}

/** Waits for a call and returns its answer, or throws a {@link Problem} if the service refused the request. */
export async function answer<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) {
    throw new Problem(response.status, error !== null && typeof error === "object" ? error : {});
  }
  return data as T;
}

/** A page of a list. */
export interface Page<E> {
  data: E[];
  pagination: components["schemas"]["Pagination"];
}

/**
 * All entries of a list, page by page:
 *
 *   const page = (cursor?: string) => verdict.GET("/v1/decisions", { params: { query: cursor ? { cursor } : {} } });
 *   for await (const decision of pages(page)) …
 *
 * The cursor of the first page is undefined.
 */
export async function* pages<E>(
  page: (cursor: string | undefined) => Promise<{ data?: Page<E>; error?: unknown; response: Response }>,
): AsyncGenerator<E> {
  for (let cursor: string | undefined; ; ) {
    const { data, pagination } = await answer(page(cursor));
    yield* data;
    cursor = pagination.next_cursor;
    if (!pagination.has_next) {
      return;
    }
  }
}

// send sends a request, and repeats it if that is safe.
async function send(request: Request, options: Options): Promise<Response> {
  const attempts = options.attempts ?? 4;
  const sleep = options.sleep ?? ((ms: number) => new Promise<void>((done) => setTimeout(done, ms)));
  if (options.key !== undefined) {
    request.headers.set("Authorization", `Bearer ${options.key}`);
  }
  if (request.method === "POST" && !request.headers.has("Idempotency-Key")) {
    // With a key, a request that is repeated after a lost answer is decided and billed once. Operations that take no
    // key ignore it.
    request.headers.set("Idempotency-Key", crypto.randomUUID());
  }
  for (let attempt = 1; ; attempt++) {
    let response: Response;
    try {
      response = await (options.fetch ?? fetch)(request.clone(), { signal: AbortSignal.timeout(options.timeout ?? 30_000) });
    } catch (error) {
      if (attempt === attempts) {
        throw error;
      }
      await sleep(pause(attempt));
      continue;
    }
    if (!retried.has(response.status) || attempt === attempts) {
      return response;
    }
    const after = Number(response.headers.get("Retry-After") ?? NaN) * 1000;
    if (after > longestWait) {
      return response;
    }
    await response.body?.cancel();
    await sleep(Number.isNaN(after) ? pause(attempt) : after + Math.random() * 250);
  }
}

// pause returns how long to wait, in milliseconds: exponential back-off with jitter.
function pause(attempt: number): number {
  const longest = Math.min(200 * 2 ** (attempt - 1), 5000);
  return longest / 2 + (Math.random() * longest) / 2;
}

/**
 * Throws unless the body was signed with the secret within the tolerance, in seconds. Pass the body exactly as it
 * arrived, because a body that was parsed and written again may have other bytes.
 */
export async function verifyWebhook(
  secret: string,
  headers: Headers,
  body: string,
  { tolerance = 300, now = Date.now() / 1000 }: { tolerance?: number; now?: number } = {},
): Promise<void> {
  const id = headers.get("webhook-id");
  const timestamp = headers.get("webhook-timestamp");
  const signatures = headers.get("webhook-signature");
  if (id === null || timestamp === null || signatures === null) {
    throw new Error("a header of the signature is missing");
  }
  if (!/^\d+$/.test(timestamp) || Math.abs(now - Number(timestamp)) > tolerance) {
    throw new Error("the event is too old, or from the future");
  }
  const text = new TextEncoder();
  const secretBytes = Uint8Array.from(atob(secret.replace(/^whsec_/, "")), (c) => c.charCodeAt(0));
  const key = await crypto.subtle.importKey("raw", secretBytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const signed = text.encode(`${id}.${timestamp}.${body}`);
  for (const signature of signatures.split(" ")) {
    const [version, value] = signature.split(",");
    if (version !== "v1" || value === undefined) {
      continue;
    }
    const given = Uint8Array.from(atob(value), (c) => c.charCodeAt(0));
    // The platform's verify function takes the same time for every signature.
    if (await crypto.subtle.verify("HMAC", key, given, signed)) {
      return;
    }
  }
  throw new Error("no signature is right");
}
