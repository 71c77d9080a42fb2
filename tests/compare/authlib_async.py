import asyncio

from authlib.integrations.httpx_client import AsyncOAuth2Client
from serve import HEADERS, JOBS_URL, SCOPE, TOKEN_URL, env, serve_async


async def main() -> None:
    client = AsyncOAuth2Client(
        env("CLIENT_ID"),
        env("CLIENT_SECRET"),
        scope=SCOPE,
        token_endpoint=TOKEN_URL,
        token_endpoint_auth_method="client_secret_post",
        grant_type="client_credentials",
    )

    async def call() -> None:
        if client.token is None:  # the first token is the program's to fetch
            await client.fetch_token()
        (await client.get(JOBS_URL, headers=HEADERS)).raise_for_status()

    await serve_async(call)


asyncio.run(main())
