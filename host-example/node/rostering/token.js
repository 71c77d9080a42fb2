/**
 * An access token. It does not show when it is printed, logged or made JSON of.
 */
export class Token {
  #accessToken;
  /** `Bearer` */
  tokenType;
  expiresAt;
  /** Names the token URL, the client and the scope that the token belongs to; holds no secret. */
  cacheKey;

  /** @param {{access_token: string, token_type: string, expires_at: number, cache_key: string}} fields */
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
}
