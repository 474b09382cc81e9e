import Foundation

/// The command that is tested, and where the project's files are.
enum KeyfobBinary {
    /// The program: `KEYFOB_BINARY`, or `keyfob` beside the test bundle.
    static let path = beside("keyfob", variable: "KEYFOB_BINARY")

    /// What `variable` names, or the file beside the test bundle.
    static func beside(_ name: String, variable: String) -> String {
        if let path = ProcessInfo.processInfo.environment[variable] { return path }
        let bundle = URL(filePath: CommandLine.arguments.first ?? ".").resolvingSymlinksInPath()
        var folder = bundle.deletingLastPathComponent()
        while folder.path.count > 1 {
            let candidate = folder.appending(path: name).path
            let isFile = try? URL(filePath: candidate).resourceValues(forKeys: [.isRegularFileKey]).isRegularFile
            if isFile == true { return candidate }
            folder.deleteLastPathComponent()
        }
        return name
    }
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
