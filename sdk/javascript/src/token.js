/**
 * A token object as the plugin writes it: `expires_at` is in Unix seconds.
 *
 * @typedef {{access_token: string, token_type: string, expires_at: number, cache_key: string}} TokenObject
 */

/**
 * An access token. The secret part is not shown when it is printed, logged or serialized to JSON.
 */
export class Token {
  #accessToken;
  /** `Bearer` */
  tokenType;
  expiresAt;
  /** Names the token URL, the client and the scope that the token belongs to; holds no secret. */
  cacheKey;

  /** @param {TokenObject} fields */
  constructor(fields) {
    this.#accessToken = fields.access_token;
    this.tokenType = fields.token_type;
    this.expiresAt = new Date(fields.expires_at * 1000);
    this.cacheKey = fields.cache_key;
  }

  /** Goes into the header `Authorization: Bearer …`. */
  get accessToken() {
    return this.#accessToken;
  }

  /**
   * The token object, secret included, for storage; `new Token` of it restores the token.
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
