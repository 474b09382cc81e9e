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
    /// The certificates by which it is known, in PEM; nil for the system's.
    let authority: [UInt8]?
    /// The folder for the login.
    let runtime: String
    let network: Network

    /// For how many seconds the server is waited for.
    private static let patience: Int64 = 5

    /// Whether the server refuses the token; false where it does not say.
    func isRefused(_ token: borrowing SecretBytes) -> Bool {
        // A server knows or refuses a token before it looks at what is asked, and everybody may see the version.
        guard let address = try? EndpointURL(url.text + "/version") else { return false }
        let file = "\(runtime)/cluster.\(ProcessInfo.processInfo.processIdentifier).pem"
        defer { if authority != nil { try? FileManager.default.removeItem(atPath: file) } }
        guard let network = trusting(file) else { return false }
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

    /// The network that knows the server by its certificates, written to a file; nil where they cannot be used.
    private func trusting(_ file: String) -> Network? {
        guard let authority else { return network }
        guard (try? RuntimeFolder(path: runtime).prepare()) != nil,
            (try? POSIXFile.replace(file, with: authority)) != nil
        else { return nil }
        do { return try network.trusting(file) ?? network } catch { return nil }
    }
}
