internal import FoundationEssentials

/// Files of a sync in etcd: `PREFIX/devices/ID/NAME/PART`, in parts that fit into a request.
///
/// All of a fetch is of one moment. A head is replaced in a transaction, if nobody else has replaced it since, after the files
/// that it names are there; `PREFIX/last` changes with it, which others watch.
final class SyncEtcdTransport: SyncTransport {
    /// How many bytes one part has at most: etcd takes requests of 1.5 MiB.
    private static let partLimit = 512 << 10
    /// How many keys one answer lists, and how many answers are asked for.
    private static let (pageCount, pageLimit) = (4_096, 16)
    /// How many keys a transaction changes at most, which is what etcd takes.
    private static let changeLimit = 100

    private let client: EtcdClient
    private let mirror: SyncMirror
    private var listing = Listing()

    var folder: String { mirror.folder }

    /// - Parameter place: The folder in which the files lie on this machine.
    init(_ client: EtcdClient, in place: String) throws(KeyringError) {
        self.client = client
        mirror = try SyncMirror(place)
    }

    /// The parts of each file, by its path, and when the last of them was changed.
    private struct Listing {
        struct File {
            var parts: [Data] = []
            var revision: UInt64 = 0
        }

        var files: [String: File] = [:]
        var revision = ""
        var cluster = ""
    }

    private var root: String { client.address.prefix + "/" }
    private func key(_ path: String) -> Data { Data((root + path).utf8) }

    /// The first key behind all that begin with this one.
    private static func end(of prefix: Data) -> Data {
        var end = prefix
        if let last = end.indices.last { end[last] += 1 }
        return end
    }

    // MARK: Reading

    func fetch() async throws(KeyringError) {
        var attempts = 3
        while true {
            let found = try await list()
            listing = found
            var known = mirror.known(in: found.cluster)
            // Each part but the last is as long as a part may be.
            let files = SyncChoice.chosen(
                Array(found.files), \.key, { max(0, $0.value.parts.count - 1) * Self.partLimit })
            try mirror.keep(Set(files.map(\.key)))
            var (isWhole, room) = (true, SyncChoice.totalLimit)
            for (path, file) in files {
                let version = "\(file.revision)/\(file.parts.count)"
                if let present = mirror.identity(of: path), known[path] == "\(version) \(present)" {
                    room -= mirror.size(of: path)
                    continue
                }
                guard let data = try await read(file, at: found.revision, limit: SyncChoice.limit(of: path)) else {
                    isWhole = false
                    break
                }
                room -= data.count
                guard room >= 0 else { break }
                try mirror.write(path, data)
                known[path] = mirror.identity(of: path).map { "\(version) \($0)" }
            }
            try mirror.note(known.filter { found.files[$0.key] != nil }, in: found.cluster)
            attempts -= 1
            if isWhole { return }
            guard attempts > 0 else {
                throw KeyringError(
                    .busy, "etcd forgets what it lists while it is read", advice: .tryAgain(.nothingLost))
            }
        }
    }

    private func list() async throws(KeyringError) -> Listing {
        var listing = Listing()
        let start = key("devices/")
        var next = start
        for _ in 0..<Self.pageLimit {
            let page: EtcdRange.Answer = try await client.call(
                "/v3/kv/range",
                EtcdRange(
                    key: next, range_end: Self.end(of: start), limit: "\(Self.pageCount)",
                    revision: listing.revision.isEmpty ? nil : listing.revision, keys_only: true))
            if listing.revision.isEmpty {
                (listing.revision, listing.cluster) = (page.header.revision, page.header.cluster_id)
            }
            let entries = page.kvs ?? []
            for entry in entries {
                guard let text = String(bytes: entry.key, encoding: .utf8), text.hasPrefix(root),
                    let slash = text.lastIndex(of: "/"), UInt(text[slash...].dropFirst()) != nil
                else { continue }
                let path = String(text[..<slash].dropFirst(root.count))
                guard SyncMirror.isExpected(path) else { continue }
                let revision = entry.mod_revision.flatMap { UInt64($0) } ?? 0
                var file = listing.files[path] ?? .init()
                file.parts.append(entry.key)
                file.revision = max(file.revision, revision)
                listing.files[path] = file
            }
            guard page.more == true, let last = entries.last else { break }
            next = last.key + [0]
        }
        return listing
    }

    /// A file; nil where etcd has forgotten the revision meanwhile.
    private func read(
        _ file: Listing.File, at revision: String, limit: Int
    ) async throws(KeyringError) -> Data? {
        var data = Data()
        for part in file.parts {
            do throws(KeyringError) {
                let answer: EtcdRange.Answer = try await client.call(
                    "/v3/kv/range", EtcdRange(key: part, revision: revision))
                data += answer.kvs?.first?.value ?? Data()
            } catch {
                if error.code == .unavailable, error.message.contains("compacted") { return nil }
                throw error
            }
            // What is longer is none.
            guard data.count <= limit else { return Data() }
        }
        return data
    }

    // MARK: Writing

    func deliver(_ ownFolder: String) async throws(KeyringError) -> Bool {
        let before = listing.files.filter { $0.key.hasPrefix(ownFolder + "/") }
        var known = mirror.known(in: listing.cluster)
        var names = mirror.names(in: ownFolder).map { ownFolder + "/" + $0 }
        let gone = before.keys.filter { !names.contains($0) }
        names.removeAll { path in
            before[path] != nil && mirror.identity(of: path).map { known[path]?.hasSuffix(" \($0)") == true } == true
        }
        guard !names.isEmpty || !gone.isEmpty else { return true }
        let replaced = names.filter(SyncMirror.isReplaced)
        for path in names where !SyncMirror.isReplaced(path) {
            let parts = parts(of: path, try mirror.read(path))
            for (key, part) in parts {
                let put: EtcdPut.Answer = try await client.call("/v3/kv/put", EtcdPut(key: key, value: part))
                known[path] = mirror.identity(of: path).map { "\(put.header.revision)/\(parts.count) \($0)" }
            }
        }
        var changes: [EtcdTransaction.Change] = []
        var conditions: [EtcdTransaction.Condition] = []
        for path in replaced {
            let parts = parts(of: path, try mirror.read(path))
            changes += parts.map { .init(request_put: EtcdPut(key: $0.key, value: $0.part)) }
            let stale = (before[path]?.parts ?? []).filter { key in !parts.contains { $0.key == key } }
            changes += stale.map { .init(request_delete_range: .init(key: $0)) }
            for (key, _) in parts.prefix(1) {
                conditions.append(.init(key: key, mod_revision: "\(before[path]?.revision ?? 0)"))
            }
        }
        changes.append(.init(request_put: EtcdPut(key: key("last"), value: Data(ownFolder.utf8))))
        let done: EtcdTransaction.Answer = try await client.call(
            "/v3/kv/txn", EtcdTransaction(compare: conditions, success: changes))
        guard done.succeeded == true else { return false }
        for path in replaced {
            known[path] = mirror.identity(of: path).map { "\(done.header.revision)/1 \($0)" }
        }
        try mirror.note(known, in: listing.cluster)
        let old = gone.flatMap { before[$0]?.parts ?? [] }
        for start in stride(from: 0, to: old.count, by: Self.changeLimit) {
            let keys = old[start..<min(old.count, start + Self.changeLimit)]
            let _: EtcdTransaction.Answer = try await client.call(
                "/v3/kv/txn",
                EtcdTransaction(success: keys.map { .init(request_delete_range: .init(key: $0)) }))
        }
        return true
    }

    private func parts(of path: String, _ data: Data) -> [(key: Data, part: Data)] {
        stride(from: 0, to: max(1, data.count), by: Self.partLimit).enumerated().map { number, start in
            let digits = String(number)
            let name = String(repeating: "0", count: max(0, 5 - digits.count)) + digits
            return (key("\(path)/\(name)"), data.dropFirst(start).prefix(Self.partLimit))
        }
    }

    /// What tells of changes that others make.
    func watch(besides ownFolder: String) -> EtcdWatch {
        client.watch(key("last"), after: UInt64(listing.revision), besides: ownFolder)
    }
}
