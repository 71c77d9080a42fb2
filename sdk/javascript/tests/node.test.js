// What only Node has.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Sandbox } from './sandbox.js';

const jobs = fileURLToPath(new URL('../../../host-example/node/jobs.js', import.meta.url));

// Node's fetch uses no proxy of the environment, unless NODE_USE_ENV_PROXY is set. Deno's and Bun's do: see the README.
test('loopback-proxy: not used', { timeout: 30_000 }, async (t) => {
  const sandbox = await Sandbox.start(t);
  const proxy = 'http://127.0.0.1:9'; // where nothing listens
  const env = { ...process.env, ...sandbox.env, http_proxy: proxy, HTTP_PROXY: proxy, ALL_PROXY: proxy, NO_PROXY: '' };
  const { stdout } = await promisify(execFile)(process.execPath, [jobs], { env });
  assert.match(stdout, /sandbox-job-1/);
});
