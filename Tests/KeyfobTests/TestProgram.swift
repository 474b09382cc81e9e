import Foundation

/// The programs that are built for tests, beside them.
enum TestProgram {
    /// Where a program is.
    static func path(_ name: String) throws -> String {
        var folder = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        let tests = ProcessInfo.processInfo.arguments.first { $0.hasSuffix(".xctest") }
        if let tests { folder = URL(filePath: tests) }
        while folder.path != "/" {
            folder = folder.deletingLastPathComponent()
            let candidate = folder.appending(path: name).path
            if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
        }
        throw CocoaError(.fileNoSuchFile)
    }
}
