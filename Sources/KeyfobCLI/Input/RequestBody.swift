internal import Foundation
internal import Keyfob

/// What `--data` names.
enum RequestBody {
    /// The longest body, in bytes.
    static let limit = 64 << 20

    /// The text itself, or what is in the file behind an `@`.
    ///
    /// - Throws: `noSuchFile`, `inputOutput`, `limitExceeded`.
    static func read(_ text: String) throws(KeyringError) -> [UInt8] {
        guard text.hasPrefix("@") else { return Array(text.utf8) }
        let path = String(text.dropFirst())
        let file = path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path)
        guard let file else { throw KeyringError(.noSuchFile, "\(path) cannot be read") }
        let data: Data?
        do {
            data = try file.read(upToCount: limit + 1)
        } catch {
            throw KeyringError(.inputOutput, "\(path) cannot be read")
        }
        guard let data else { return [] }
        guard data.count <= limit else { throw KeyringError(.limitExceeded, "\(path) is longer than 64 MiB") }
        return [UInt8](data)
    }
}
