internal import Foundation
internal import Synchronization
package import Testing

/// What is known to fail today: `Tests/known-faults.txt`, a line `NAME · TITLE · REASON` for each.
package enum KnownFaults {
    /// Why each fails, with the piece of work that mends it, by name.
    package static let reasons: [String: String] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "known-faults.txt")
        let lines = (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n") ?? []
        return Dictionary(
            lines.compactMap { line in
                let parts = line.split(separator: " · ").map(String.init)
                return line.hasPrefix("#") || parts.count != 3 ? nil : (parts[0], "\(parts[2]) (\(parts[1]))")
            }, uniquingKeysWith: { first, _ in first })
    }()
}

/// Runs a part of a test, by a name of its own, that may be known to fail.
///
/// Where `Tests/known-faults.txt` has the name it has to fail: once it holds, its line is to go.
package func demand(
    _ name: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) throws {
    guard let reason = KnownFaults.reasons[name] else { return try body() }
    let count = Mutex(0)
    try withKnownIssue(
        "\(name): \(reason)", isIntermittent: true, sourceLocation: sourceLocation, body, when: { true },
        matching: { _ in
            count.withLock { $0 += 1 }
            return true
        })
    if count.withLock({ $0 }) == 0 {
        Issue.record(
            "'\(name)' holds now: take its line out of Tests/known-faults.txt", sourceLocation: sourceLocation)
    }
}
