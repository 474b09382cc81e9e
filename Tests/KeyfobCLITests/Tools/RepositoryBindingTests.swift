import Foundation
import KeyfobTestSupport
import Testing

@Suite("keyfob bind --repository", .waitsForPrograms)
struct RepositoryBindingTests {
    @Test("it binds where the repository lies, for its worktrees too, and is undone as any binding")
    func repository() throws {
        let place = try Workplace.withVault(["GIT_CONFIG_NOSYSTEM": "1"])
        for name in ["bob", "octo"] { try place.add(name, token: "token-of-\(name)", "--host github.com") }
        try place.run(
            """
            git init -q app && cd app && mkdir deep
            git -c user.name=x -c user.email=x@x commit -q --allow-empty -m x && git worktree add -q ../tree
            git clone -q --bare . ../bare.git && git -C ../bare.git worktree add -q ../other
            """
        ).expectSuccess()
        let ask = #"printf 'protocol=https\nhost=github.com\npath=any/app.git\n\n' | keyfob helper git get"#
        for folder in ["app", "app/deep", "tree"] {
            let bound = try place.run("cd \(folder) && keyfob bind --repository octo").expectSuccess()
            #expect(bound.errors.contains("directory \(place.path)/app uses octo"), "\(bound)")
            #expect(try place.run("cd tree && \(ask)").text.contains("password=token-of-octo"))
            #expect(try place.run("cd app/deep && \(ask)").text.contains("password=token-of-octo"))
            #expect(try place.run(ask).status == 11)
            if folder == "app" {
                try place.run("keyfob undo -q --force").expectSuccess()
            } else {
                try place.run("cd tree && keyfob unbind -q --repository").expectSuccess()
            }
            #expect(try place.run("cd app && \(ask)").status == 11)
        }
        let bare = try place.run("cd bare.git && keyfob bind --repository octo").expectSuccess()
        #expect(bare.errors.contains("directory \(place.path)/bare.git uses octo"), "\(bare)")
        #expect(try place.run("cd other && \(ask)").text.contains("password=token-of-octo"))
        let other = try place.run("cd other && keyfob bind --repository octo").expectSuccess()
        #expect(other.errors.contains("directory \(place.path)/bare.git uses octo"), "\(other)")
        try place.run("keyfob bind --repository octo").expectError(66, "there is no git repository around the current")
    }

    @Test("a submodule is a repository of its own")
    func submodule() throws {
        let place = try Workplace.withVault(["GIT_CONFIG_NOSYSTEM": "1"])
        try place.add("octo", token: "token", "--host github.com")
        try place.run(
            """
            git init -q sub && git -C sub -c user.name=x -c user.email=x@x commit -q --allow-empty -m x
            git init -q app && cd app && git -c protocol.file.allow=always submodule --quiet add ../sub part
            """
        ).expectSuccess()
        let bound = try place.run("cd app/part && keyfob bind --repository octo").expectSuccess()
        #expect(bound.errors.contains("directory \(place.path)/app/part uses octo"), "\(bound)")
    }
}
