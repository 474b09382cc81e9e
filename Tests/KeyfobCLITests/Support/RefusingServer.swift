import Foundation
import Testing

/// The stand-in for Microsoft of `Tests/Provider/refusing.py`, for as long as somebody holds this.
final class RefusingServer: Sendable {
    /// What it refuses.
    struct Refusal: Encodable {
        /// A request for this scope is refused; without it each is.
        var scope: String?
        /// Only at this tenant.
        var tenant: String?
        var status = 400
        /// The answer's body: a JSON document, or a text.
        var body: String
        /// In seconds.
        var delay = 0.0
    }

    /// A request to a token endpoint.
    struct Request: Decodable {
        let tenant: String
        let scope: String
        let client: String?
        let claims: String?
    }

    let folder: String
    /// What a command needs to be led to it.
    let variables: [String: String]
    private let process: Process
    // It ends when this is closed.
    private let lifeline: FileHandle

    init() throws {
        folder =
            FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "keyfob-refusing-\(UUID().uuidString)").path
        let (input, output) = (Pipe(), Pipe())
        lifeline = input.fileHandleForWriting
        process = Process()
        process.executableURL = URL(filePath: PythonScript.interpreter)
        process.arguments = [ProjectFolder.root.appending(path: "Tests/Provider/refusing.py").path, folder]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let port = try #require(
            Int(line.trimmingCharacters(in: .newlines)), "the stand-in for Microsoft does not start")
        variables = [
            "HTTPS_PROXY": "http://127.0.0.1:\(port)", "NO_PROXY": "", "KEYFOB_CA_FILE": folder + "/ca.pem",
        ]
    }

    deinit {
        try? lifeline.close()
        process.waitUntilExit()
    }

    /// Refuses so from the next request on; nothing where nil.
    func refuse(_ refusal: Refusal?) throws { try refuse(refusal.map { [$0] } ?? []) }

    /// Refuses from the next request on by the first of these that a request is meant by.
    func refuse(_ refusals: [Refusal]) throws {
        let file = URL(filePath: folder).appending(path: "refusal.json")
        try JSONEncoder().encode(refusals).write(to: file, options: .atomic)
    }

    /// The requests to token endpoints so far.
    func requests() throws -> [Request] {
        let log = try Data(contentsOf: URL(filePath: folder).appending(path: "requests.jsonl"))
        return try log.split(separator: UInt8(ascii: "\n")).map { try JSONDecoder().decode(Request.self, from: $0) }
    }
}
