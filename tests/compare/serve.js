import { createInterface } from 'node:readline';

export const env = (name) => process.env[`ROSTERING_${name}`];
export const tokenURL = `${env('AUTH_URL')}/connect/token`;
export const scope = 'automatic-rostering-stage';

/** The request of a program that has a token: what it does with a 401 is up to the library. */
export const jobsURL = `${env('BASE_URL')}/jobs`;
export const headers = { CUSTOMER_ID: env('CUSTOMER_ID'), USER_ID: env('USER_ID') };

export async function expectOK(response) {
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}

/** Reads {"calls": n} per line, makes n concurrent calls, and prints how they ended. */
export async function serve(call) {
  for await (const line of createInterface({ input: process.stdin })) {
    const ends = await Promise.allSettled(Array.from({ length: JSON.parse(line).calls }, () => call()));
    const errors = ends.filter((e) => e.status === 'rejected').map(({ reason }) => describe(reason));
    console.log(JSON.stringify({ errors }));
  }
}

/** All that a program would log of an error: it and its causes. */
function describe(error) {
  let text = '';
  for (let e = error, depth = 0; e && depth < 5; e = e.cause, depth += 1) {
    text += `${e} ${e.stack ?? ''} ${JSON.stringify(e)} `;
  }
  return text;
}
