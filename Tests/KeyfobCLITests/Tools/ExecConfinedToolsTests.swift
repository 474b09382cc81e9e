import Foundation
import KeyfobTestSupport
import Testing

/// Programs that work behind the wall of `keyfob exec --proxy --confine` as they do without it.
@Suite(
    "Programs that work confined", .waitsForPrograms, .enabled(if: Privileges.canConfine, Privileges.whyNotConfined))
struct ExecConfinedToolsTests {
    private let provider: ProviderServer

    init() throws { provider = try ProviderServer(.init(isSecure: true)) }

    @Test("git clones, fetches, commits and pushes")
    func git() throws {
        let server = try GuestServer.git(provider, owners: "alice")
        let home = try SignInPlace(
            provider, options: "--api-host \(server.host)",
            variables: [
                "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_AUTHOR_NAME": "x",
                "GIT_AUTHOR_EMAIL": "x@x", "GIT_COMMITTER_NAME": "x", "GIT_COMMITTER_EMAIL": "x@x",
                "URL": "https://\(server.host)",
            ])
        try home.signIn("alice")
        let outcome = try home.run(
            """
            mkdir work && cd work && keyfob exec --proxy --confine --account alice -- sh -c '
                git clone -q $URL/alice/app.git && cd app && echo x > new && git add new && git commit -q -m second &&
                    git push -q && git fetch -q && git checkout -q -b other && git rebase -q HEAD~1 && git log --format=%s'
            git -C app status --porcelain; ls app
            """)
        #expect(outcome.text == "second\nfirst\nnew\n" && outcome.errors.isEmpty, "\(outcome)")
        #expect(try server.requests().contains { $0.hasPrefix("200 Basic alice /alice/app.git/git-receive-pack") })
    }

    @Test("curl, Python with threads, processes and sockets, pipelines, editors of files and a pseudo-terminal")
    func programs() throws {
        let server = try GuestServer.api(provider)
        let place = try Workplace.withVault(["KEYFOB_CA_FILE": provider.authorityFile ?? "", "SERVER": server.host])
        try place.add("ada", token: "TOKEN-OF-ADA", "--host \(server.host)")
        try place.write(
            "program.py",
            """
            import asyncio, concurrent.futures, multiprocessing, os, pty, requests, socket, subprocess, tempfile
            base = os.environ["KEYFOB_PROXY"] + "/" + os.environ["SERVER"]
            print(requests.get(base + "/x").json()["path"])
            with concurrent.futures.ThreadPoolExecutor(20) as pool:
                print(sum(pool.map(lambda n: requests.get(f"{base}/n{n}").status_code == 200, range(60))))
            with multiprocessing.get_context("fork").Pool(3) as pool:
                print(pool.map(abs, [-1, -2, -3]))
            with socket.create_server(("127.0.0.1", 0)) as server:
                with socket.create_connection(server.getsockname()): print("served")
            async def echo():
                process = await asyncio.create_subprocess_exec("cat", stdin=-1, stdout=-1)
                return (await process.communicate(b"piped"))[0]
            print(asyncio.run(echo()))
            with tempfile.NamedTemporaryFile() as file: print(file.name.startswith("/tmp/"))
            print(pty.spawn(["tty"]))
            print(len(os.getgroups()) >= 0, os.getuid() == os.stat(".").st_uid, os.cpu_count() > 0)
            print(subprocess.run("ls | wc -l; sed -i s/a/b/ f && cat f; find . -name f | xargs -n 1 dirname; ps ax | grep -c python",
                shell=True, capture_output=True, text=True).stdout.split())
            """)
        let outcome = try place.run(
            """
            mkdir work; cd work; echo a > f; keyfob exec --proxy --confine --account ada --env API=$SERVER -- bash -c '
                curl -sS $API/me | grep -c "\\"path\\": \\"/me\\""; $PYTHON -u ../program.py; kill -0 $$ && echo $(jobs | wc -l)
                sleep 30 & kill %1; wait %1; echo $?; cat < <(echo through) | tee /dev/stderr; date > /dev/null; getent hosts localhost | wc -l'
            """)
        let lines = outcome.text.split(separator: "\n").map(String.init)
        #expect(
            lines.prefix(7) == ["1", "/x", "60", "[1, 2, 3]", "served", "b'piped'", "True"], "\(outcome)")
        #expect(lines.contains("True True True") && lines.contains("through") && lines.contains("143"), "\(outcome)")
        #expect(lines.contains { $0.hasPrefix("/dev/pts/") }, "\(outcome)")
        #expect(try server.requests().allSatisfy { $0.contains("Bearer TOKEN-OF-ADA") })
    }
}
