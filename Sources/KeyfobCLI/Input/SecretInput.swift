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
        var wait = PipeWait(descriptor, notice: PipeNotice.of("descriptor \(descriptor)"))
        do {
            line = try SecretBytes.readingLine(
                descriptor: descriptor, limit: passphraseLimit, whenReady: { wait.wait($0) })
        } catch .unreadable(ETIMEDOUT) {
            throw KeyringError(silent: "descriptor \(descriptor)", seconds: Int(wait.seconds))
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
        path == "-"
            ? try standardInput(limit: Keyring.Clients.keyLimit) : try keyFile(path, limit: Keyring.Clients.keyLimit)
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
        let all = try read(descriptor, called: name, limit: limit)
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
        let text = path == "-" ? try standardInput(limit: keyFileLimit) : try ownFile(path)
        return text.withBytes { [UInt8]($0) }
    }

    /// A file that holds tokens; `-` is standard input.
    static func cache(_ path: String) throws(KeyringError) -> SecretBytes {
        path == "-" ? try standardInput(limit: cacheLimit) : try read(path, limit: cacheLimit, mode: 0)
    }

    /// A text that tokens are put into; `-` is standard input.
    static func template(_ path: String, limit: Int) throws(KeyringError) -> [UInt8] {
        let descriptor = path == "-" ? STDIN_FILENO : try open(path)
        defer { if path != "-" { close(descriptor) } }
        let name = path == "-" ? BundleInput.standardInput : path
        return try read(descriptor, called: name, limit: limit).withBytes { [UInt8]($0) }
    }

    /// What another tool asks on standard input, up to its end or to where `isWhole` says that nothing more comes.
    static func toolRequest(
        limit: Int, until isWhole: (RawSpan) -> Bool = { _ in false }
    ) throws(KeyringError) -> SecretBytes {
        // Of what another program asks, nobody is told that it waits.
        try read(STDIN_FILENO, called: BundleInput.standardInput, limit: limit, until: isWhole, isTold: false)
    }

    private static func standardInput(limit: Int) throws(KeyringError) -> SecretBytes {
        try read(STDIN_FILENO, called: BundleInput.standardInput, limit: limit)
    }

    /// All that comes from a descriptor.
    ///
    /// - Parameter isTold: Whether a person is told that it is waited for.
    static func read(
        _ descriptor: CInt, called name: String, limit: Int, until isWhole: (RawSpan) -> Bool = { _ in false },
        isTold: Bool = true
    ) throws(KeyringError) -> SecretBytes {
        var wait = PipeWait(descriptor, notice: isTold ? PipeNotice.of(name) : nil)
        do {
            return try SecretBytes.reading(
                descriptor: descriptor, limit: limit, until: isWhole, whenReady: { wait.wait($0) })
        } catch .unreadable(ETIMEDOUT) {
            throw KeyringError(silent: name, seconds: Int(wait.seconds))
        } catch {
            throw KeyringError(reading: name, error)
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
            return try SecretFile.read(path, limit: limit, mode: mode, notice: PipeNotice.of(file: path))
        } catch {
            throw KeyringError(path, error)
        }
    }

    /// A file or a pipe that need not be closed to others; the caller closes it.
    static func open(_ path: String) throws(KeyringError) -> CInt {
        do {
            return try SecretFile.descriptor(path, mode: 0, takesPipe: true)
        } catch {
            throw KeyringError(path, error)
        }
    }
}
