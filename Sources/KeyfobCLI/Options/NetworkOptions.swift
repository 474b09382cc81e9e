internal import ArgumentParser
internal import Keyfob
internal import KeyfobNetwork
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
        try Network.ofThisMachine(certificateFile: caFile, environment: environment.variables, log: log)
    }

    /// The same, trusting the certificates of a file alone: none of the system's, of `--ca-file` or of `KEYFOB_CA_FILE`.
    func network(trustingAlone file: String, _ environment: Environment = .current) throws(NetworkError) -> Network {
        var configuration = NetworkConfiguration.ofThisMachine(
            certificateFile: file, environment: environment.variables, log: log)
        configuration.trustsFileAlone = true
        return try Network.system(configuration)
    }

    private var log: @Sendable (String) -> Void {
        { [verbose] line in if verbose { StandardError.write(line: "keyfob: network: \(line)") } }
    }
}
