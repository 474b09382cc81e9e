internal import Foundation
internal import Synchronization

/// A server on this machine that behaves as a test wants, well or badly, the same way on each connection.
///
/// It is one of those in `scripted-server.py`: with TLS and HTTP that are not ours.
struct ScriptedServer: Sendable {
    /// What it does with a connection.
    enum Behaviour: Sendable {
        /// Closes it at once.
        case close
        /// Reads a whole request and closes.
        case readAndClose
        /// Reads and says nothing.
        case silent
        /// Reads a whole request, writes this and closes.
        case answer(String)
        /// Reads a whole request, writes this and stays.
        case answerAndStay(String)
        /// Reads a whole request, writes this, and spaces until nobody takes them any more.
        case flood(String)
        /// Reads a CONNECT request, grants it, and is a TLS server that gives this answer.
        case tunnel(Certificate, String)
        /// Takes a connection by SOCKS 5, and is a TLS server that gives this answer.
        case socks(Certificate, String)

        fileprivate var parts: (name: String, answer: String, certificate: Certificate?) {
            switch self {
            case .close: ("close", "", nil)
            case .readAndClose: ("readAndClose", "", nil)
            case .silent: ("silent", "", nil)
            case .answer(let answer): ("answer", answer, nil)
            case .answerAndStay(let answer): ("answerAndStay", answer, nil)
            case .flood(let answer): ("flood", answer, nil)
            case .tunnel(let certificate, let answer): ("tunnel", answer, certificate)
            case .socks(let certificate, let answer): ("socks", answer, certificate)
            }
        }
    }

    /// Where it listens.
    let port: Int

    /// Calls `body` with a server; with TLS where there is a certificate.
    static func run<Result>(
        _ behaviour: Behaviour, tls: Certificate? = nil, _ body: (ScriptedServer) async throws -> Result
    ) async throws -> Result {
        let (name, answer, certificate) = behaviour.parts
        let command = Command(
            do: "open", behaviour: name, answer: answer, tls: (certificate ?? tls).map { [$0.file, $0.key] })
        let server = ScriptedServer(port: try ServerProgram.running.get().send(command).port ?? 0)
        defer { server.send("close") }
        return try await body(server)
    }

    /// What each connection sent.
    var received: [String] { send("tell")?.received ?? [] }
    /// How many bytes of a flood went out.
    var written: Int { send("tell")?.written ?? 0 }

    @discardableResult
    private func send(_ verb: String) -> Report? {
        try? ServerProgram.running.get().send(Command(do: verb, port: port))
    }
}

private struct Command: Encodable {
    var `do`: String
    var port: Int?
    var behaviour: String?
    var answer: String?
    var tls: [String]?
}

private struct Report: Decodable {
    var port: Int?
    var received: [String]?
    var written: Int?
}

/// The program with all servers, which ends with this one.
private final class ServerProgram: Sendable {
    static let running = Result { try ServerProgram() }

    private let pipes: Mutex<(commands: FileHandle, reports: FileHandle)>

    private init() throws {
        let (commands, reports) = (Pipe(), Pipe())
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "python3", URL(filePath: #filePath).deletingLastPathComponent().appending(path: "scripted-server.py").path,
        ]
        process.standardInput = commands
        process.standardOutput = reports
        try process.run()
        pipes = Mutex((commands.fileHandleForWriting, reports.fileHandleForReading))
    }

    func send(_ command: Command) throws -> Report {
        let line = try JSONEncoder().encode(command) + [0x0A]
        return try pipes.withLock { pipes in
            try pipes.commands.write(contentsOf: line)
            var report = Data()
            while report.last != 0x0A {
                let part = pipes.reports.availableData
                guard !part.isEmpty else { throw CocoaError(.fileReadUnknown) }
                report += part
            }
            return try JSONDecoder().decode(Report.self, from: report)
        }
    }
}
