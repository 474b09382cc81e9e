"""What a client of the package `mcp` gets of a server through `keyfob mcp`.

usage: mcp_bridge.py calls|locked URL | later|scopes URL LOGIN | together URL COUNT SECONDS | directories URL NAME NAME"""

import asyncio
import contextlib
import hashlib
import os
import random
import re
import signal
import subprocess
import sys
import time

import mcp
from mcp.client.stdio import StdioServerParameters, stdio_client

CASE, URL = sys.argv[1:3]


@contextlib.asynccontextmanager
async def session(*options, directory=None, errors=sys.stderr):
    parameters = StdioServerParameters(command="keyfob", args=["mcp", URL, *options], env=dict(os.environ), cwd=directory)
    async with stdio_client(parameters, errlog=errors) as (reading, writing), mcp.ClientSession(reading, writing) as client:
        yield client


async def text(client, name, **arguments):
    answer = await client.call_tool(name, arguments)
    return answer.content[0].text


async def calls():
    async with session() as client:
        await client.initialize()
        assert "add" in [tool.name for tool in (await client.list_tools()).tools]
        began = time.time()
        slow = asyncio.create_task(text(client, "rest", seconds=2))
        sums = await asyncio.gather(*(text(client, "add", a=number, b=1) for number in range(10)))
        assert sums == [str(number + 1) for number in range(10)] and time.time() - began < 2, (sums, time.time() - began)
        assert await slow == "2"
    # A client of the newest revision, which asks first what the server can do.
    async with mcp.Client(StdioServerParameters(command="keyfob", args=["mcp", URL], env=dict(os.environ))) as client:
        assert (await client.call_tool("add", {"a": 2, "b": 3})).content[0].text == "5"


async def later():
    async with session() as client:
        try:
            await client.initialize()
            raise AssertionError("somebody was let in")
        except mcp.MCPError as error:
            assert f"run 'keyfob login {URL}'" in str(error), error
        done = await asyncio.create_subprocess_shell(sys.argv[3])
        assert await done.wait() == 0
        await client.initialize()
        assert await text(client, "add", a=1, b=1) == "2"


async def locked():
    key = os.environ["KEYFOB_KEY_FILE"]
    async with session() as client:
        await client.initialize()
    os.rename(key, key + ".away")
    async with session() as client:
        try:
            await client.initialize()
            raise AssertionError("the vault was open")
        except mcp.MCPError as error:
            assert "keyfob" in str(error) and "key" in str(error), error
        os.rename(key + ".away", key)
        await client.initialize()
        assert await text(client, "add", a=1, b=1) == "2"


async def scopes():
    async with session() as client:
        try:
            await client.initialize()
            raise AssertionError("a scope was not missed")
        except mcp.MCPError as error:
            command = re.search(r"run '(keyfob login [^']*)'", str(error))[1]
        assert "--scope admin" in command and "--scope tools" in command, command
        browser = sys.argv[3].split("keyfob login")[0]
        done = await asyncio.create_subprocess_shell(f"{browser} {command} --quiet")
        assert await done.wait() == 0
        await client.initialize()
        assert await text(client, "add", a=1, b=1) == "2"


async def together():
    count, seconds = int(sys.argv[3]), float(sys.argv[4])
    done = []

    async def one(number):
        async with session() as client:
            await client.initialize()
            end = time.time() + seconds
            while time.time() < end:
                assert await text(client, "add", a=number, b=1) == str(number + 1)
                done.append(number)
                await asyncio.sleep(random.random() / 2)

    async def killer():
        end = time.time() + seconds - 2
        while time.time() < end:
            process = subprocess.Popen(["keyfob", "mcp", URL], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
            process.stdin.write(
                b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
                b'"clientInfo":{"name":"x","version":"1"}}}\n')
            process.stdin.flush()
            await asyncio.sleep(random.random())
            process.send_signal(signal.SIGKILL)
            process.wait()
            process.stdin.close()

    await asyncio.gather(*(one(number) for number in range(count)), killer())
    assert set(done) == set(range(count)) and len(done) > count * 5, len(done)


async def directories():
    names = sys.argv[3:5]
    tokens = [subprocess.run(["keyfob", "token", "--account", name], capture_output=True, check=True).stdout.strip() for name in names]
    wanted = [hashlib.sha256(token).hexdigest() for token in tokens]
    assert len(set(wanted)) == 2
    told = {"a": [], "b": []}

    async def calls(directory):
        for _ in range(5):
            async with session(directory=directory) as client:
                await client.initialize()
                for _ in range(20):
                    told[directory] += await asyncio.gather(*(text(client, "who") for _ in range(5)))

    await asyncio.gather(calls("a"), calls("b"))
    assert [len(told[one]) for one in "ab"] == [500, 500] and [set(told[one]) for one in "ab"] == [{one} for one in wanted], told


asyncio.run({"calls": calls, "later": later, "locked": locked, "scopes": scopes, "together": together, "directories": directories}[CASE]())
