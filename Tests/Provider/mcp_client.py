"""A client of the Model Context Protocol, that of the package `mcp`, which has no token: it asks the tool `add` of a server.

usage: mcp_client.py URL A B"""

import asyncio
import sys

import mcp


async def main():
    async with mcp.Client(sys.argv[1]) as client:
        answer = await client.call_tool("add", {"a": int(sys.argv[2]), "b": int(sys.argv[3])})
        print(answer.content[0].text)


asyncio.run(main())
