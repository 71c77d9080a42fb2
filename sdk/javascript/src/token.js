import { kind } from './check.js';

/**
 * A token as the plugin writes it. `expires_at` is in Unix seconds.
 *
 * @typedef {{access_token: string, token_type: string, expires_at: number, cache_key: string}} TokenObject
 */

/** An access token. Its secret part is not shown when it is printed, logged or serialized to JSON. */
export class Token {
  #accessToken;
  /** `Bearer` */
  tokenType;
  /** When the token expires. */
  expiresAt;
  /** Names whose token it is. It has no secret. */
  cacheKey;

  /** @param {TokenObject} fields */
  constructor(fields) {
    if (typeof fields !== 'object' || fields === null)
      throw new TypeError(`new Token takes a token object, not ${kind(fields)}`);
    this.#accessToken = fields.access_token;
    this.tokenType = fields.token_type;
    this.expiresAt = new Date(fields.expires_at * 1000);
    this.cacheKey = fields.cache_key;
  }

  /** The secret part, for the header `Authorization: Bearer …`. */
  get accessToken() {
    return this.#accessToken;
  }

  /**
   * Returns the token object, with the secret part, for storage. `new Token(object)` restores the token.
   *
   * @returns {TokenObject}
   */
  toObject() {
    return {
      access_token: this.#accessToken,
      token_type: this.tokenType,
      expires_at: this.expiresAt.getTime() / 1000,
      cache_key: this.cacheKey,
    };
  }
}
