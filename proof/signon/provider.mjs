// An OpenID Connect provider for the test of this folder: oidc-provider, which other people have written, in another
// language than the service. This program reads its people and its client from environment variables, and prints its
// address.
import { createServer } from "node:http";
import Provider from "oidc-provider";

const people = JSON.parse(process.env.PEOPLE);
const server = createServer((request, response) => answer(request, response));
let answer;
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: process.env.CLIENT_ID,
        client_secret: process.env.CLIENT_SECRET,
        redirect_uris: [process.env.REDIRECT],
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"] },
    conformIdTokenClaims: false, // the ID token has the claims, not only the answer of /me
    pkce: { required: () => true },
    cookies: { keys: ["a key of the test"] },
    findAccount: (_, id) => people[id] && { accountId: id, claims: () => ({ sub: id, ...people[id] }) },
  });
  answer = provider.callback();
  console.log(`provider ${issuer}`);
});
