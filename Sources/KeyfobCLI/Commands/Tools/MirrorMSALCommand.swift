internal import ArgumentParser
internal import Keyfob

struct MirrorMSALCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "msal", abstract: "Mirror the token cache of a program that uses MSAL.",
        discussion: """
            The file is one in plain text, as MSAL's libraries keep it with their extensions for Python, .NET, Go and Node. \
            Mirrored are the tokens of the clients that it names, and of those named by --client. With --keyring the program keeps its \
            cache in the desktop's keyring (Secret Service), and the file is the one by which it locks the cache and notices changes: \
            its signal file. Where the keyring has several, --attribute says which.
            \(MirrorOptions.discussion)

            'keyfob undo' does not undo this.

            Example:
              keyfob mirror msal ~/.cache/app/msal.json \\
                --client 11112222-3333-4444-5555-666677778888
              keyfob mirror msal ~/.IdentityService/msal.cache --keyring \\
                --attribute xdg:schema=msal.cache

            Exit status: 0 done, 11 several items fit, 12 the desktop's keyring is locked, 13 no client is known, 65 no cache of MSAL, \
            66 no such folder or item, 69 there is no desktop's keyring, 73 mirrored with another group, 75 the program has the file.
            """)

    @Argument(help: ArgumentHelp("The token cache.", valueName: "file")) var path: String
    @Option(name: .long, help: ArgumentHelp("A client that the program is; repeatable.", valueName: "id"))
    var client: [String] = []
    @Flag(name: .long, help: "The cache is in the desktop's keyring.") var keyring = false
    @Option(
        name: .long,
        help: ArgumentHelp("What the keyring's item is known by; with --keyring; repeatable.", valueName: "name=value"))
    var attribute: [ItemAttribute] = []
    @OptionGroup var options: MirrorOptions

    func validate() throws {
        guard keyring || attribute.isEmpty else { throw ValidationError("--attribute goes with --keyring") }
        guard client.allSatisfy(Identifier.isAcceptable) else {
            throw ValidationError("--client is blank, too long, or holds control characters")
        }
    }

    func run() throws {
        let item = Dictionary(attribute.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        try MirrorRun(
            program: "msal", display: "its program", clients: client, profile: nil, item: keyring ? item : nil,
            options: options
        ).run(path)
    }
}

/// `NAME=VALUE`: what an item of the desktop's keyring is known by.
struct ItemAttribute: ExpressibleByArgument {
    let (name, value): (String, String)

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, parts.allSatisfy(Identifier.isAcceptable) else { return nil }
        (name, value) = (parts[0], parts[1])
    }
}
