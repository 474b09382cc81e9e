import Foundation
import KeyfobConfinement
import Testing

@Suite("Confinement")
struct ConfinementTests {
    /// What the victim could do, by the name of the attempt.
    private func attempts(_ options: String...) throws -> [String: String] {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appending(path: "keyfob-confined-\(UUID().uuidString)")
        defer { try? files.removeItem(at: folder) }
        try files.createDirectory(at: folder.appending(path: "inside/sub"), withIntermediateDirectories: true)
        try files.createDirectory(at: folder.appending(path: "outside"), withIntermediateDirectories: true)
        try Data("secret".utf8).write(to: folder.appending(path: "outside/secret"))
        try files.createSymbolicLink(
            at: folder.appending(path: "inside/out"), withDestinationURL: folder.appending(path: "outside"))
        let process = Process()
        process.executableURL = URL(filePath: try program())
        process.arguments = [folder.path + "/inside", folder.path + "/outside"] + options
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
        return Dictionary(uniqueKeysWithValues: lines.map { (String($0[0]), String($0[1])) })
    }

    /// Where the victim was built: beside the tests.
    private func program() throws -> String {
        let tests = ProcessInfo.processInfo.arguments.first { $0.hasSuffix(".xctest") }
        var folder = URL(filePath: try tests ?? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        while folder.path != "/" {
            folder = folder.deletingLastPathComponent()
            let candidate = folder.appending(path: "KeyfobConfinedVictim").path
            if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
        }
        throw CocoaError(.fileNoSuchFile)
    }

    private static let allowed: Set<String> = ["write-inside", "move-inside", "null", "zones"]

    @Test("unconfined all of it works, so that each attempt proves something")
    func free() throws {
        let attempts = try attempts("--free")
        #expect(attempts.count == 14 && attempts.values.allSatisfy { $0 == "works" }, "\(attempts)")
    }

    @Test(
        "from inside, nothing outside is read or changed, no program starts and nothing is connected",
        .enabled(if: Confinement.offers.landlock >= Confinement.oldestLandlock, "the kernel has no Landlock"))
    func confined() throws {
        let attempts = try attempts()
        for (name, result) in attempts {
            let wanted: Set = Self.allowed.contains(name) ? ["works"] : ["\(EACCES)", "\(EPERM)", "\(EXDEV)"]
            #expect(wanted.contains(result), "\(name) \(result)")
        }
        #expect(attempts.count == 14)
    }
}
