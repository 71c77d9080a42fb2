/**
 * The place that all processes of a fleet share.
 *
 * @typedef {object} Store
 * @property {(key: string, work: (slot: Slot) => Promise<void>) => Promise<boolean>} use Does work with the
 *   place of that name. False if it cannot be used, now or in the middle.
 */

/**
 * The place of one token.
 *
 * @typedef {object} Slot
 * @property {() => Promise<string>} get What was put there and has not expired; '' if nothing.
 * @property {(text: string, ms: number) => Promise<void>} put Puts a text there, for so long.
 * @property {(ms: number, work: () => Promise<void>) => Promise<boolean>} locked Does work while no other may do
 *   so, for so long at most. False, and nothing done, if another does.
 */

export {};
