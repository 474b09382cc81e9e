import Foundation

/// Runs the `age` program, which the tests need.
enum AgeProgram {
    /// What `age -d FILE | jq FILTER` prints, for an identity in its text form.
    static func decrypted(_ file: [UInt8], identity: [UInt8], filter: String) throws -> (status: Int32, output: String)
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "keyfob-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(file).write(to: folder.appending(path: "bundle.age"))
        try Data(identity).write(to: folder.appending(path: "key.txt"))
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", "set -o pipefail; age -d -i key.txt bundle.age | jq -r \"$0\"", filter]
        process.currentDirectoryURL = folder
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
