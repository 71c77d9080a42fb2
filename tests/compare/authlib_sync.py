from authlib.integrations.requests_client import OAuth2Session
from serve import HEADERS, JOBS_URL, SCOPE, TOKEN_URL, env, serve

session = OAuth2Session(
    env("CLIENT_ID"),
    env("CLIENT_SECRET"),
    scope=SCOPE,
    token_endpoint=TOKEN_URL,
    token_endpoint_auth_method="client_secret_post",
    grant_type="client_credentials",
)


def call() -> None:
    if session.token is None:  # the first token is the program's to fetch
        session.fetch_token()
    session.get(JOBS_URL, headers=HEADERS, timeout=10).raise_for_status()


serve(call)
