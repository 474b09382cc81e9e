internal import ArgumentParser
internal import Keyfob
internal import KeyfobNetwork

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
        let configuration = NetworkConfiguration(
            userAgent: "Keyfob/\(Release.version)",
            certificateFile: caFile ?? environment["KEYFOB_CA_FILE"],
            // What is typed counts for all; a variable does not overrule what was said of one provider.
            usesProvidersCertificates: caFile == nil, environment: environment.variables,
            log: { if isVerbose { StandardError.write(line: "keyfob: network: \($0)") } })
        do {
            return try Network.system(configuration)
        } catch {
            throw KeyringError(.configuration, "\(error)")
        }
    }
}
