// The sandbox (see sandbox/doc.go at the root), for tests and for host-example/workerd/fleet.js. Needs no packages.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../../build/sandbox', import.meta.url));

/** @typedef {{token_requests: number, job_requests: number}} Counts */

/** An identity provider and a jobs service on loopback. */
export class Sandbox {
  #process;
  #controlUrl;

  /**
   * @param {import('node:child_process').ChildProcess} process
   * @param {{control_url: string, env: Record<string, string> & {ROSTERING_CLIENT_SECRET: string}}} started
   * @private
   */
  constructor(process, { control_url, env }) {
    this.#process = process;
    this.#controlUrl = control_url;
    /** The ROSTERING_* variables for a client. */
    this.env = env;
  }

  /** @param {{after: (close: () => Promise<void>) => void}} [t] the test with which the sandbox ends */
  static async start(t) {
    const child = spawn(program, ['-json', '-until-stdin-closes'], { stdio: ['pipe', 'pipe', 'ignore'] });
    await once(child, 'spawn').catch((cause) => {
      throw new Error('run make build/sandbox first', { cause });
    });
    const [line] = await once(createInterface(child.stdout), 'line', { signal: AbortSignal.timeout(20_000) });
    const sandbox = new Sandbox(child, JSON.parse(line));
    t?.after(() => sandbox.close());
    return sandbox;
  }

  async close() {
    const ended = once(this.#process, 'exit', { signal: AbortSignal.timeout(20_000) });
    this.#process.stdin?.end();
    await ended;
  }

  /** Revokes all tokens. */
  async revoke() {
    await this.#send('POST', 'revoke');
  }

  /** @param {number} seconds of new tokens */
  async lifetime(seconds) {
    await this.#send('POST', 'lifetime', { seconds });
  }

  /** @returns {Promise<Counts>} */
  counts() {
    return this.#send('GET', 'counts');
  }

  /** @param {Partial<Counts>} counts to wait for, up to 30 seconds */
  async wait(counts) {
    await this.#send('POST', 'wait', counts);
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   */
  async #send(method, path, body) {
    const init = { method, ...(body && { body: JSON.stringify(body) }), signal: AbortSignal.timeout(40_000) };
    const response = await fetch(`${this.#controlUrl}/${path}`, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`the sandbox responded with ${response.status}: ${text}`);
    return text && JSON.parse(text);
  }
}
