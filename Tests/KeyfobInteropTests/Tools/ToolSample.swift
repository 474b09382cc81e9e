import KeyfobInterop
import KeyfobModel
import KeyfobSodium
import KeyfobTestSupport

/// A file of another tool with the bytes it was read from.
struct ToolSample {
    /// Tokens that look like those of their makers.
    static let (github, classic, gitlab) = (
        "gho_" + String(repeating: "A", count: 36), String(repeating: "0a", count: 20),
        "glpat-" + String(repeating: "x", count: 20)
    )

    let bytes: [UInt8]
    let file: ToolFile?

    init(_ bytes: [UInt8], _ surroundings: ToolFile.Surroundings = .init()) throws(ToolFileError) {
        self.bytes = bytes
        file = try bytes.withBytes { (bytes) throws(ToolFileError) in try ToolFile(reading: bytes, surroundings) }
    }

    init(_ text: String, _ surroundings: ToolFile.Surroundings = .init()) throws(ToolFileError) {
        try self.init(Array(text.utf8), surroundings)
    }

    var format: ToolFile.Format? { file?.format }
    var accounts: [Account] { file?.contents.accounts ?? [] }
    var findings: [String] { file?.findings.map(\.description) ?? [] }
    var credentials: [Credential] { file?.contents.credentials.map(\.credential) ?? [] }

    /// `access_token ada@github.com token` of each token.
    var tokens: [String] {
        (file?.contents.credentials ?? []).map { item in
            "\(item.credential.kind.rawValue) \(item.credential.account) " + text(item.secret)
        }
    }

    /// `id environment secret` of each client.
    var clients: [String] {
        (file?.clients ?? []).map { "\($0.id) \($0.environment) " + text($0.secret) }
    }

    private func text(_ secret: SecretLocation) -> String {
        bytes.withBytes { source in KeyfobTestSupport.text(of: secret.secret(in: source)) }
    }
}
