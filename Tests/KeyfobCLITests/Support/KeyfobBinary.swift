import Foundation

/// The command that is tested, and where the project's files are.
enum KeyfobBinary {
    /// The program: `KEYFOB_BINARY`, or `keyfob` beside the test bundle.
    static let path: String = {
        if let path = ProcessInfo.processInfo.environment["KEYFOB_BINARY"] { return path }
        let bundle = URL(filePath: CommandLine.arguments.first ?? ".").resolvingSymlinksInPath()
        var folder = bundle.deletingLastPathComponent()
        while folder.path.count > 1 {
            let candidate = folder.appending(path: "keyfob").path
            let isProgram = try? URL(filePath: candidate).resourceValues(forKeys: [.isRegularFileKey]).isRegularFile
            if isProgram == true { return candidate }
            folder.deleteLastPathComponent()
        }
        return "keyfob"
    }()
}

/// Folders of the project.
enum ProjectFolder {
    /// The folder of these tests.
    static let tests = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The folder with `Schemas` in it.
    static let root: URL = {
        var folder = tests
        while folder.path.count > 1, !FileManager.default.fileExists(atPath: folder.appending(path: "Schemas").path) {
            folder.deleteLastPathComponent()
        }
        return folder
    }()
}
