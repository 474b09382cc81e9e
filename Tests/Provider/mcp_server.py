"""A server of the Model Context Protocol with an authorization server of its own, over https on a free port of 127.0.0.1.

usage: mcp_server.py FOLDER fastmcp|sdk

`fastmcp` is that of PyPI's package of this name, and `sdk` that of the package `mcp`. Each describes itself by RFC 9728 and RFC 8414,
registers whoever asks (RFC 7591) and wants the scope `tools`; its tool `add` adds two numbers. Makes its own certificate: FOLDER/ca.pem.
FOLDER/registrations has a line for each client. Prints the port; ends when standard input closes."""

import asyncio
import pathlib
import socket
import sys

import guest
from standins import trust

folder, kind = pathlib.Path(sys.argv[1]), sys.argv[2]
guest.leave_with_the_host(folder)

# Loading takes a second: not before somebody waits for the end.
import fastmcp  # noqa: E402
import mcp.server.mcpserver  # noqa: E402
import uvicorn  # noqa: E402
from fastmcp.server.auth.auth import ClientRegistrationOptions, RevocationOptions  # noqa: E402
from fastmcp.server.auth.providers.in_memory import InMemoryOAuthProvider  # noqa: E402
from mcp.server.auth.settings import AuthSettings  # noqa: E402

trust.certify(folder, trust.LOOPBACK)
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
base = f"https://127.0.0.1:{listener.getsockname()[1]}"
registration = ClientRegistrationOptions(enabled=True, valid_scopes=["tools", "admin"], default_scopes=["tools"])
revocation = RevocationOptions(enabled=True)


class Provider(InMemoryOAuthProvider):
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


if kind == "fastmcp":
    server = fastmcp.FastMCP("test", auth=provider)
    server.tool(add)
    app = server.http_app()
else:
    server = mcp.server.mcpserver.MCPServer(
        "test", auth_server_provider=provider, auth=AuthSettings(
            issuer_url=base, resource_server_url=base + "/mcp", required_scopes=["tools"], client_registration_options=registration,
            revocation_options=revocation, validate_token_resource=False), log_level="ERROR")
    server.tool()(add)
    app = server.streamable_http_app()


async def serve():
    configuration = uvicorn.Config(app, log_level="error", ssl_certfile=folder / "server.pem", ssl_keyfile=folder / "server.key")
    listener.listen(128)
    print(listener.getsockname()[1], flush=True)
    await uvicorn.Server(configuration).serve(sockets=[listener])


asyncio.run(serve())
