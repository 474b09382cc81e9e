internal import FoundationEssentials
internal import NIOSSL

/// Certificates that are trusted beside the system's.
struct TrustedCertificates: Sendable {
    /// In the order of the file.
    let certificates: [NIOSSLCertificate]

    /// Reads a PEM file; no path gives no certificates.
    init(path: String?) throws(NetworkError) {
        guard let path else {
            self.certificates = []
            return
        }
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw .certificateFile(path: path, .unreadable)
        }
        guard !data.isEmpty else { throw .certificateFile(path: path, .empty) }
        guard let certificates = try? NIOSSLCertificate.fromPEMBytes([UInt8](data)), !certificates.isEmpty else {
            throw .certificateFile(path: path, .notCertificates)
        }
        self.certificates = certificates
    }

    /// TLS as a client: the whole chain and the host's name are verified, nothing older than TLS 1.2 is spoken.
    var configuration: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification = .fullVerification
        if !certificates.isEmpty { configuration.additionalTrustRoots = [.certificates(certificates)] }
        return configuration
    }
}
