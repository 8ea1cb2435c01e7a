// The program receives the events of webhooks. It verifies the signature of each request with the
// npm package "standardwebhooks", and prints the type, the sequence number and the id of each
// event that it had not received before.
//
//   WEBHOOK_SECRET=whsec_... RECEIVER_ADDR=127.0.0.1:9000 node receiver.js
import { createServer, type IncomingMessage } from "node:http";
import { Webhook, WebhookVerificationError } from "standardwebhooks";

interface Event {
  id: string;
  sequence: number;
  type: string;
}

const maxBody = 1 << 20;
const webhook = new Webhook(process.env.WEBHOOK_SECRET ?? "");
const seen = new Set<string>(); // use a table of your database instead

// read returns the body of a request, or undefined if it is too long.
async function read(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > maxBody) {
      return undefined;
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

const server = createServer(async (request, response) => {
  const body = await read(request);
  if (body === undefined) {
    response.writeHead(413).end();
    return;
  }
  let event: Event;
  try {
    event = webhook.verify(body, request.headers as Record<string, string>) as Event;
  } catch (error) {
    response.writeHead(error instanceof WebhookVerificationError ? 401 : 400).end();
    return;
  }
  // An event may arrive more than once. Answer quickly; do long work later.
  if (!seen.has(event.id)) {
    seen.add(event.id);
    console.log(event.type, event.sequence, event.id);
  }
  response.writeHead(204).end();
});

const [host, port] = (process.env.RECEIVER_ADDR ?? "127.0.0.1:9000").split(":");
server.listen(Number(port), host);
