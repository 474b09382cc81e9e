internal import FoundationEssentials
internal import Glibc

/// A PEM file of certificates that are trusted beside the system's.
struct TrustedCertificates: Sendable {
    /// The file; nil where the system's are enough.
    let path: String?

    /// Looks whether the file holds certificates, so that one that does not is named before anything is sent.
    init(path: String?) throws(NetworkError) {
        self.path = path
        guard let path else { return }
        let data: Data
        do { data = try Self.content(of: path) } catch { throw .certificateFile(path: path, error) }
        guard !data.isEmpty else { throw .certificateFile(path: path, .empty) }
        guard Self.holdsCertificates(String(decoding: data, as: UTF8.self)) else {
            throw .certificateFile(path: path, .notCertificates)
        }
    }

    /// The longest file, in bytes: several times that of all authorities that Debian knows.
    private static let limit = 4 << 20

    /// What a file holds that is this user's or the system's; what is no file, such as a pipe without end, is not read.
    private static func content(of path: String) throws(NetworkError.CertificateFlaw) -> Data {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit else {
            throw .unreadable
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else { throw .foreign }
        guard status.st_mode & 0o022 == 0 else { throw .writableByOthers }
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { throw .unreadable }
        return data
    }

    /// Whether each block that says so is Base64 of a DER sequence, and there is one (RFC 7468); TLS reads the rest.
    private static func holdsCertificates(_ text: String) -> Bool {
        let blocks = text.split(separator: "-----BEGIN CERTIFICATE-----", omittingEmptySubsequences: false).dropFirst()
        return !blocks.isEmpty
            && blocks.allSatisfy { block in
                let body = block.split(separator: "-----END CERTIFICATE-----", omittingEmptySubsequences: false)
                guard body.count == 2,
                    let der = Data(base64Encoded: String(body[0].filter { !$0.isWhitespace }))
                else { return false }
                return der.count > 64 && der.first == 0x30
            }
    }
}
