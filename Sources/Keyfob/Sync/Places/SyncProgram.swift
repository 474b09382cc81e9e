internal import FoundationEssentials
internal import Glibc
internal import KeyfobFiles
internal import KeyfobModel

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
    ///   - output: The file descriptor that is written to in place of giving it.
    ///   - most: The most bytes that are given; with more it has failed.
    func run(
        _ arguments: [String], input: Data? = nil, to output: Int32? = nil, limit most: Int = .max
    ) -> Outcome {
        // Ends the whole group of processes, git's own helpers too; in one of its own nothing could ask on the terminal.
        let limit = ["timeout"] + (isAsking ? ["--foreground"] : []) + ["--kill-after=2", "\(seconds)"]
        // Files, not pipes: somebody who outlives the call could keep a pipe open.
        let files = [
            input.flatMap { ChildProgram.file(holding: Array($0)) }, output ?? ChildProgram.newFile(place + "/output"),
            ChildProgram.newFile(place + "/errors"),
        ]
        defer { for file in files.compactMap(\.self) where file != output { close(file) } }
        defer { try? FileManager.default.removeItem(atPath: place + "/output") }
        guard files[1] != nil, input == nil || files[0] != nil else { return .failed }
        let program = ChildProgram(
            path: "/usr/bin/env",
            arguments: ["--chdir=\(place)"] + limit + [name] + arguments,
            environment: environment, input: files[0], output: files[1], errors: files[2])
        switch program.run() {
        case .status(0)?:
            guard output == nil else { return .done(Data()) }
            let size = (try? FileManager.default.attributesOfItem(atPath: place + "/output")[.size] as? Int) ?? 0
            guard size <= most else { return .tooLong }
            return .done(FileManager.default.contents(atPath: place + "/output") ?? Data())
        case .status(124)?, .status(137)?: return .late
        case .status(127)?, nil: return .missing
        case .status?, .signal?: return .failed
        }
    }

    /// What such an outcome means.
    ///
    /// - Parameters:
    ///   - what: What it was to do.
    ///   - reason: What it says of why it could not.
    ///   - advice: What to do where it has failed, and not for want of a network.
    func failure(_ outcome: Outcome, _ what: String, _ reason: String?, advice: Advice) -> KeyringError {
        switch outcome {
        case .late:
            KeyringError(
                .offline, "\(name) could not \(what) within \(seconds) second\(seconds == 1 ? "" : "s")",
                advice: .tryAgainLonger(.nothingLost))
        case .missing:
            KeyringError(.configuration, "there is no program \(name) in PATH", advice: .installProgram)
        case .tooLong:
            KeyringError(
                .limitExceeded, "\(name) could not \(what): there is far more than a sync has",
                advice: .inspectPlace)
        case .done, .failed:
            KeyringError(
                .offline, "\(name) could not \(what)" + (reason.map { ": " + $0.onOneLine } ?? ""),
                advice: SyncComplaint.isOfNetwork(reason ?? "") ? .checkNetwork(.nothingLost) : advice)
        }
    }
}
