import Foundation
import Testing

extension Workplace {
    /// Makes a key file of 32 random bytes.
    func makeKey(_ name: String) throws {
        var generator = SystemRandomNumberGenerator()
        try write(name, Data((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }))
    }

    /// Writes a file for its owner alone; its name may be a path below ``path``.
    func write(_ name: String, _ bytes: Data) throws {
        let file = url(name)
        try bytes.write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    /// The same with text.
    func write(_ name: String, _ text: String) throws {
        try write(name, Data(text.utf8))
    }

    /// The bytes of a file.
    func read(_ name: String) throws -> Data {
        try Data(contentsOf: url(name))
    }

    /// The bytes of every file below a folder, by relative path.
    func contents(of folder: String) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: url(folder).path) {
            let file = url(folder).appending(path: name)
            if try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
                contents[name] = try Data(contentsOf: file)
            }
        }
        return contents
    }

    /// A document that a line prints, as Foundation reads it.
    func document(_ line: String) throws -> [String: Any] {
        let outcome = try run(line)
        outcome.expectSuccess()
        return try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any] ?? [:]
    }

    /// Stores a token by `keyfob add`, at `git.example` unless the options say where.
    func add(_ account: String, token: String, _ options: String = "") throws {
        let host = options.contains("--host") ? "" : "--host git.example"
        try run("keyfob add --quiet --account '\(account)' \(host) \(options)", text: token).expectSuccess()
    }

    private func url(_ name: String) -> URL {
        name.hasPrefix("/") ? URL(filePath: name) : URL(filePath: path).appending(path: name)
    }
}
