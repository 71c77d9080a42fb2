import * as workers from 'cloudflare:workers';

/** Has workerd continue what continues after the response to the request that is under way. */
export const { waitUntil } = workers;

// Calls wait for the flow that another request began, and one may end it, or close the others.
if (globalThis.Cloudflare?.compatibilityFlags.handle_cross_request_promise_resolution === false) {
  throw new Error('set compatibility_date to 2024-10-14 or later: workerd would continue a call in the wrong request');
}

export const readStart = () => {
  throw new Error('a Worker has no files');
};

export const isLambda = () => false;

/** @template T @param {() => Promise<T>} send */
export const inBackground = (send) => send();
