internal import Foundation
internal import KeyfobTestSupport

/// A program of the system that a test runs to its end.
enum Program {
    /// What a program did not do.
    struct Failure: Error {
        let arguments: [String]
        let message: String
    }

    /// Runs openssl and gives what it wrote; `input` becomes its standard input.
    @discardableResult
    static func openssl(_ arguments: [String], input: [UInt8] = []) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        let (given, written, said) = (Pipe(), Pipe(), Pipe())
        process.standardInput = given
        process.standardOutput = written
        process.standardError = said
        try process.run()
        try given.fileHandleForWriting.write(contentsOf: Data(input))
        try given.fileHandleForWriting.close()
        let output = try written.fileHandleForReading.readToEnd() ?? Data()
        let message = try said.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(arguments: arguments, message: String(decoding: message, as: UTF8.self))
        }
        return [UInt8](output)
    }
}

extension ScratchFolder {
    /// Writes a file and gives its path.
    func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        try write(name, bytes)
        return path + "/" + name
    }
}
