import json
from typing import Any

import msal
import requests
from serve import HEADERS, JOBS_URL, SCOPE, TOKEN_URL, env, serve

AUTHORITY = "https://login.example/tenant"


class Discovered:
    """MSAL wants https and discovery, which the sandbox lacks: this stands in for both."""

    def get(self, _url: str, **_: Any) -> Any:
        response = requests.Response()
        response.status_code = 200
        response._content = json.dumps(
            {
                "issuer": AUTHORITY,
                "authorization_endpoint": f"{AUTHORITY}/authorize",
                "token_endpoint": f"{AUTHORITY}/connect/token",
            }
        ).encode()
        return response

    def post(self, _url: str, *, data: Any = None, headers: Any = None, **_: Any) -> Any:
        return requests.post(TOKEN_URL, data=data, headers=headers, timeout=10)

    def close(self) -> None:
        pass


app = msal.ConfidentialClientApplication(
    env("CLIENT_ID"), env("CLIENT_SECRET"), oidc_authority=AUTHORITY, http_client=Discovered()
)


def call() -> None:
    result = app.acquire_token_for_client([SCOPE])
    if "access_token" not in result:
        raise RuntimeError(json.dumps(result))
    headers = {**HEADERS, "Authorization": f"Bearer {result['access_token']}"}
    requests.get(JOBS_URL, headers=headers, timeout=10).raise_for_status()


serve(call)
