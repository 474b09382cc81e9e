internal import Foundation
internal import Synchronization

/// A private folder, removed with its last user, or when the program ends.
///
/// What all tests share is never released, nor is a scripted answer that holds on to who holds it.
package final class ScratchFolder: Sendable {
    /// Its path.
    package let path: String

    /// Those that are there, by their paths; they go when the program ends.
    private static let present: Mutex<Set<String>> = {
        atexit {
            for path in ScratchFolder.present.withLock({ $0 }) { ScratchFolder.remove(path) }
        }
        return Mutex([])
    }()

    package init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "keyfob-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        _ = Self.present.withLock { [path] in $0.insert(path) }
    }

    /// One in `/tmp` whose name has so many letters: on screens its path always takes the same room.
    package init(letters: Int) throws {
        let name = (0..<letters).map { _ in String("abcdefghijklmnopqrstuvwxyz".randomElement() ?? "a") }.joined()
        path = "/tmp/" + name
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        _ = Self.present.withLock { [path] in $0.insert(path) }
    }

    deinit {
        Self.remove(path)
        _ = Self.present.withLock { [path] in $0.remove(path) }
    }

    /// Removes a folder, also where a test has let nobody write into one below it: an ordinary user cannot empty that.
    private static func remove(_ path: String) {
        guard (try? FileManager.default.removeItem(atPath: path)) == nil else { return }
        open(path)
        try? FileManager.default.removeItem(atPath: path)
    }

    private static func open(_ path: String) {
        guard (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType == .typeDirectory
        else { return }
        try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] { open("\(path)/\(name)") }
    }

    /// The bytes of a file.
    package func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: path).appending(path: name)))
    }

    /// Writes a file for its owner alone.
    package func write(_ name: String, _ bytes: [UInt8]) throws {
        let file = URL(filePath: path).appending(path: name)
        try Data(bytes).write(to: file)
        try setMode(name, 0o600)
    }

    /// Changes the mode of a file or folder.
    package func setMode(_ name: String, _ mode: Int) throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: URL(filePath: path).appending(path: name).path)
    }
}
