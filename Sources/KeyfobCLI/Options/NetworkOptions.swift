internal import ArgumentParser
internal import Keyfob
internal import KeyfobSignIn
internal import KeyfobTerminal

/// How the network is used.
struct NetworkOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("Trust the certificates in this PEM file too (KEYFOB_CA_FILE).", valueName: "file"))
    var caFile: String?

    @Flag(name: .long, help: "Tell on standard error what is asked of the network; never a token.")
    var verbose = false

    /// The network of this machine.
    ///
    /// - Throws: `configuration` for a file of certificates or a proxy that cannot be used.
    func network(_ environment: Environment = .current) throws(KeyringError) -> Network {
        let isVerbose = verbose
        return try Network.ofThisMachine(
            certificateFile: caFile, environment: environment.variables,
            log: { if isVerbose { StandardError.write(line: "keyfob: network: \($0)") } })
    }
}
