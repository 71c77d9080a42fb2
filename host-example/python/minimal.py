"""The shortest program that uses the plugin. Run it in the top folder, after make build."""

import json
import os

from rostering import Client, Config, RosteringError

# snippet
config = Config(
    environment="stage",
    auth_url=os.environ["ROSTERING_AUTH_URL"],
    base_url=os.environ["ROSTERING_BASE_URL"],
    client_id=os.environ["ROSTERING_CLIENT_ID"],
    client_secret=os.environ["ROSTERING_CLIENT_SECRET"],
    customer_id=os.environ["ROSTERING_CUSTOMER_ID"],
    user_id=os.environ["ROSTERING_USER_ID"],
)
with Client("dist/rostering.wasm", config) as client:  # one for the whole process
    try:
        jobs = json.loads(client.list_jobs())
    except RosteringError as error:
        print(f"{error}; again later: {error.retryable}")
    else:
        print(jobs)
# end of snippet
