import Foundation
import Glibc

/// A provider that replaces the refresh token at each use, and ends the family of one that is used twice.
///
/// Its state is a file of three lines: the number of the refresh token that is good, how many access tokens there
/// are, and `alive` or `dead`. The file is replaced by rename, so that a death in between leaves it whole.
struct FileProvider: Sendable {
    let path: String
    /// Whether it refuses with an empty body.
    let isWordless: Bool

    /// What a token endpoint answers to a form.
    func answer(form: String) -> (status: Int, body: String) {
        // The lock goes with the handle.
        _ = FileManager.default.createFile(atPath: path + ".lock", contents: nil)
        guard let lock = FileHandle(forUpdatingAtPath: path + ".lock") else { return (500, "") }
        defer { try? lock.close() }
        flock(lock.fileDescriptor, LOCK_EX)
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return (500, "") }
        var lines = text.split(separator: "\n").map(String.init)
        guard lines.count == 3, let good = Int(lines[0]), let count = Int(lines[1]) else { return (500, "") }
        let fields = form.split(separator: "&").map(String.init)
        let used = fields.first { $0.hasPrefix("refresh_token=rt") }.flatMap { Int($0.dropFirst(16)) }
        guard lines[2] == "alive", used == good else {
            lines[2] = "dead"
            write(lines)
            let refusal = "{\"error\": \"invalid_grant\", \"error_description\": \"used before\"}"
            return (400, isWordless ? "" : refusal)
        }
        write([String(good + 1), String(count + 1), "alive"])
        return (
            200,
            """
            {"access_token": "at\(count + 1)", "token_type": "Bearer", "expires_in": 3600,
            "refresh_token": "rt\(good + 1)", "scope": "mail.read"}
            """
        )
    }

    private func write(_ lines: [String]) {
        try? Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: path), options: .atomic)
    }
}
