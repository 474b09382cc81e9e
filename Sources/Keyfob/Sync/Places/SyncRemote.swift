internal import FoundationEssentials
internal import KeyfobModel

/// Where the files of a sync lie that other machines read.
package enum SyncRemote: Hashable {
    /// A folder that something else carries, by its path from the root.
    case folder(String)
    /// A repository, as git names it.
    case git(String)
    /// A place, as rclone names it.
    case rclone(String)
    /// A cluster.
    case etcd(EtcdAddress)

    private static let gitPrefix = "git+"
    private static let rclonePrefix = "rclone:"

    /// What a person has typed, or ``text``.
    ///
    /// What looks like an address, or ends with `.git`, is a repository; `git+` before it says so of anything.
    package init(_ text: String, in directory: String = FileManager.default.currentDirectoryPath) throws(KeyringError) {
        guard !text.isEmpty, !text.hasPrefix("-") else {
            throw KeyringError(
                .usage, "a folder, a git repository, rclone:REMOTE:PATH or etcd+https://… is meant")
        }
        if text.hasPrefix("etcd+") {
            self = .etcd(try EtcdAddress(text))
            return
        }
        if text.hasPrefix(Self.rclonePrefix) {
            let place = String(text.dropFirst(Self.rclonePrefix.count))
            guard place.contains(":"), !place.hasPrefix("-") else {
                throw KeyringError(
                    .usage, "'rclone:REMOTE:PATH' is meant, with a remote of rclone's",
                    advice: .listRemotes)
            }
            self = .rclone(place)
            return
        }
        let isMarked = text.hasPrefix(Self.gitPrefix)
        let place = isMarked ? String(text.dropFirst(Self.gitPrefix.count)) : text
        let path = place.hasPrefix("/") ? place : directory + "/" + place
        let firstPart = place.prefix { $0 != "/" }
        let isAddress = place.contains("://") || !place.hasPrefix("/") && firstPart.contains(":")
        guard !place.isEmpty, !place.hasPrefix("-") else {
            throw KeyringError(.usage, "a git repository is meant")
        }
        if isAddress {
            self = .git(place)
        } else {
            let standard = URL(filePath: path).standardizedFileURL.path
            self = isMarked || place.hasSuffix(".git") ? .git(standard) : .folder(standard)
        }
    }

    /// What is kept of it.
    package var text: String {
        switch self {
        case .folder(let path): path
        case .git(let address): Self.gitPrefix + address
        case .rclone(let place): Self.rclonePrefix + place
        case .etcd(let address): address.text
        }
    }

    /// What this machine is called where nobody says.
    static var hostName: String {
        let name = (try? String(contentsOfFile: "/proc/sys/kernel/hostname", encoding: .utf8)) ?? ""
        return name.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
    }

    /// Where the files of a sync lie on this machine whose remote is no folder.
    static func place(of keyring: Keyring) -> String { keyring.location.state + "/sync-" + keyring.vaultID }

    /// The error of a place where nothing is yet, with what makes it.
    func isToBeMade(_ error: KeyringError) -> KeyringError {
        switch self {
        case .folder(let path):
            // The first that is missing: what is below it cannot be there.
            let ends = path.indices.filter { path[$0] == "/" && $0 > path.startIndex } + [path.endIndex]
            let missing = ends.lazy.map { String(path[..<$0]) }.first { !FileManager.default.fileExists(atPath: $0) }
            return error.saying("there is no folder \(missing ?? path)", advice: .makeFolder(path + "/"))
        case .git(let address):
            let path = SyncGitFolder.localPath(address) ?? address
            return error.saying(error.message, advice: .makeRepository(path))
        case .rclone, .etcd: return error
        }
    }

    /// What brings files there and back; it has a lock for as long as it is there.
    func transport(for keyring: Keyring, _ access: SyncAccess) throws(KeyringError) -> any SyncTransport {
        let place = Self.place(of: keyring)
        return switch self {
        case .folder(let path): SyncFolderTransport(folder: path)
        case .git(let address): try SyncGitTransport(address, in: place, access)
        case .rclone(let remote): try SyncRcloneTransport(remote, in: place, access)
        case .etcd(let address):
            try SyncEtcdTransport(EtcdClient(address, over: try access.network(), access.environment), in: place)
        }
    }
}
