internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobSodium
internal import KeyfobSync

/// The files of a sync as they lie in a folder, which somebody else carries to other machines and back.
///
///     devices/ID/request     what a device that wants to be let in says of itself
///     devices/ID/head.age    what it has come to
///     devices/ID/N-HASH.age  what it has of a group
///
/// A device writes into its own folder alone. Nothing is read but files with such names, of devices that somebody named or
/// approved.
struct SyncFolder {
    /// The longest head and request, in bytes.
    static let headLimit = 2 << 20
    /// The longest request, in bytes.
    private static let requestLimit = 4_096
    /// How many names of a folder are looked at.
    static let nameLimit = 4_096
    /// How many copies of a head are read.
    private static let copyLimit = 16

    let path: String

    /// Opens the folder.
    ///
    /// - Throws: `noSuchFile` where there is none: a stick that is not plugged in is no reason to begin anew.
    init(_ path: String) throws(KeyringError) {
        self.path = path
        let status: POSIXFile.Status?
        do {
            // What a link leads to counts.
            status = try POSIXFile.status(path + "/.")
        } catch {
            throw KeyringError(error)
        }
        guard status?.isDirectory == true else { throw KeyringError(.noSuchFile, "there is no folder \(path)") }
    }

    private func folder(of id: SyncDeviceID) -> String { "\(path)/devices/\(id.hexadecimal)" }

    /// The path of a file of a device.
    func file(_ name: String, of id: SyncDeviceID) -> String { folder(of: id) + "/" + name }

    /// The heads of a device: the one in its place, and copies that a service made of it when two machines wrote at once.
    func heads(of id: SyncDeviceID) -> [[UInt8]] {
        let names = names(in: folder(of: id))
            .filter { $0.hasPrefix("head") && $0.hasSuffix(".age") && $0 != Self.head }.sorted()
        return ([Self.head] + names.prefix(Self.copyLimit)).compactMap { read($0, of: id) }
    }

    /// What a device that wants to be let in says of itself; nil where there is nothing.
    func request(of id: SyncDeviceID) -> [UInt8]? { read(Self.request, of: id, limit: Self.requestLimit) }

    /// The devices that want to be let in, or are.
    func devices() -> [SyncDeviceID] {
        names(in: path + "/devices").compactMap { SyncDeviceID(hexadecimal: $0) }.sorted()
    }

    /// The names in a folder; none where something else is in its place, which is as if nothing were there.
    private func names(in folder: String) -> [String] {
        (try? POSIXFile.names(in: folder, limit: Self.nameLimit)) ?? []
    }

    /// Nil for what is not there, longer than it may be, or no file.
    private func read(_ name: String, of id: SyncDeviceID, limit: Int = Self.headLimit) -> [UInt8]? {
        try? POSIXFile.read(file(name, of: id), limit: limit)
    }

    func write(request: [UInt8], of id: SyncDeviceID) throws { try write(Self.request, request, of: id) }
    func write(head: [UInt8], of id: SyncDeviceID) throws { try write(Self.head, head, of: id) }

    private func write(_ name: String, _ bytes: [UInt8], of id: SyncDeviceID) throws {
        try makeFolder(of: id)
        // What is no file in the place of one goes aside.
        if let status = try POSIXFile.status(file(name, of: id)), !status.isRegularFile {
            _ = try POSIXFile.putAside(file(name, of: id), as: file("aside-" + name, of: id))
        }
        try POSIXFile.replace(file(name, of: id), with: bytes)
    }

    private func makeFolder(of id: SyncDeviceID) throws {
        if let status = try POSIXFile.status(folder(of: id)), !status.isDirectory {
            _ = try POSIXFile.putAside(folder(of: id), as: folder(of: id) + ".aside")
        }
        try POSIXFile.createDirectories(folder(of: id))
    }

    /// Begins a file of a device, which gets its name when it is whole.
    func begin(_ id: SyncDeviceID) throws -> NewFile {
        try makeFolder(of: id)
        let name = file("group-\(Hexadecimal.text(SyncID.random().bytes))", of: id)
        return try NewFile.begin(name)
    }

    /// How many bytes a file of a device has; nil where it is not there.
    func size(of name: String, _ id: SyncDeviceID) -> UInt64? {
        guard let status = try? POSIXFile.status(file(name, of: id)), status.isRegularFile else { return nil }
        return UInt64(status.size)
    }

    /// What the system says of a file of a device, where it is the one that was written; nil for another one, and where there is
    /// none.
    ///
    /// - Parameter known: What it said when that was last found: then it is not read again.
    func traits(of file: SyncHead.GroupFile, _ id: SyncDeviceID, known: [UInt8]?) -> [UInt8]? {
        let path = self.file(file.name, of: id)
        guard let status = try? POSIXFile.status(path), status.isRegularFile, UInt64(status.size) == file.size else {
            return nil
        }
        var bytes = CanonicalBytes()
        for trait in status.traits { bytes.append(Int64(trait)) }
        let traits = BLAKE2b.hash(bytes.bytes, count: 16)
        if traits == known { return traits }
        return (try? BundleFile(path: path).syncHash().hash) == file.hash ? traits : nil
    }

    /// Removes what a device has of groups, but for some files, and its request.
    func removeFiles(of id: SyncDeviceID, besides kept: Set<String>) {
        let names = (try? POSIXFile.names(in: folder(of: id), limit: Self.nameLimit)) ?? []
        for name in names where !kept.contains(name) && (name == Self.request || Self.isGroupFile(name)) {
            try? POSIXFile.remove(file(name, of: id))
        }
    }

    private static func isGroupFile(_ name: String) -> Bool {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == 2 && UInt64(parts[0]) != nil && name.hasSuffix(".age")
            && Hexadecimal.bytes(String(parts[1].dropLast(4)))?.count == 16
    }

    private static let head = "head.age"
    private static let request = "request"
}
