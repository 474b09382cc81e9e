internal import Foundation
internal import Keyfob
internal import KeyfobTerminal

/// git or rclone, which bring the files of a sync somewhere; each call ends after a while, whatever the other side does.
struct SyncProgram {
    /// What became of a call.
    enum Outcome {
        case done(Data)
        case failed
        /// It has printed more than it may.
        case tooLong
        /// It was ended, with all that it had started.
        case late
        /// There is no such program.
        case missing
    }

    /// Its name in `PATH`.
    let name: String
    /// The folder in which it runs; what it says is kept there for as long as it is needed.
    let place: String
    /// How long a call may take, in seconds.
    let seconds: Int
    /// Whether it may ask on the terminal.
    let isAsking: Bool
    let environment: [String: String]

    /// What it has said of an error last.
    var complaints: String { (try? String(contentsOfFile: place + "/errors", encoding: .utf8)) ?? "" }

    /// Runs it; what it prints.
    ///
    /// - Parameters:
    ///   - output: What is written to in place of giving it.
    ///   - most: The most bytes that are given; with more it has failed.
    func run(
        _ arguments: [String], input: Data? = nil, to output: FileHandle? = nil, limit most: Int = .max
    ) -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        // Ends the whole group of processes, git's own helpers too; in one of its own nothing could ask on the terminal.
        let limit = ["timeout", "--kill-after=2", "\(seconds)"]
        process.arguments = (isAsking ? [limit[0], "--foreground"] + limit.dropFirst() : limit) + [name] + arguments
        process.environment = environment
        process.currentDirectoryURL = URL(filePath: place)
        // Files, not pipes: somebody who outlives the call could keep a pipe open.
        let (inputFile, outputFile) = (place + "/input", place + "/output")
        defer { for file in [inputFile, outputFile] { try? FileManager.default.removeItem(atPath: file) } }
        for (file, content) in [(inputFile, input), (outputFile, nil), (place + "/errors", nil)] {
            let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
            _ = FileManager.default.createFile(atPath: file, contents: content, attributes: mode)
        }
        process.standardInput = FileHandle(forReadingAtPath: inputFile) ?? FileHandle.nullDevice
        process.standardOutput = output ?? FileHandle(forWritingAtPath: outputFile) ?? FileHandle.nullDevice
        process.standardError = FileHandle(forWritingAtPath: place + "/errors") ?? FileHandle.nullDevice
        guard (try? process.run()) != nil else { return .missing }
        process.waitUntilExit()
        switch process.terminationStatus {
        case 0:
            guard output == nil else { return .done(Data()) }
            let size = (try? FileManager.default.attributesOfItem(atPath: outputFile)[.size] as? Int) ?? 0
            guard size <= most else { return .tooLong }
            return .done(FileManager.default.contents(atPath: outputFile) ?? Data())
        case 124, 137: return .late
        case 127: return .missing
        default: return .failed
        }
    }

    /// What such an outcome means.
    ///
    /// - Parameters:
    ///   - what: What it was to do.
    ///   - reason: What it says of why it could not.
    func failure(_ outcome: Outcome, _ what: String, _ reason: String?) -> KeyringError {
        switch outcome {
        case .late:
            KeyringError(
                .offline, "\(name) could not \(what) within \(Quantity.of(seconds, "second"))",
                hint: "nothing is lost; try again, or with a longer '--timeout'")
        case .missing:
            KeyringError(.configuration, "there is no program \(name) in PATH", hint: "install it, and try again")
        case .tooLong:
            KeyringError(
                .limitExceeded, "\(name) could not \(what): there is far more than a sync has",
                hint: "look at what lies there, and who can write there")
        case .done, .failed:
            KeyringError(
                .offline, "\(name) could not \(what)" + (reason.map { ": " + TerminalText.line($0) } ?? ""),
                hint: "nothing is lost; try again")
        }
    }
}
