import Foundation
import KeyfobTestSupport
import Testing

/// docker's client for Python over docker-credential-keyfob.
@Suite("docker with docker-credential-keyfob", .waitsForPrograms)
struct DockerCredentialTests {
    private let place: Workplace
    private let notFound = "credentials not found in native keychain\n"

    init() throws {
        place = try Workplace.withVault()
        try place.run("ln -s keyfob bin/docker-credential-keyfob").expectSuccess()
    }

    @discardableResult
    private func docker(_ operation: String, _ input: String = "") throws -> Outcome {
        try place.run("docker-credential-keyfob \(operation)", text: input)
    }

    private func store(_ server: String, _ user: String, _ secret: String) throws -> Outcome {
        try docker("store", #"{"ServerURL":"\#(server)","Username":"\#(user)","Secret":"\#(secret)"}"#)
    }

    @Test("docker's client for Python gets and lists, and takes a lack for a lack")
    func client() throws {
        try place.add("octo", token: "gho_octo", "--host github.com")
        let program = """
            from docker.credentials import CredentialsNotFound, Store
            from docker.credentials.errors import StoreError
            store = Store("keyfob")
            for server in ["https://index.docker.io/v1/", "localhost:5000", "registry.gitlab.com"]:
                try:
                    store.get(server)
                    raise SystemExit(f"found {server}")
                except CredentialsNotFound:
                    pass
            assert store.get("ghcr.io") == {"ServerURL": "ghcr.io", "Username": "oauth2", "Secret": "gho_octo"}
            assert store.list() == {"ghcr.io": "oauth2"}, store.list()
            store.store("ghcr.io", "octo", "gho_octo")
            try:
                store.store("ghcr.io", "octo", "password")
                raise SystemExit("stored")
            except StoreError as error:
                assert "keeps no others" in str(error), error
            store.erase("ghcr.io")
            assert store.get("ghcr.io")["Secret"] == "gho_octo"
            """
        try place.write("client.py", program)
        try place.run("$PYTHON client.py").expectSuccess()
        #expect(try place.run("keyfob verify").status == 0)
    }

    @Test("a registry of a provider has its account's token, one that is bound too, and no other")
    func token() throws {
        try place.add("octo", token: "gho_octo", "--host github.com")
        #expect(
            try docker("get", "ghcr.io\n").text == #"{"ServerURL":"ghcr.io","Username":"oauth2","Secret":"gho_octo"}"#
                + "\n")
        for server in [
            "ghcr.io.evil.example", "http://ghcr.io", "ghcr.io@evil.example", "evil.example", "ftp://ghcr.io",
        ] {
            let outcome = try docker("get", server)
            #expect(outcome.status == 1 && outcome.text == notFound && outcome.errors.isEmpty, "\(outcome)")
        }
        try place.run("keyfob bind -q --host localhost:5000 octo").expectSuccess()
        #expect(try docker("get", "http://localhost:5000").expectSuccess().text.contains("gho_octo"))
        try place.add("bob", token: "gho_bob", "--host github.com")
        let several = try docker("get", "ghcr.io")
        #expect(several.status == 11 && several.text.contains("fits 2 accounts"), "\(several)")
        #expect(try docker("list").text == "{}\n")
        let stored = try store("ghcr.io", "robot", "password")
        #expect(stored.status == 78 && stored.text.contains("keeps no others"), "\(stored)")
        #expect(try place.run("keyfob token --account octo").text == "gho_octo\n")
    }

    /// A registry that knows ann and bob, on this machine, while `script` runs; that is in $REGISTRY.
    private func withRegistry(_ script: String) throws -> Outcome {
        try place.write(
            "passwords",
            """
            ann:$2y$05$WKrnEaN3sAksYRxj78IcJOpEsuUxI8dmYAJTmYD2VX7SEGFZI5wI6
            bob:$2y$05$WKrnEaN3sAksYRxj78IcJOpEsuUxI8dmYAJTmYD2VX7SEGFZI5wI6

            """)
        try place.write(
            "script",
            """
            for attempt in 1 2 3 4 5; do
                REGISTRY=127.0.0.1:$((25000 + RANDOM % 5000))
                export REGISTRY
                printf '{"version": "0.1", "storage": {"inmemory": {}}, "http": {"addr": "%s", "secret": "s"},
                    "auth": {"htpasswd": {"realm": "test", "path": "passwords"}}}' $REGISTRY > registry.yml
                docker-registry serve registry.yml > registry.log 2>&1 &
                server=$!
                trap "kill $server" EXIT
                for try in $(seq 100); do
                    kill -0 $server 2> /dev/null || continue 2
                    curl -s -o /dev/null http://$REGISTRY/v2/ && break 2
                    sleep 0.05
                done
            done
            mkdir -p docker && printf '{"credHelpers": {"%s": "keyfob"}}' $REGISTRY > docker/config.json
            export REGISTRY_AUTH_FILE=$PWD/docker/config.json DOCKER_CONFIG=$PWD/docker
            set -e
            \(script)
            """)
        return try place.run("bash script")
    }

    @Test("skopeo and docker's client sign in at a registry, use it, change the user, and sign out")
    func registry() throws {
        try place.write(
            "pull.py",
            """
            import os, urllib.request, base64
            from docker import auth
            found = auth.load_config().resolve_authconfig(os.environ["REGISTRY"])
            assert found["Username"] == "ann", found["Username"]
            words = base64.b64encode(f"{found['Username']}:{found['Password']}".encode()).decode()
            request = urllib.request.Request(f"http://{os.environ['REGISTRY']}/v2/", headers={"Authorization": "Basic " + words})
            assert urllib.request.urlopen(request).status == 200
            """)
        let outcome = try withRegistry(
            """
            plain() { skopeo "$1" --tls-verify=false "${@:2}"; }
            list() { plain list-tags docker://$REGISTRY/thing 2>&1 || true; }
            list | grep -q 'authentication required'
            echo pw-ann | plain login -u ann --password-stdin $REGISTRY
            ! grep -q auths docker/config.json
            list | grep -q 404
            $PYTHON pull.py
            docker-credential-keyfob list; echo
            echo pw-ann | plain login -u bob --password-stdin $REGISTRY
            keyfob account list --json | jq -r '.accounts[].username'
            skopeo logout $REGISTRY
            list | grep -q 'authentication required'
            keyfob account list --json | jq '.accounts | length'
            keyfob verify -q
            """
        ).expectSuccess()
        for part in [#":"ann"}"#, "\nbob\n"] { #expect(outcome.text.contains(part), "\(outcome)") }
        #expect(outcome.text.contains("\n0\n"), "\(outcome)")
    }

    @Test("docker replaces and erases only what it has stored itself")
    func foreign() throws {
        try place.run("echo -n mine | keyfob add -q ann@registry.example").expectSuccess()
        let stored = try store("registry.example", "ann", "other")
        #expect(stored.status == 73 && stored.text.contains("not from docker"), "\(stored)")
        #expect(try store("registry.example", "<token>", "other").status == 78)
        try docker("erase", "registry.example").expectSuccess()
        #expect(
            try docker("get", "registry.example").text
                == #"{"ServerURL":"registry.example","Username":"ann","Secret":"mine"}"# + "\n")
    }

    @Test("errors are told on standard output too, in the words that clients know")
    func errors() throws {
        for (operation, input, text, status) in [
            ("get", "", "no credentials server URL\n", 1), ("erase", "\n", "no credentials server URL\n", 1),
            ("store", #"{"Username":"u","Secret":"s"}"#, "no credentials server URL\n", 1),
            ("store", #"{"ServerURL":"s","Secret":"s"}"#, "no credentials username\n", 1),
            ("store", "nonsense", "what docker wants stored is not a JSON object\n", 1),
        ] {
            let outcome = try docker(operation, input)
            #expect(outcome.status == Int32(status) && outcome.text == text && outcome.errors.isEmpty, "\(outcome)")
        }
        let unknown = try docker("push", "x")
        #expect(unknown.status == 64 && unknown.text.contains("no operation 'push'"), "\(unknown)")
        let large = try place.run("head -c 10485760 /dev/zero | docker-credential-keyfob get")
        #expect(large.status == 65 && large.text.contains("more than 1048576 bytes"), "\(large)")
        let locked = try place.run("unset KEYFOB_KEY_FILE; echo ghcr.io | docker-credential-keyfob get")
        #expect(
            locked.status == 12 && locked.text.contains("locked") && locked.errors.hasPrefix("keyfob: "), "\(locked)")
        #expect(try docker("version").text.hasPrefix("docker-credential-keyfob "))
    }
}
