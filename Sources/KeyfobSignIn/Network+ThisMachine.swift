internal import FoundationEssentials
public import Keyfob
package import KeyfobNetwork

extension Network {
    /// The network as it is set up here.
    ///
    /// - Parameters:
    ///   - certificateFile: A PEM file with certificates to trust besides; nil for what `KEYFOB_CA_FILE` names.
    ///   - environment: The variables, nil for those of this process, of which those for proxies are read too.
    ///   - log: Takes a line about each request.
    /// - Throws: `configuration` for a file of certificates or a proxy that cannot be used.
    public static func ofThisMachine(
        certificateFile: String? = nil, environment: [String: String]? = nil,
        log: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(KeyringError) -> Network {
        do {
            return try Network.system(
                NetworkConfiguration.ofThisMachine(
                    certificateFile: certificateFile, environment: environment ?? ProcessInfo.processInfo.environment,
                    log: log))
        } catch {
            throw KeyringError(.configuration, "\(error)")
        }
    }
}

extension NetworkConfiguration {
    /// The same as a configuration.
    package static func ofThisMachine(
        certificateFile: String?, environment: [String: String], log: @escaping @Sendable (String) -> Void = { _ in }
    ) -> NetworkConfiguration {
        let usual = environment["KEYFOB_CA_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        return NetworkConfiguration(
            userAgent: "Keyfob/\(Release.version)", certificateFile: certificateFile ?? usual,
            // What is typed counts for all; a variable does not overrule what was said of one provider.
            usesProvidersCertificates: certificateFile == nil, environment: environment, log: log)
    }
}
