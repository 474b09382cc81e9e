internal import FoundationEssentials
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobInterop
internal import KeyfobOAuth
internal import KeyfobSodium

/// Asks a cluster's server whether it takes a token.
///
/// A program that asks for a token again may have been refused it, or be another one in the same process, or have forgotten
/// it: only the server knows.
struct ClusterEvidence {
    /// The server, as the kubeconfig names it.
    let url: CredentialURL
    /// The certificates by which it is known.
    let authority: ExecCredentialRequest.Authority
    /// The folder for the login.
    let runtime: String
    let options: NetworkOptions

    /// For how many seconds the server is waited for.
    private static let patience: Int64 = 5

    /// Whether the server refuses the token; false where it does not say.
    func isRefused(_ token: borrowing SecretBytes) -> Bool {
        // A server knows or refuses a token before it looks at what is asked, and everybody may see the version.
        guard let address = try? EndpointURL(url.text + "/version") else { return false }
        let file = "\(runtime)/cluster.\(ProcessInfo.processInfo.processIdentifier).pem"
        defer { if case .certificates = authority { try? FileManager.default.removeItem(atPath: file) } }
        guard let network = self.network(with: file) else { return false }
        let request = Handover(HTTPRequest(getting: address, bearer: token))
        let status = try? NetworkTask.runAlone { () async throws(KeyringError) -> Int? in
            guard let request = request.take() else { return nil }
            switch await network.send(request, Self.patience) {
            case .answered(let response): return response.status
            case .failed: return nil
            }
        }
        return status == 401
    }

    /// The network that knows the server by its certificates alone, as its client does; nil where they cannot be used.
    ///
    /// Whoever has a certificate of another authority gets no token.
    ///
    /// - Parameter file: Where certificates are written that are in no file yet.
    private func network(with file: String) -> Network? {
        switch authority {
        case .system: return try? options.network()
        case .certificates(let certificates):
            guard (try? RuntimeFolder(path: runtime).prepare()) != nil,
                (try? POSIXFile.replace(file, with: certificates)) != nil
            else { return nil }
            return try? options.network(trustingAlone: file)
        case .file(let path): return try? options.network(trustingAlone: path)
        case .unreadable: return nil
        }
    }
}
