internal import FoundationEssentials

/// Files of a sync at a place that rclone reaches.
///
/// rclone is run. Nobody there says who was first; but each device writes into its own folder alone, and of this one's
/// processes one at a time does.
final class SyncRcloneTransport: SyncTransport {
    private let remote: String
    /// The place as messages name it.
    private var shown: String { SyncComplaint.harmless(remote) }
    private let mirror: SyncMirror
    private let rclone: SyncProgram
    private let wanted: String
    private var fetched: [String: String] = [:]

    var folder: String { mirror.folder }

    /// Of what lies there, what a sync has; the first rule that fits counts.
    private static let filters = [
        "--filter", "+ /devices/*/head.age", "--filter", "+ /devices/*/request", "--filter",
        "+ /devices/*/*-*.age", "--filter", "- *", "--max-size", "\(SyncChoice.totalLimit)B",
    ]

    init(_ remote: String, in place: String, _ access: SyncAccess) throws(KeyringError) {
        self.remote = remote.hasSuffix("/") ? String(remote.dropLast()) : remote
        mirror = try SyncMirror(place)
        wanted = place + "/wanted"
        rclone = SyncProgram(
            name: "rclone", place: place, seconds: access.programSeconds, isAsking: access.mayAsk,
            environment: access.environment.filter { name, _ in !name.hasPrefix("KEYFOB_") })
    }

    func fetch() throws(KeyringError) {
        // What was written here and never arrived is not there.
        try require(["mkdir", at("devices")], "make a folder at \(shown)")
        let listing = ["lsf", "--recursive", "--max-depth", "3", "--files-only", "--format", "sp", "--separator", ";"]
        let listed = try require(listing + Self.filters + [at("")], "read \(shown)", limit: SyncChoice.listLimit)
        let files = SyncChoice.chosen(Self.files(listed), \.path, \.size).map(\.path)
        try mirror.keep(Set(files))
        if !files.isEmpty {
            guard FileManager.default.createFile(atPath: wanted, contents: Data(files.joined(separator: "\n").utf8))
            else {
                throw KeyringError(.inputOutput, "\(wanted) cannot be written")
            }
            try require(["copy", "--files-from-raw", wanted, at(""), folder], "read \(shown)")
        }
        fetched = [:]
        for path in (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? [] {
            fetched[path] = mirror.identity(of: path)
        }
    }

    func deliver(_ ownFolder: String) throws(KeyringError) -> Bool {
        let names = mirror.names(in: ownFolder)
        let before = fetched.keys.filter { $0.hasPrefix(ownFolder + "/") }
        let new = names.filter { name in
            let path = ownFolder + "/" + name
            return fetched[path] == nil || fetched[path] != mirror.identity(of: path)
        }
        let gone = before.filter { !names.contains(String($0.dropFirst(ownFolder.count + 1))) }
        guard !new.isEmpty || !gone.isEmpty else { return true }
        for name in new.filter({ !SyncMirror.isReplaced("/" + $0) }) + new.filter({ SyncMirror.isReplaced("/" + $0) }) {
            let path = ownFolder + "/" + name
            // Size and time alone would not tell a head from the one before.
            try require(["copyto", "--ignore-times", folder + "/" + path, at(path)], "write to \(shown)")
        }
        for path in gone { try require(["deletefile", at(path)], "remove an old file at \(shown)") }
        return true
    }

    /// The files of a sync in what `lsf` lists: `SIZE;PATH`.
    static func files(_ listed: Data) -> [(size: Int, path: String)] {
        String(decoding: listed, as: UTF8.self).split(separator: "\n").compactMap { line in
            let parts = line.split(separator: ";", maxSplits: 1)
            guard parts.count == 2, let size = Int(parts[0]), SyncMirror.isExpected(String(parts[1])) else {
                return nil
            }
            return (size, String(parts[1]))
        }
    }

    private func at(_ path: String) -> String {
        remote.hasSuffix(":") || path.isEmpty ? remote + path : remote + "/" + path
    }

    @discardableResult
    private func require(_ arguments: [String], _ what: String, limit: Int = .max) throws(KeyringError) -> Data {
        let settings = ["--ask-password=false", "--retries", "1", "--log-level", "ERROR", "--use-json-log=false"]
        let outcome = rclone.run(settings + arguments, limit: limit)
        if case .done(let output) = outcome { return output }
        let reason = SyncComplaint.ofRclone(rclone.complaints)
        if case .failed = outcome, reason?.contains("section in config file") == true {
            let name = shown.prefix { $0 != ":" }
            throw KeyringError(
                .configuration, "rclone has no remote '\(name)', so it could not \(what)", advice: .listRemotes)
        }
        throw rclone.failure(outcome, what, reason, advice: .tryByHand(["rclone", "lsd", shown]))
    }
}
