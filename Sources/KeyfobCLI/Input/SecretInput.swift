internal import Glibc
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobSodium
internal import KeyfobTerminal

/// Where secrets come from: a descriptor, a file or pipe whose owner and mode have been checked, or standard input.
///
/// Never an argument, never the environment.
enum SecretInput {
    /// The longest passphrase, in bytes.
    static let passphraseLimit = Terminal.lineLimit
    /// The longest token, in bytes.
    static let tokenLimit = 1 << 20
    /// The largest key file and identity file, in bytes.
    static let keyFileLimit = SecretFile.keyLimit
    /// The largest cache, in bytes.
    static let cacheLimit = 256 << 20

    /// A passphrase: the first line that comes from a descriptor.
    static func passphrase(descriptor: Int32) throws(KeyringError) -> SecretBytes {
        try requireGiven(descriptor)
        let line: SecretBytes
        do {
            line = try SecretBytes.readingLine(descriptor: descriptor, limit: passphraseLimit)
        } catch {
            throw KeyringError(reading: "descriptor \(descriptor)", error)
        }
        guard line.count > 0 else {
            throw KeyringError(.usage, "the passphrase from descriptor \(descriptor) is empty")
        }
        return line
    }

    /// A token: all that comes from a descriptor, without a final line end; from a terminal one line, which is not shown.
    ///
    /// - Parameter mayAsk: Whether a person may be asked.
    static func token(descriptor: Int32, mayAsk: Bool) throws(KeyringError) -> SecretBytes {
        guard isatty(descriptor) == 1 else {
            return try requireToken(try oneLine("token", descriptor, limit: tokenLimit), "what was read")
        }
        guard mayAsk, let terminal = Terminal() else {
            throw KeyringError(
                .usage, "nothing is to be asked, and standard input is a terminal", hint: "send the token there")
        }
        let token = try terminal.askSecret("Token: ", limit: tokenLimit)
        return try requireToken(token, "what was typed")
    }

    private static func requireToken(_ token: consuming SecretBytes, _ what: String) throws(KeyringError) -> SecretBytes
    {
        guard token.isToken else {
            throw KeyringError(
                .damaged, "\(what) holds spaces, line ends or other signs that no token has",
                hint: "paste the token alone")
        }
        return token
    }

    /// The secret of a client: all that comes from a descriptor, without a final line end.
    static func clientSecret(descriptor: Int32) throws(KeyringError) -> SecretBytes {
        try oneLine("secret", descriptor, limit: Keyring.Clients.secretLimit)
    }

    /// The private key of a client: a file that is closed to other users, or standard input (`-`).
    static func clientKey(_ path: String) throws(KeyringError) -> SecretBytes {
        guard path == "-" else { return try keyFile(path, limit: Keyring.Clients.keyLimit) }
        do {
            return try SecretBytes.reading(descriptor: STDIN_FILENO, limit: Keyring.Clients.keyLimit)
        } catch {
            throw KeyringError(reading: "standard input", error)
        }
    }

    /// The certificate of a client with its private key, which may stand in a file of its own; a certificate alone is no secret.
    static func clientCertificate(_ path: String, key: String?) throws(KeyringError) -> SecretBytes {
        guard let key else { return try clientKey(path) }
        let certificate =
            path == "-" ? try clientKey(path) : try read(path, limit: Keyring.Clients.keyLimit, mode: 0o022)
        let secret = try clientKey(key)
        var both = SecretBuffer(capacity: secret.count + 1 + certificate.count)
        secret.withBytes { both.append($0) }
        [UInt8(ascii: "\n")].withBytes { both.append($0) }
        certificate.withBytes { both.append($0) }
        return both.withBytes { SecretBytes(copying: $0) }
    }

    private static func oneLine(_ what: String, _ descriptor: Int32, limit: Int) throws(KeyringError) -> SecretBytes {
        let name = descriptor == 0 ? "standard input" : "descriptor \(descriptor)"
        try requireGiven(descriptor)
        let all: SecretBytes
        do {
            all = try SecretBytes.reading(descriptor: descriptor, limit: limit)
        } catch {
            throw KeyringError(reading: name, error)
        }
        let count = all.withBytes { bytes in
            var end = bytes.byteCount
            while end > 0, [10, 13].contains(bytes.byte(at: end - 1)) { end -= 1 }
            return end
        }
        guard count > 0 else { throw KeyringError(.usage, "the \(what) from \(name) is empty") }
        let hasControls = all.withBytes { bytes in
            (0..<count).contains { bytes.byte(at: $0) < 0x20 || bytes.byte(at: $0) == 0x7F }
        }
        guard !hasControls else {
            throw KeyringError(
                .damaged, "the \(what) from \(name) holds line ends or control characters, as no \(what) does",
                hint: what == "token" ? "paste the token alone" : nil)
        }
        return all.withBytes { SecretBytes(copying: $0.extracting(0..<count)) }
    }

    /// A file that holds a key, or a pipe through which one comes, which must be closed to other users.
    static func keyFile(_ path: String, limit: Int = keyFileLimit) throws(KeyringError) -> SecretBytes {
        try read(path, limit: limit, mode: 0o077)
    }

    /// A file or pipe that is no secret, but must not be written by others: who can decide for whom something is
    /// encrypted can read it.
    static func ownFile(_ path: String) throws(KeyringError) -> SecretBytes {
        try read(path, limit: keyFileLimit, mode: 0o022)
    }

    /// The description of a provider, which decides where tokens go: a file that others cannot write, or standard
    /// input (`-`).
    static func description(_ path: String) throws(KeyringError) -> [UInt8] {
        guard path == "-" else { return try ownFile(path).withBytes { [UInt8]($0) } }
        do {
            return try SecretBytes.reading(descriptor: STDIN_FILENO, limit: keyFileLimit).withBytes { [UInt8]($0) }
        } catch {
            throw KeyringError(reading: "standard input", error)
        }
    }

    /// The first bytes of a regular file, at most `count`: to tell what it is.
    static func start(of path: String, count: Int) throws(KeyringError) -> [UInt8] {
        let descriptor = try open(path, mode: 0)
        defer { close(descriptor) }
        var start = SecretBuffer(capacity: count)
        do {
            while start.count < count, try start.append(readingFrom: descriptor) > 0 {}
        } catch {
            throw KeyringError(reading: path, error)
        }
        return start.withBytes { [UInt8]($0) }
    }

    /// A file that holds tokens; `-` is standard input.
    static func cache(_ path: String) throws(KeyringError) -> SecretBytes {
        guard path == "-" else { return try read(path, limit: cacheLimit, mode: 0) }
        do {
            return try SecretBytes.reading(descriptor: STDIN_FILENO, limit: cacheLimit)
        } catch {
            throw KeyringError(reading: "standard input", error)
        }
    }

    /// A text that tokens are put into; `-` is standard input.
    static func template(_ path: String, limit: Int) throws(KeyringError) -> [UInt8] {
        guard path == "-" else { return try read(path, limit: limit, mode: 0).withBytes { [UInt8]($0) } }
        do {
            return try SecretBytes.reading(descriptor: STDIN_FILENO, limit: limit).withBytes { [UInt8]($0) }
        } catch {
            throw KeyringError(reading: "standard input", error)
        }
    }

    /// What another tool asks on standard input, up to its end or to where `isWhole` says that nothing more comes.
    static func toolRequest(
        limit: Int, until isWhole: (RawSpan) -> Bool = { _ in false }
    ) throws(KeyringError) -> SecretBytes {
        do {
            return try SecretBytes.reading(descriptor: STDIN_FILENO, limit: limit, until: isWhole)
        } catch {
            throw KeyringError(reading: "standard input", error)
        }
    }

    /// Makes sure that a descriptor came from whoever started the command, and is not one of its own.
    private static func requireGiven(_ descriptor: Int32) throws(KeyringError) {
        let flags = fcntl(descriptor, F_GETFD)
        guard flags >= 0, flags & FD_CLOEXEC == 0 else {
            throw KeyringError(.usage, "descriptor \(descriptor) is not open")
        }
    }

    /// Reads a file; `mode` are the permissions that it must not have, if any.
    private static func read(_ path: String, limit: Int, mode: mode_t) throws(KeyringError) -> SecretBytes {
        do {
            return try SecretFile.read(path, limit: limit, mode: mode)
        } catch {
            throw KeyringError(path, error)
        }
    }

    private static func open(_ path: String, mode: mode_t) throws(KeyringError) -> CInt {
        do {
            return try SecretFile.descriptor(path, mode: mode)
        } catch {
            throw KeyringError(path, error)
        }
    }
}
