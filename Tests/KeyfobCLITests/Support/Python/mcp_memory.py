"""Looks for the token in the memory of a client of the package `mcp` that uses a server through Keyfob.

usage: mcp_memory.py bridge|proxy URL        the one that looks
       mcp_memory.py client bridge|proxy URL the client, which calls a tool, waits for a line, and calls it again"""

import asyncio
import os
import pathlib
import re
import subprocess
import sys

MARK = "a-word-that-the-client-has"


async def client(kind, url):
    import mcp
    from mcp.client.stdio import StdioServerParameters

    parameters = StdioServerParameters(command="keyfob", args=["mcp", url], env=dict(os.environ))
    async with mcp.Client(parameters if kind == "bridge" else os.environ["MCP"]) as session:
        for _ in range(2):
            answer = await session.call_tool("add", {"a": 2, "b": 3})
            kept = [MARK.upper().lower(), answer.content[0].text]
            print(os.getpid(), kept[1], flush=True)
            await asyncio.to_thread(sys.stdin.readline)


def memory(process):
    """All that a process can write to."""
    found = []
    with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb") as source:
        for line in maps:
            start, end, rights = re.match(r"(\w+)-(\w+) (\S+)", line).groups()
            if rights.startswith("rw") and "[v" not in line:
                source.seek(int(start, 16))
                found.append(source.read(int(end, 16) - int(start, 16)))
    return b"\0".join(found)


def look(kind, url):
    token = subprocess.run(["keyfob", "token"], stdout=subprocess.PIPE, check=True).stdout.strip()
    program = [sys.executable, str(pathlib.Path(__file__).resolve()), "client", kind, url]
    if kind == "proxy":
        program = ["keyfob", "exec", "--proxy", "--env", "MCP=" + url.removeprefix("https://"), "--", *program]
    child = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for _ in range(2):
        process, answer = child.stdout.readline().split()
        assert answer == "5", answer
        everything = memory(process)
        assert MARK.encode() in everything, "its memory was not read"
        for part in (token, token[len(token) // 2:], token[:len(token) // 2].removeprefix(b"test_access_token_")):
            assert len(part) > 16 and part not in everything, "the client has the token"
        environment = pathlib.Path(f"/proc/{process}/environ").read_bytes()
        assert token not in environment
        child.stdin.write("\n")
        child.stdin.flush()
    child.stdin.close()
    assert child.wait(timeout=60) == 0


if sys.argv[1] == "client":
    asyncio.run(client(*sys.argv[2:]))
else:
    look(*sys.argv[1:])
