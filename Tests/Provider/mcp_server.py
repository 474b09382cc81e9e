"""A server of the Model Context Protocol with an authorization server of its own, over https on a free port of 127.0.0.1.

usage: mcp_server.py FOLDER fastmcp|sdk

`fastmcp` is that of PyPI's package of this name, and `sdk` that of the package `mcp`. Each describes itself by RFC 9728 and RFC 8414,
registers whoever asks (RFC 7591) and wants the scope `tools`; its tool `add` adds two numbers, `rest` takes its time, and `who` tells
a hash of the token. Makes its own certificate: FOLDER/ca.pem. FOLDER/registrations has a line for each client, FOLDER/refreshes one for
each refresh; FOLDER/seconds says how long tokens live, and FOLDER/scopes which scopes the server wants by now. Prints the port; ends when standard input closes."""

import asyncio
import hashlib
import pathlib
import socket
import sys
import time

import guest
from standins import trust

folder, kind = pathlib.Path(sys.argv[1]), sys.argv[2]
guest.leave_with_the_host(folder)

# Loading takes a second: not before somebody waits for the end.
import fastmcp  # noqa: E402
import mcp.server.mcpserver  # noqa: E402
import uvicorn  # noqa: E402
from fastmcp.server.auth.auth import ClientRegistrationOptions, RevocationOptions  # noqa: E402
from fastmcp.server.auth.providers import in_memory  # noqa: E402
from mcp.server.auth.middleware.auth_context import get_access_token  # noqa: E402
from mcp.server.auth.settings import AuthSettings  # noqa: E402

trust.certify(folder, trust.LOOPBACK)
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
base = f"https://127.0.0.1:{listener.getsockname()[1]}"
registration = ClientRegistrationOptions(enabled=True, valid_scopes=["tools", "admin"], default_scopes=["tools"])
revocation = RevocationOptions(enabled=True)


class Provider(in_memory.InMemoryOAuthProvider):
    async def load_refresh_token(self, client, refresh_token):
        found = await super().load_refresh_token(client, refresh_token)
        with (folder / "refreshes").open("a") as log:
            print("taken" if found else "refused", file=log)
        if (folder / "seconds").exists():
            in_memory.DEFAULT_ACCESS_TOKEN_EXPIRY_SECONDS = int((folder / "seconds").read_text())
        return found

    async def load_access_token(self, token):
        # The package takes the refresh token away with an access token that comes too late.
        found = self.access_tokens.get(token)
        return found if found and found.expires_at >= time.time() else None

    async def verify_token(self, token):
        if (folder / "scopes").exists():
            self.required_scopes[:] = (folder / "scopes").read_text().split()
        return await super().verify_token(token)

    async def exchange_authorization_code(self, client, authorization_code):
        if (folder / "seconds").exists():
            in_memory.DEFAULT_ACCESS_TOKEN_EXPIRY_SECONDS = int((folder / "seconds").read_text())
        return await super().exchange_authorization_code(client, authorization_code)

    async def register_client(self, client_info):
        await super().register_client(client_info)
        with (folder / "registrations").open("a") as log:
            print(client_info.client_id, file=log)

    async def get_client(self, client_id):
        return None if (folder / "forgotten").exists() and client_id in (folder / "forgotten").read_text() else await super().get_client(client_id)


provider = Provider(base_url=base, required_scopes=["tools"], client_registration_options=registration, revocation_options=revocation)


def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


async def rest(seconds: int) -> int:
    """Takes its time."""
    await asyncio.sleep(seconds)
    return seconds


def who() -> str:
    """Tells a hash of the token."""
    return hashlib.sha256(get_access_token().token.encode()).hexdigest()


if kind == "fastmcp":
    server = fastmcp.FastMCP("test", auth=provider)
    for tool in (add, rest, who):
        server.tool(tool)
    app = server.http_app()
else:
    server = mcp.server.mcpserver.MCPServer(
        "test", auth_server_provider=provider, auth=AuthSettings(
            issuer_url=base, resource_server_url=base + "/mcp", required_scopes=["tools"], client_registration_options=registration,
            revocation_options=revocation, validate_token_resource=False), log_level="ERROR")
    for tool in (add, rest, who):
        server.tool()(tool)
    app = server.streamable_http_app()


async def serve():
    configuration = uvicorn.Config(app, log_level="error", ssl_certfile=folder / "server.pem", ssl_keyfile=folder / "server.key")
    listener.listen(128)
    print(listener.getsockname()[1], flush=True)
    await uvicorn.Server(configuration).serve(sockets=[listener])


asyncio.run(serve())
