import Foundation
import KeyfobTestSupport
import Testing

/// curl and Python against an API over https, by `keyfob exec --proxy`.
@Suite("A program whose requests get a token on their way", .waitsForPrograms, .serialized)
struct ExecProxyTests {
    private let provider: ProviderServer
    private let server: GuestServer
    private let place: Workplace

    init() throws {
        provider = try ProviderServer(.init(isSecure: true))
        server = try .api(provider)
        place = try Workplace.withVault(["KEYFOB_CA_FILE": provider.authorityFile ?? "", "SERVER": server.host])
        try place.add("ada", token: "TOKEN-OF-ADA", "--host \(server.host)")
    }

    /// What the server was asked.
    private struct Request: Decodable {
        let method: String
        let path: String
        let headers: [[String]]
        let count: Int

        func values(_ name: String) -> [String] { headers.filter { $0[0].lowercased() == name }.map { $0[1] } }
    }

    private func requests() throws -> [Request] {
        try server.requests().map { try JSONDecoder().decode(Request.self, from: Data($0.utf8)) }
    }

    /// Runs a script of the shell behind a proxy.
    private func behind(_ options: String, _ script: String, deadline: Int = 120) throws -> Outcome {
        try place.write("script", script)
        return try place.run("keyfob exec --proxy \(options) -- bash script", deadline: deadline)
    }

    @Test(
        "the service gets the token, and the program nothing of it: not in its variables, its files or what it is told")
    func secrecy() throws {
        let outcome = try behind(
            "--account ada --env API=$SERVER",
            #"""
            curl -sS -H 'Authorization: Bearer MINE' -H 'Cookie: a=b' -H 'X-Kept: yes' -o answer $API/me?q=1
            test $API = $KEYFOB_PROXY/$SERVER && echo same
            cat /proc/self/environ /proc/$$/environ answer | tr '\0' '\n' > seen; env >> seen
            grep -c TOKEN-OF-ADA seen answer; find . -path ./data -prune -o -type f -print0 | xargs -0 grep -l 'TOKEN-OF-A[D]A'
            ls run/keyfob 2> /dev/null
            """#)
        // The server tells all that it got: here alone the token is.
        #expect(outcome.text.contains("same\n"), "\(outcome)")
        let request = try #require(try requests().first)
        #expect(request.method == "GET" && request.path == "/me?q=1")
        #expect(request.values("authorization") == ["Bearer TOKEN-OF-ADA"])
        #expect(request.values("cookie").isEmpty && request.values("x-kept") == ["yes"])
        #expect(request.values("host") == [server.host] && request.values("referer").isEmpty)
        let silent = try behind(
            "--account ada --env API=$SERVER",
            #"""
            curl -sS -i $API/parts > answer
            cat /proc/self/environ /proc/$$/environ /proc/$PPID/environ answer | grep -ac TOKEN-OF-ADA
            rm -f seen; ls; grep -l TOKEN-OF-ADA * 2> /dev/null; tr -d '\r' < answer
            """#)
        #expect(silent.text.hasPrefix("0\n"), "\(silent)")
        #expect(silent.text.contains("X-Kept: yes\n") && silent.text.hasSuffix("one two three\n"), "\(silent)")
        for header in ["Set-Cookie", "Alt-Svc", "Keep-Alive", "X-Hop"] {
            #expect(!silent.text.contains(header + ":"), "\(silent)")
        }
        // Of an address the log has the host.
        let log = try place.run("keyfob log --json").expectSuccess().text
        #expect(log.contains(#""tool" : "bash""#) && log.contains(#""host" : "\#(server.host)""#), "\(log)")
        #expect(!log.contains("q=1") && !log.contains("/me"), "\(log)")
    }

    @Test(
        "where nothing came through, that is said at the end, and nothing where something did or nothing ran",
        arguments: [("true", true), ("exit 7", true), ("curl -sS $API/me > answer", false)])
    func unused(script: String, isTold: Bool) throws {
        let outcome = try behind("--account ada --env API=$SERVER", script)
        #expect(outcome.errors.contains("bash sent nothing through the proxy") == isTold, "\(outcome)")
        #expect(outcome.errors.split(separator: "\n").count == (isTold ? 1 : 0), "\(outcome)")
        let missing = try place.run("keyfob exec --proxy --account ada --env API=$SERVER -- nosuchprogram")
        #expect(missing.status == 127 && !missing.errors.contains("through the proxy"), "\(missing)")
    }

    @Test("of a token that no request took the log has nothing")
    func unused() throws {
        try place.run("keyfob exec --quiet --proxy --url https://$SERVER/x --account ada -- true").expectSuccess()
        let log = try place.run("keyfob log --json").expectSuccess().text
        #expect(!log.contains("account"), "\(log)")
    }

    @Test("what no rule has and where the token does not go is answered 403 and told in a line, without the query")
    func refused() throws {
        let outcome = try behind(
            "--account ada --allow \"GET $SERVER/repos/me/*\" --allow 'GET evil.example/*'",
            """
            ask() { curl -sS -w '%{http_code}\\n' --path-as-is "$@"; }
            ask -o /dev/null $KEYFOB_PROXY/$SERVER/repos/me/x?key=1
            ask $KEYFOB_PROXY/$SERVER/repos/you?key=PRIVATE; ask -X DELETE $KEYFOB_PROXY/$SERVER/repos/me/x
            ask $KEYFOB_PROXY/evil.example/; ask $KEYFOB_PROXY/$SERVER/repos/me/../you; ask $KEYFOB_PROXY/$SERVER/repos/me/%2e%2e/you
            ask http://127.0.0.1:$(echo $KEYFOB_PROXY | cut -d: -f3 | cut -d/ -f1)/$SERVER/repos/me/x
            """)
        let lines = outcome.text.split(separator: "\n")
        #expect(lines.count == 13 && lines[0] == "200", "\(outcome)")
        #expect(lines.dropFirst().filter { !$0.hasPrefix("keyfob: ") } == ["403", "403", "403", "400", "400", "404"])
        #expect(
            lines.contains(
                "keyfob: no --allow of 'keyfob exec' has GET \(server.host)/repos/you; "
                    + "add --allow \"GET \(server.host)/repos/you\""), "\(outcome)")
        #expect(outcome.text.contains("keyfob: the tokens of ada do not go to evil.example;"), "\(outcome)")
        #expect(!outcome.errors.contains("PRIVATE"), "\(outcome)")
        #expect(outcome.errors.split(separator: "\n").count == 6, "\(outcome)")
        #expect(outcome.errors.contains("keyfob: warning: not passed on: DELETE \(server.host)/repos/me/x: no --allow"))
        #expect(try requests().map(\.path) == ["/repos/me/x?key=1"])
    }

    @Test("with a rule, a header that may mean another request is refused, and told with the option that allows it")
    func headers() throws {
        let targets = [
            "Destination", "X-Amz-Copy-Source", "x-ms-rename-source", "X-Original-Path", "X_Envoy_Original_Path",
            "Sudo",
            "Impersonate-User", "X-Goog-User-Project", "X-Method", "Private-Token", "X-Nobody-Knows-It",
        ]
        let ask = "curl -sS -o /dev/null -w '%{http_code} ' $KEYFOB_PROXY/$SERVER/repos/me/x"
        let outcome = try behind(
            "--account ada --allow \"GET $SERVER/repos/me/*\"",
            targets.map { "\(ask) -H '\($0): /private'\n" }.joined() + ask
                + " -H 'Accept: text/plain' -H 'X-GitHub-Api-Version: 2022-11-28' -H 'If-None-Match: x'\n"
                + "$PYTHON -c 'import os, requests; print(requests.get(os.environ[\"KEYFOB_PROXY\"] + \"/\" "
                + "+ os.environ[\"SERVER\"] + \"/repos/me/y\").status_code)'")
        #expect(outcome.text == String(repeating: "403 ", count: targets.count) + "200 200\n", "\(outcome)")
        #expect(try requests().map(\.path) == ["/repos/me/x", "/repos/me/y"])
        let warnings = outcome.errors.split(separator: "\n")
        for (target, warning) in zip(targets, warnings) {
            let name = target.lowercased().replacing("_", with: "-")
            #expect(warning.hasSuffix("--allow-header \(name) lets it through"), "\(warning)")
        }
        let allowed = try behind(
            "--account ada --allow \"GET $SERVER/repos/me/*\" --allow-header sudo",
            "\(ask) -H 'Sudo: x'; \(ask) -H 'Sudo: x' -H 'Destination: y'")
        #expect(allowed.text == "200 403 ", "\(allowed)")
    }

    @Test("a redirection goes to the program as it is, and leads back here where that is granted")
    func redirected() throws {
        let outcome = try behind(
            "--account ada --env API=$SERVER",
            """
            for to in https://$SERVER/new https://evil.example/new /new; do
                curl -sS -o /dev/null -w '%{redirect_url}\\n' "$API/go?$to" | sed "s,$KEYFOB_PROXY,BASE,"
            done
            curl -sSL -o /dev/null -w '%{http_code}\\n' "$API/go?https://$SERVER/new"
            """)
        #expect(
            outcome.text == "BASE/\(server.host)/new\nhttps://evil.example/new\nBASE/\(server.host)/new\n200\n",
            "\(outcome)")
        #expect(
            try requests().filter { $0.path == "/new" }.map { $0.values("authorization") } == [["Bearer TOKEN-OF-ADA"]])
    }

    @Test("bodies go through piece by piece, with little memory, and an answer that is cut off is cut off here")
    func streams() throws {
        let outcome = try behind(
            "--account ada --env API=$SERVER",
            #"""
            head -c 100000000 /dev/zero > big; digest=$(sha256sum < big | cut -c 1-64)
            curl -sS -T big $API/put | grep -c $digest
            curl -sS -H 'Transfer-Encoding: chunked' -T - $API/put < big | grep -c $digest
            curl -sS $API/big?200000000 | wc -c
            curl -sS -T big -w '%{http_code}\n' -o /dev/null $API/early
            curl -sS $API/cut 2> /dev/null; echo " $?"
            touch seen; curl -sSN $API/events > seen & for n in 1 2 3; do
                touch $FOLDER/go-$n; until grep -q "data: $n" seen; do sleep 0.02; done; echo event $n
            done; wait
            for process in $(cat /proc/$PPID/task/*/children); do
                test $process = $$ || grep VmHWM /proc/$process/status
            done | sort -n | awk '{ if ($2 > 150000) print "too much", $2 }'
            """#.replacing("$FOLDER", with: server.folder), deadline: 300)
        #expect(
            outcome.text == "1\n1\n200000000\n413\nhalf 18\nevent 1\nevent 2\nevent 3\n" && outcome.errors.isEmpty,
            "\(outcome)")
    }

    @Test("Python's requests and a session of its own, and many at once")
    func python() throws {
        try place.write(
            "program.py",
            """
            import concurrent.futures, os, requests, socket
            base = os.environ["KEYFOB_PROXY"] + "/" + os.environ["SERVER"]
            with requests.Session() as session:
                print([session.post(f"{base}/{n}", json={"n": n}).json()["method"] for n in range(3)])
                print(session.get(base + "/parts").text.strip(), dict(session.cookies))
            # As Java connects: by a socket of IPv6.
            port, path = base.removeprefix("http://127.0.0.1:").split("/", 1)
            with socket.create_connection(("::ffff:127.0.0.1", int(port))) as connection:
                connection.sendall(f"GET /{path}/x HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\nUpgrade: h2c\\r\\n\\r\\n".encode())
                print(connection.recv(12).decode(), '')
            with concurrent.futures.ThreadPoolExecutor(100) as pool:
                print(sum(pool.map(lambda n: requests.get(f"{base}/n{n}", timeout=100).status_code == 200, range(300))))
            """)
        let outcome = try place.run("keyfob exec --proxy --account ada -- \(PythonScript.interpreter) program.py")
        #expect(outcome.text == "['POST', 'POST', 'POST']\none two three {}\nHTTP/1.1 200 \n300\n", "\(outcome)")
        #expect(try requests().allSatisfy { $0.values("authorization") == ["Bearer TOKEN-OF-ADA"] })
    }

    @Test("a program that does not behave is refused, and keeps nobody else from being served")
    func hostile() throws {
        let script = PythonScript.path("proxy_attacks")
        // 64 are let in at once.
        let count = TestLength.rounds(200, full: 1_000)
        let outcome = try place.run(
            "keyfob exec --quiet --proxy --account ada -- \(PythonScript.interpreter) \(script) $SERVER \(count)",
            deadline: 300)
        #expect(
            outcome.text == """
                pipelined 200 400
                smuggled 400
                bare line feed 400
                folded 400
                space before colon 400
                null 400
                huge head 431
                many headers 431
                bad chunk 400
                dots 400
                absolute 400
                absolute to itself 400
                connect 501
                trace 501
                upgrade 501
                other Host 403
                page 403
                no secret 404
                tls 400
                afterwards 200

                """ && outcome.errors.isEmpty, "\(outcome)")
        #expect(try requests().filter { $0.path == "/good" }.count == 2)
        // The service notes it when it has seen that nobody reads on.
        let noted = server.folder + "/written"
        for _ in 0..<600 where !FileManager.default.fileExists(atPath: noted) { usleep(100_000) }
        let written = try Int(String(contentsOfFile: noted, encoding: .utf8)) ?? 0
        #expect(written < 64 << 20)
    }

    @Test(
        "another user of the machine gets nothing, even with the address",
        .enabled(if: Privileges.isRoot, "only root can become another user"))
    func otherUser() throws {
        let outcome = try behind(
            "--account ada --env API=$SERVER",
            """
            setpriv --reuid 65534 --clear-groups curl -sS -o /dev/null $API/theirs; echo $?
            curl -sS -o /dev/null -w '%{http_code}\\n' $API/mine
            """)
        #expect(["52\n200\n", "56\n200\n"].contains(outcome.text), "\(outcome)")
        #expect(
            outcome.errors.contains("keyfob: warning: not passed on: a connection: it is of another user (65534)"),
            "\(outcome)")
        #expect(try requests().map(\.path) == ["/mine"])
    }

    @Test(
        "many connections of another user are two lines, and keep nobody waiting",
        .enabled(if: Privileges.isRoot, "only root can become another user"))
    func flood() throws {
        let outcome = try behind(
            "--account ada --env API=$SERVER",
            #"""
            port=$(echo $KEYFOB_PROXY | cut -d: -f3 | cut -d/ -f1)
            setpriv --reuid 65534 --clear-groups bash -c "
                for n in {1..300}; do exec {other}<>/dev/tcp/127.0.0.1/$port || exit; done; sleep 1" &
            for n in 1 2 3; do curl -sS -o /dev/null -w '%{http_code}\n' $API/mine; done; wait
            """#)
        #expect(outcome.text == "200\n200\n200\n", "\(outcome)")
        #expect(
            outcome.errors == """
                keyfob: warning: not passed on: a connection: it is of another user (65534); further ones are counted
                keyfob: warning: not passed on: 299 more connections of another user (65534)

                """, "\(outcome)")
    }

    @Test("what is refused says what would let it through, for no more than that, or why nothing would")
    func nextSteps() throws {
        let outcome = try behind(
            "--account ada --allow-host allowed.test --allow \"GET $SERVER/y\"",
            #"""
            ask() { curl -sS --path-as-is "$@" | sed "s,$SERVER,SERVER,g"; }
            keyfob bind --quiet --host bound.test ada
            for host in other.test allowed.test bound.test; do ask $KEYFOB_PROXY/$host/x; done
            ask -X '*' "$KEYFOB_PROXY/$SERVER/*"; ask -X '*' $KEYFOB_PROXY/$SERVER/x; ask "$KEYFOB_PROXY/$SERVER/*/x"
            http_proxy=$KEYFOB_PROXY ask http://ada:secret@api.test/x?key=PRIVATE
            ask $KEYFOB_PROXY/https://api.test/x; ask -d x -H 'Host: evil.test' $KEYFOB_PROXY/api.test/x
            """#)
        let no = "keyfob: no --allow of 'keyfob exec' has"
        let lines = outcome.text.split(separator: "\n").map(String.init)
        let way = "if they should, run 'keyfob bind --host other.test ada'"
        #expect(
            lines.first?.hasPrefix("\(no) GET other.test/x; the tokens of ada do not go to other.test; \(way)") == true,
            "\(outcome)")
        #expect(
            lines.dropFirst() == [
                "\(no) GET allowed.test/x; add --allow \"GET allowed.test/x\"",
                "\(no) GET bound.test/x; add --allow \"GET bound.test/x\"",
                "\(no) * SERVER/*", "\(no) * SERVER/x", "\(no) GET SERVER/*/x",
                "keyfob: this is no proxy to be named in http_proxy; its address stands in the place of https://, before "
                    + "host and path",
                "keyfob: leave out https:// behind the address of the proxy, which stands in its place",
                "keyfob: the request is meant for another host (Host)",
            ], "\(outcome)")
        for told in [
            "GET http://api.test/x: this is", "GET https://api.test/x: leave out", "POST api.test/x: the request",
        ] {
            #expect(outcome.errors.contains("keyfob: warning: not passed on: " + told), "\(outcome)")
        }
        #expect(!outcome.errors.contains("secret") && !outcome.errors.contains("PRIVATE"), "\(outcome)")
    }

    @Test("two side by side have an account each, and no way into the other's")
    func two() throws {
        try place.add("bob", token: "TOKEN-OF-BOB", "--host \(server.host)")
        try place.write(
            "program",
            """
            echo $KEYFOB_PROXY > base-$1; until test -s base-ada -a -s base-bob; do sleep 0.02; done
            for n in 1 2 3 4 5; do curl -sS -o /dev/null $API/$1; done
            """)
        let outcome = try place.run(
            """
            for name in ada bob; do keyfob exec --proxy --account $name --env API=$SERVER -- bash program $name & done; wait
            cmp -s base-ada base-bob && echo same
            curl -sS -o /dev/null $(cat base-ada)/$SERVER/late; echo $?
            """)
        #expect(outcome.text == "7\n", "\(outcome)")
        for (path, token) in [("/ada", "TOKEN-OF-ADA"), ("/bob", "TOKEN-OF-BOB")] {
            let found = try requests().filter { $0.path == path }.flatMap { $0.values("authorization") }
            #expect(found == Array(repeating: "Bearer " + token, count: 5))
        }
    }

    @Test(
        "the processes behind it are confined, hold no token in their variables, and end with the program, however it ends"
    )
    func processes() throws {
        let outcome = try behind(
            "--account ada",
            """
            for process in $(cat /proc/$PPID/task/*/children); do
                test $process = $$ || { grep -hE '^(NoNewPrivs|Seccomp):' /proc/$process/status; echo $process >> others; }
            done; exit 7
            """)
        #expect(outcome.status == 7, "\(outcome)")
        #expect(
            outcome.text.replacing("\t", with: " ")
                == "NoNewPrivs: 1\nSeccomp: 2\nNoNewPrivs: 1\nSeccomp: 2\n", "\(outcome)")
        let killed = try place.run(
            """
            keyfob exec --proxy --account ada -- sh -c 'echo $$ > pid; exec sleep 60' & keyfob=$!
            until test -s pid; do sleep 0.02; done
            for process in $(cat /proc/$keyfob/task/*/children); do test $process = $(cat pid) || echo $process >> others; done
            kill -9 $keyfob $(cat pid); wait $keyfob 2> /dev/null
            for process in $(cat others); do
                for try in $(seq 500); do grep -qs '^State:.[^ZX]' /proc/$process/status || break; sleep 0.02; done
                grep -qs '^State:.[^ZX]' /proc/$process/status && echo left $process
            done; wc -l < others
            """)
        #expect(killed.text == "4\n", "\(killed)")
    }

    @Test("a token that a service takes no more is replaced once, and what replaces nothing is told as it came")
    func replaced() throws {
        let home = try SignInPlace(provider, options: "--api-host \(server.host)", variables: ["SERVER": server.host])
        try home.signIn("alice")
        try server.refuse(home.token())
        let outcome = try home.run(
            """
            keyfob exec --proxy --account alice --env API=$SERVER -- sh -c '
                curl -sS -w "%{http_code}\\n" $API/refuse; curl -sS -w "%{http_code}\\n" $API/refuse'
            """)
        #expect(outcome.text == "still good\n200\nstill good\n200\n", "\(outcome)")
        try server.refuse(home.token())
        let posted = try home.run(
            """
            keyfob exec --proxy --account alice --env API=$SERVER -- sh -c '
                curl -sS -d x -w "%{http_code}\\n" $API/refuse; curl -sS -d x -w "%{http_code}\\n" $API/refuse'
            """)
        #expect(posted.text == "not any more\n401\nstill good\n200\n", "\(posted)")
        try server.refuse("TOKEN-OF-ADA")
        let kept = try behind("--account ada --env API=$SERVER", "curl -sS -w '%{http_code}\\n' $API/refuse")
        #expect(kept.text == "not any more\n401\n", "\(kept)")
    }

    @Test("a proxy of the environment is not asked for this machine")
    func environment() throws {
        let outcome = try place.run(
            """
            http_proxy=http://127.0.0.1:9 NO_PROXY=a.example keyfob exec --proxy --account ada --env API=$SERVER -- sh -c '
                curl -sS -o /dev/null -w "%{http_code}\\n" $API/x; echo $no_proxy $NO_PROXY'
            """)
        #expect(outcome.text == "200\na.example,127.0.0.1 a.example,127.0.0.1\n", "\(outcome)")
    }
}
