"""Where a token is kept for others."""

from urllib.parse import quote_plus

from .config import Config

_SCOPES = {"stage": "automatic-rostering-stage", "production": "automatic-rostering-prod"}


def cache_key(config: Config) -> str:
    """Give the `cache_key` that the tokens of a config have, without asking for one.

    A process that has just started needs it to look for a token. One above 512 characters is
    whole here, but cut in the token.
    """
    token_url = config.auth_url.rstrip("/") + "/connect/token"
    scope = config.scope or _SCOPES.get(config.environment or "", "")
    parts = (token_url, config.client_id, scope)
    return ":".join(["rostering", *(quote_plus(part) for part in parts)])
