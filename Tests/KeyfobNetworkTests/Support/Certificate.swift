internal import KeyfobTestSupport

/// A certificate that signs itself, and its key, made by openssl.
struct Certificate: Sendable {
    let file: String
    let key: String
    private let folder: ScratchFolder

    static let localhost = Result { try Certificate(names: "DNS:localhost,IP:127.0.0.1,DNS:provider.example") }
    static let other = Result { try Certificate(names: "DNS:other.example") }
    static let expired = Result { try Certificate(names: "DNS:localhost", lastYear: 2020) }

    private init(names: String, lastYear: Int = 2099) throws {
        let folder = try ScratchFolder()
        let (file, key, request) = (folder.path + "/one.pem", folder.path + "/key.pem", folder.path + "/request.pem")
        _ = try folder.file("index", [])
        let configuration = try folder.file(
            "configuration",
            Array(
                """
                [ca]
                default_ca = test
                [test]
                database = \(folder.path)/index
                serial = \(folder.path)/serial
                new_certs_dir = \(folder.path)
                default_md = sha256
                policy = any
                x509_extensions = extensions
                [any]
                commonName = supplied
                [extensions]
                basicConstraints = critical, CA:true
                subjectAltName = \(names)
                [req]
                distinguished_name = any

                """.utf8))
        try Program.openssl([
            "req", "-config", configuration, "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", request,
            "-subj", "/CN=test",
        ])
        try Program.openssl([
            "ca", "-config", configuration, "-batch", "-selfsign", "-notext", "-create_serial", "-in", request,
            "-keyfile", key, "-out", file, "-startdate", "20200101000000Z", "-enddate", "\(lastYear)0201000000Z",
        ])
        self.folder = folder
        self.file = file
        self.key = key
    }
}
