internal import ArgumentParser
internal import Keyfob

/// What a binding is about: the current directory, unless an option says otherwise.
struct SubjectOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("A directory with what is below it; the current one unless given.", valueName: "dir"))
    var directory: String?

    @Flag(name: .long, help: "The current directory with what is below it, as without any of these.") var here = false

    @Flag(name: .long, help: "The git repository that the current directory is in, with all its working trees.")
    var repository = false

    @Option(name: .long, help: ArgumentHelp("A URL with what is below it: an owner, a repository.", valueName: "url"))
    var url: String?

    @Option(name: .long, help: ArgumentHelp("A host, with its port where that is not the usual.", valueName: "host"))
    var host: String?

    @Option(name: .long, help: ArgumentHelp("A calling program, by its name.", valueName: "name")) var tool: String?

    func validate() throws {
        if [directory, url, host, tool].count(where: { $0 != nil }) + [here, repository].count(where: \.self) > 1 {
            throw ValidationError("--directory, --here, --repository, --url, --host and --tool exclude one another")
        }
    }

    /// The subject.
    ///
    /// - Parameter mustExist: Whether a directory has to be there.
    func subject(mustExist: Bool) throws(KeyringError) -> Binding.Subject {
        if let url {
            let address = try ResourceURL(url, option: "--url")
            if mustExist { try Self.requireHost(address, in: url) }
            return .address(address)
        }
        if let host {
            let address = try ResourceURL(host, option: "--host")
            if mustExist { try Self.requireHost(address, in: host) }
            guard address.path.isEmpty else {
                throw KeyringError(.usage, "--host takes no path", hint: "say --url")
            }
            return .host(address.host)
        }
        if let tool {
            guard let subject = Binding.Subject(tool: tool) else {
                throw KeyringError(.usage, "--tool takes the name of a program, without its folder")
            }
            return subject
        }
        if repository { return try Binding.Subject(repositoryAround: ".") }
        return try Binding.Subject(directoryAt: directory ?? ".", mustExist: mustExist)
    }

    /// Makes sure that a word is meant as a host: one without a dot is most likely an owner or a name, unless its scheme says
    /// what it is.
    private static func requireHost(_ address: ResourceURL, in text: String) throws(KeyringError) {
        let host = address.host
        guard !text.contains("://"), !LikelyHost.holds(host) else { return }
        let path = ([host] + address.path).joined(separator: "/")
        throw KeyringError(
            .usage, "\(ShellWord.inMessage(host)) is no host: it has no dot",
            hint:
                "an address looks so: https://github.com/\(ShellWord.inMessage(path)); a host of your network: https://\(ShellWord.inMessage(path))"
        )
    }
}
