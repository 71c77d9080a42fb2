import * as oidc from 'openid-client';
import { env, expectOK, headers, jobsURL, scope, serve, tokenURL } from './serve.js';

const config = new oidc.Configuration(
  { issuer: env('AUTH_URL'), token_endpoint: tokenURL },
  env('CLIENT_ID'),
  undefined,
  oidc.ClientSecretPost(env('CLIENT_SECRET')),
);
oidc.allowInsecureRequests(config);
await serve(async () => {
  const { access_token: token } = await oidc.clientCredentialsGrant(config, { scope });
  await expectOK(await oidc.fetchProtectedResource(config, token, new URL(jobsURL), 'GET', null, new Headers(headers)));
});
