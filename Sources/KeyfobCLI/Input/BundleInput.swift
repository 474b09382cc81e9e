internal import CLinux
internal import Glibc
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobSodium

/// What `keyfob import` is given: a bundle or a cache, as its first bytes tell.
enum ImportSource: ~Copyable {
    case bundle(BundleFile)
    case cache(SecretBytes)

    /// Opens the file at `path`; `-` is standard input.
    ///
    /// - Parameter place: As ``BundleInput/open(_:spoolingIn:)`` has it.
    static func open(_ path: String, spoolingIn place: String) throws(KeyringError) -> ImportSource {
        let descriptor = path == "-" ? STDIN_FILENO : try SecretInput.open(path)
        defer { if path != "-" { close(descriptor) } }
        let name = path == "-" ? BundleInput.standardInput : path
        var wait = PipeWait(descriptor, notice: PipeNotice.of(name))
        do {
            var start = SecretBuffer(capacity: BundleFile.startCount)
            var isAtEnd = false
            while start.count < start.capacity, !isAtEnd {
                guard wait.wait(descriptor) else { throw KeyringError(silent: name, seconds: Int(wait.seconds)) }
                isAtEnd = try start.append(readingFrom: descriptor) == 0
            }
            let bytes = start.withBytes { [UInt8]($0) }
            if BundleFile.isBundle(bytes) {
                return .bundle(
                    try BundleFile(
                        descriptor: descriptor, name: name, after: bytes, spoolingIn: place,
                        notice: PipeNotice.of(name)))
            }
            let rest = try SecretInput.read(descriptor, called: name, limit: SecretInput.cacheLimit)
            var all = SecretBuffer(capacity: start.count + rest.count)
            start.withBytes { all.append($0) }
            rest.withBytes { all.append($0) }
            return .cache(all.withBytes { SecretBytes(copying: $0) })
        } catch let error as SodiumError {
            throw KeyringError(reading: name, error)
        } catch let error as KeyringError {
            throw error
        } catch {
            throw KeyringError(.inputOutput, "\(name) cannot be read")
        }
    }
}

/// Bundles as they are named on the command line.
enum BundleInput {
    static let standardInput = "standard input"

    /// The bundle at `path`; `-` is standard input.
    ///
    /// - Parameter place: The vault's folder, in which a long pipe is kept as it is: encrypted, in a file without a name.
    static func open(_ path: String, spoolingIn place: String) throws(KeyringError) -> BundleFile {
        path == "-"
            ? try BundleFile(
                descriptor: STDIN_FILENO, name: standardInput, spoolingIn: place, notice: PipeNotice.of(standardInput))
            : try BundleFile(path: path, notice: PipeNotice.of(file: path))
    }
}

extension KeyringError {
    /// The error with the name of the bundle, where it is about the bundle and does not say which.
    func naming(bundle name: String) -> KeyringError {
        let isOfBundle = message.contains("bundle") || message.contains("age file") || message.hasPrefix("the file ")
        guard isOfBundle, !message.contains(name) else { return self }
        return saying("\(name): \(message)", advice: advice)
    }
}
