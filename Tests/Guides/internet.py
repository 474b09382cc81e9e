"""The network as the guides' commands meet it: GitHub, Microsoft and Graph, by the stand-ins of Tests/Provider.

GitHub's device flow is approved at once, the first time by ada, then by ada-contoso. Of its repositories ada/notes and contoso/app are
private: ada can read the one, and ada-contoso the other. The refresh tokens of Samples are good at Microsoft's."""

import json
import pathlib
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "Tests/Provider"))
from standins import github, microsoft, serving  # noqa: E402

#: Tokens that the homes of some pages begin with.
TOKENS = {f"gho_{number:036}": {"person": person, "scopes": ["repo"]} for number, person in enumerate(("ada", "ada-contoso"), 1)}
#: The client of the Azure CLI, and its people in Samples.
AZURE, PEOPLE = "04b07795-8ddb-461a-bbee-02f9e1bf7b46", {"ada": "contoso", "ben": "fabrikam", "cleo": "contoso"}


class Network(serving.Network):
    """The hosts, for as long as a page runs."""

    def __init__(self, folder):
        cache = json.loads((REPOSITORY / "Samples/msal_token_cache.json").read_text())
        tokens = [entry["secret"] for entry in cache["RefreshToken"].values()]
        known = {token: [f"{name}@{company}.example", AZURE] for token in tokens for name, company in PEOPLE.items() if token.endswith(name)}
        super().__init__(folder, [
            github.GitHub(sitting=["ada", "ada-contoso"], tokens=TOKENS, user_code="WDJB-MJHT", interval=1),
            microsoft.Microsoft(refresh_tokens=known)])
