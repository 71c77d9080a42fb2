import { ConfidentialClientApplication } from '@azure/msal-node';
import { env, expectOK, headers, jobsURL, scope, serve, tokenURL } from './serve.js';

// MSAL wants https and discovery, which the sandbox lacks: this HTTP client stands in for both.
const authority = 'https://login.example';
const discovery = {
  issuer: authority,
  authorization_endpoint: `${authority}/authorize`,
  token_endpoint: `${authority}/connect/token`,
  jwks_uri: `${authority}/jwks`,
};
const reply = async (response) => ({
  status: response.status,
  headers: Object.fromEntries(response.headers),
  body: await response.json().catch(() => ({})),
});
const networkClient = {
  sendGetRequestAsync: async () => ({ status: 200, headers: {}, body: discovery }),
  sendPostRequestAsync: async (_, { headers: given, body }) =>
    reply(await fetch(tokenURL, { method: 'POST', headers: given, body })),
};
const app = new ConfidentialClientApplication({
  auth: {
    clientId: env('CLIENT_ID'),
    clientSecret: env('CLIENT_SECRET'),
    authority,
    knownAuthorities: ['login.example'],
    protocolMode: 'OIDC',
  },
  system: { networkClient, protocolMode: 'OIDC' },
});
await serve(async () => {
  const { accessToken } = await app.acquireTokenByClientCredential({ scopes: [scope] });
  await expectOK(await fetch(jobsURL, { headers: { ...headers, authorization: `Bearer ${accessToken}` } }));
});
