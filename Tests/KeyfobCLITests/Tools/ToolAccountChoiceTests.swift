import Foundation
import KeyfobTestSupport
import Testing

@Suite("What a helper advises to bind", .waitsForPrograms)
struct ToolAccountChoiceTests {
    /// Two accounts at one host, and a repository there, `app`.
    private func home(_ host: String) throws -> Workplace {
        let place = try Workplace.withVault(["CI": ""])
        for name in ["bob", "octo"] { try place.add(name, token: "token-of-\(name)", "--host \(host)") }
        try place.run("git init -q app && git -C app remote add origin https://\(host)/contoso/app.git").expectSuccess()
        return place
    }

    @Test("in a repository git's account is bound to the directory, and those of other tools to the host")
    func tools() throws {
        let place = try home("github.com")
        let git = try place.run("cd app && printf 'protocol=https\\nhost=github.com\\n\\n' | keyfob helper git get")
        #expect(git.errors.contains("'keyfob bind --directory \(place.path)/app bob@github.com'"), "\(git)")
        let docker = "cd app && echo https://ghcr.io/v2/contoso | keyfob helper docker get"
        let image = try place.run(docker)
        #expect(image.errors.contains("'keyfob bind --host ghcr.io bob@github.com'"), "\(image)")
        let info = """
            {"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"cluster":{"server":"https://github.com/c/x"}}}
            """
        let cluster = try place.run("cd app && KUBERNETES_EXEC_INFO='\(info)' keyfob helper kubectl")
        #expect(cluster.errors.contains("'keyfob bind --host github.com bob@github.com'"), "\(cluster)")
        // That would not count.
        try place.run("keyfob bind -q --directory app none").expectSuccess()
        let blocked = try place.run(docker)
        #expect(blocked.errors.contains("'keyfob bind --directory \(place.path)/app bob@github.com'"), "\(blocked)")
    }

    @Test("an agent that lets Keyfob have one of them takes it for no choice of a person's")
    func agent() throws {
        let place = try home("git.example")
        try place.run("keyfob program allow -q keyfob --account bob").expectSuccess()
        let outcome = try place.run(
            """
            \(Workplace.agent(variables: "DISPLAY= WAYLAND_DISPLAY="))
            export DISPLAY=:99
            printf 'protocol=https\\nhost=git.example\\npath=any/app.git\\n\\n' | setsid -w keyfob helper git get
            """)
        #expect(outcome.text == "quit=1\n" && outcome.errors.contains("'keyfob bind --url"), "\(outcome)")
        let groups = try place.document("keyfob history show --json")["groups"] as? [[String: Any]]
        #expect(groups?.allSatisfy { $0["choices"] as? Int == 0 } == true, "\(String(describing: groups))")
    }
}
