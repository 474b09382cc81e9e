internal import Foundation
internal import Keyfob

/// Where the files of a sync lie that other machines read: a folder that something else carries, or a git repository.
enum SyncRemote: Hashable {
    /// A folder, by its path from the root.
    case folder(String)
    /// A repository, as git names it.
    case git(String)

    private static let gitPrefix = "git+"

    /// What a person has typed, or ``text``.
    ///
    /// What looks like an address, or ends with `.git`, is a repository; `git+` before it says so of anything.
    init(_ text: String, in directory: String = FileManager.default.currentDirectoryPath) throws(KeyringError) {
        guard !text.isEmpty, !text.hasPrefix("-") else {
            throw KeyringError(.usage, "a folder or a git repository is meant", hint: nil)
        }
        let isMarked = text.hasPrefix(Self.gitPrefix)
        let place = isMarked ? String(text.dropFirst(Self.gitPrefix.count)) : text
        let path = place.hasPrefix("/") ? place : directory + "/" + place
        let firstPart = place.prefix { $0 != "/" }
        let isAddress = place.contains("://") || !place.hasPrefix("/") && firstPart.contains(":")
        guard !place.isEmpty, !place.hasPrefix("-") else {
            throw KeyringError(.usage, "a git repository is meant", hint: nil)
        }
        if isAddress {
            self = .git(place)
        } else {
            let standard = URL(filePath: path).standardizedFileURL.path
            self = isMarked || place.hasSuffix(".git") ? .git(standard) : .folder(standard)
        }
    }

    /// What is kept of it.
    var text: String {
        switch self {
        case .folder(let path): path
        case .git(let address): Self.gitPrefix + address
        }
    }

    /// What this machine is called where nobody says.
    static var hostName: String {
        let name = (try? String(contentsOfFile: "/proc/sys/kernel/hostname", encoding: .utf8)) ?? ""
        return name.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// What brings files there and back.
    ///
    /// - Parameter isNew: Whether the folder may be made.
    func transport(
        for keyring: Keyring, isNew: Bool = false, asking: Bool = false
    ) throws(KeyringError) -> any SyncTransport {
        switch self {
        case .folder(let path):
            let parent = URL(filePath: path).deletingLastPathComponent().path
            if isNew, FileManager.default.fileExists(atPath: parent) {
                try? FileManager.default.createDirectory(
                    atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            }
            Reach.files(writing: path + "/devices").confine(keyring)
            return SyncFolderTransport(folder: path)
        case .git(let address):
            return try SyncGitTransport(
                address, in: keyring.location.state + "/sync-" + keyring.vaultID, isAsking: asking)
        }
    }
}

/// Brings the files of others here, and one's own to them.
protocol SyncTransport {
    /// Where the files lie on this machine.
    var folder: String { get }

    /// Brings what others have written.
    func fetch() throws(KeyringError)

    /// Brings what was written into one's own folder to the others.
    ///
    /// - Returns: False where somebody else was faster: everything is to be done once more.
    func deliver(_ ownFolder: String) throws(KeyringError) -> Bool
}

/// A folder that something else carries: Syncthing, a stick, a network's disk.
struct SyncFolderTransport: SyncTransport {
    let folder: String

    /// - Throws: `noSuchFile` where it is not there: a stick that is not plugged in is no reason to begin anew.
    func fetch() throws(KeyringError) {
        let kind = try? FileManager.default.attributesOfItem(atPath: folder + "/.")[.type] as? FileAttributeType
        guard kind == .typeDirectory else {
            throw KeyringError(.noSuchFile, "there is no folder \(folder)")
        }
    }

    func deliver(_ ownFolder: String) -> Bool { true }
}

extension SyncTransport {
    /// How often a race is run.
    private var attempts: Int { 16 }

    /// Does something with the files, again where somebody else was faster.
    ///
    /// - Parameter body: Gives the folder that this device alone writes, beside its result.
    func attempt<Result>(
        _ body: () throws(KeyringError) -> (result: Result, ownFolder: String)
    ) throws(KeyringError) -> Result {
        for _ in 0..<attempts {
            try fetch()
            let (result, ownFolder) = try body()
            if try deliver(ownFolder) { return result }
        }
        throw KeyringError(.busy, "others write to the repository all the time", hint: "try again later")
    }

    /// Synchronises.
    func synchronise(_ keyring: Keyring) throws(KeyringError) -> SyncReport {
        var total: SyncReport?
        return try attempt { () throws(KeyringError) in
            let report = try keyring.synchronise(through: folder)
            let sum = total?.adding(report) ?? report
            total = sum
            return (sum, report.status.ownFolder)
        }
    }
}
