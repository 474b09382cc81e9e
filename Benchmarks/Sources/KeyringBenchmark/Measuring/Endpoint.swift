import ArgumentParser
import Foundation

/// The provider on this machine that answers refreshes: `peers/endpoint.py`, in a process of its own.
final class Endpoint: Sendable {
    /// Its issuer.
    let issuer: String
    private let input: FileHandle
    private let output: FileHandle

    /// What it was asked.
    struct Counts: Decodable {
        let requests: Double
        /// With a refresh token that had been replaced.
        let reused: Double
    }

    init(python: String, peers: String) throws {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: python)
        process.arguments = [peers + "/endpoint.py"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        self.input = input.fileHandleForWriting
        self.output = output.fileHandleForReading
        issuer = try Self.line(of: self.output)
    }

    /// Lets access tokens be good for so many seconds.
    ///
    /// - Returns: What was asked since the last time.
    @discardableResult
    func begin(lifetime: Int) throws -> Counts {
        try input.write(contentsOf: Data("\(lifetime)\n".utf8))
        return try JSONDecoder().decode(Counts.self, from: Data(try Self.line(of: output).utf8))
    }

    /// Ends it.
    func stop() {
        try? input.close()
    }

    private static func line(of output: FileHandle) throws -> String {
        var line = Data()
        while let byte = try output.read(upToCount: 1), !byte.isEmpty {
            if byte[0] == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line += byte
        }
        throw ValidationError("endpoint.py ended")
    }
}
