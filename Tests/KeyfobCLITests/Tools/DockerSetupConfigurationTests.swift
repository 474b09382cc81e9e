import Foundation
import KeyfobTestSupport
import Testing

/// docker's own client for Python and skopeo, with what people have in their files, after setup.
@Suite("docker's other places for logins", .waitsForPrograms)
struct DockerSetupConfigurationTests {
    private let place: Workplace

    init() throws {
        place = try Workplace.withVault()
        try place.run("ln -s keyfob bin/docker-credential-keyfob && mkdir .docker").expectSuccess()
        try place.add("octo", token: "gho_octo", "--host github.com")
        try place.add("hub", token: "of-hub", "--host index.docker.io")
    }

    @Test(
        "whatever else docker's file names, docker asks Keyfob for what setup has named, and undoing leaves the file as it was"
    )
    func configurations() throws {
        for content in [
            nil, "{}", #"{"credsStore":"none"}"#, #"{"auths":{"ghcr.io":{"auth":"YTpi"}}}"#,
            #"{"credHelpers":{"quay.io":"none"},"auths":{"https://index.docker.io/v1/":{"auth":"YTpi"}}}"#,
        ] {
            try place.run("rm -f .docker/config.json asked").expectSuccess()
            if let content { try place.write(".docker/config.json", content) }
            let outcome = try place.run("keyfob setup docker --host docker.io --host ghcr.io --force").expectSuccess()
            #expect(
                outcome.errors.contains(
                    "docker now asks Keyfob (tested for docker.io, ghcr.io, https://index.docker.io/v1/);"),
                "\(outcome)")
            // The helper in docker's way notes for what it is asked.
            let asked = try place.run(
                """
                mkdir -p noting
                printf '#!/bin/sh\\nhost=$(cat); echo "$1 $host" >> asked; echo "{\\"Username\\": \\"u\\", \\"Secret\\": \\"s\\"}"\\n' \\
                    > noting/docker-credential-keyfob
                chmod 755 noting/docker-credential-keyfob
                PATH=$PWD/noting:$PATH '\(PythonScript.interpreter)' -c '
                from docker import auth
                file = auth.load_config(".docker/config.json")
                for registry in "docker.io", "ghcr.io": file.resolve_authconfig(registry)'
                cat asked
                """)
            for server in ["https://index.docker.io/v1/", "ghcr.io"] {
                #expect(asked.text.contains("get \(server)\n"), "\(content ?? "none"): \(asked)")
            }
            try place.run("keyfob setup docker --undo --force --quiet").expectSuccess()
            guard let content else {
                #expect(try place.run("test -e .docker/config.json").status == 1)
                continue
            }
            #expect(try place.read(".docker/config.json") == Data(content.utf8), "\(content)")
        }
    }

    @Test("Docker Hub has one account by whichever of its names", arguments: ["docker.io", "index.docker.io"])
    func hub(host: String) throws {
        try place.run("keyfob account remove -q --force hub").expectSuccess()
        try place.add("ada", token: "of-ada", "--host \(host)")
        let servers = ["docker.io", "https://index.docker.io/v1/", "index.docker.io"]
        func answers() throws -> [String] {
            try servers.map { try place.run("docker-credential-keyfob get", text: $0).text }
        }
        let expected = servers.map { #"{"ServerURL":"\#($0)","Username":"ada","Secret":"of-ada"}"# + "\n" }
        #expect(try answers() == expected)
        #expect(
            try place.run("docker-credential-keyfob list", text: "").text.contains("index.docker.io") == false,
            "what docker has not stored is not docker's to list")
        // Of two, the one that is bound to the name which people know.
        try place.add("bea", token: "of-bea", "--host index.docker.io")
        try place.run("keyfob bind -q --host docker.io ada").expectSuccess()
        #expect(try answers() == expected)
    }

    @Test("what podman and skopeo have in a file of their own is told, with what takes it out")
    func containers() throws {
        try place.run("mkdir -p run/containers").expectSuccess()
        try place.write("run/containers/auth.json", #"{"auths":{"ghcr.io":{"auth":"YTpi"}}}"#)
        let line = "export XDG_RUNTIME_DIR=$PWD/run; keyfob setup docker --host ghcr.io --force"
        let outcome = try place.run(line).expectSuccess()
        #expect(
            outcome.errors.contains(
                "podman and skopeo take what \(place.path)/run/containers/auth.json has for ghcr.io"))
        let command = "skopeo logout --authfile \(place.path)/run/containers/auth.json ghcr.io"
        #expect(outcome.errors.contains("'\(command)'"), "\(outcome)")
        try place.run(command).expectSuccess()
        #expect(try !place.run(line).expectSuccess().errors.contains("podman and skopeo take"))
    }

    @Test(
        "Docker Hub, by whatever name it is called, has the keys by which it is asked for",
        arguments: ["docker.io", "Hub.Docker.com", "https://index.docker.io/v1/"])
    func hub(name: String) throws {
        try place.run("keyfob setup docker --host \(name) --force --quiet").expectSuccess()
        #expect(
            try place.read(".docker/config.json")
                == Data(
                    "{\n\t\"credHelpers\": {\n\t\t\"https://index.docker.io/v1/\": \"keyfob\",\n\t\t\"docker.io\": \"keyfob\"\n\t}\n}"
                        .utf8))
        try place.run("keyfob setup docker --host \(name) --undo --force && test ! -e .docker/config.json")
            .expectSuccess()
    }
}
