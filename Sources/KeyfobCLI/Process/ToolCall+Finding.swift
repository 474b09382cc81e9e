internal import Keyfob
internal import KeyfobFiles
internal import KeyfobLookup

extension ToolCall {
    /// How the tool starts the program here.
    func way(_ environment: Environment = .current) throws(KeyringError) -> Way {
        if SearchPath.program(program, environment) != nil { return .named }
        let own = try OwnProgram(lacking: program)
        return own.path(of: program).map(Way.at) ?? .word(of: own.path)
    }
}

/// The program that runs, for other tools to start.
struct OwnProgram {
    private static let name = "keyfob"

    private let executable: String
    private let folders: [String]

    /// - Parameter program: What another tool would look for.
    fileprivate init(lacking program: String) throws(KeyringError) {
        guard let own = FileAccess.link("/proc/self/exe") else {
            throw KeyringError(
                .configuration, "\(program) is not in PATH", hint: "put the folder of keyfob into PATH")
        }
        executable = own
        let folder = own.lastIndex(of: "/").map { String(own[..<$0]) } ?? ""
        // What is installed as bin/keyfob becomes libexec/keyfob/keyfob.
        let ending = "/libexec/keyfob"
        folders = (folder.hasSuffix(ending) ? [String(folder.dropLast(ending.count)) + "/bin"] : []) + [folder]
    }

    /// Where a program of this name is beside it.
    fileprivate func path(of program: String) -> String? {
        folders.map { $0 + "/" + program }.first(where: SearchPath.isProgram)
    }

    /// Where it is called from.
    fileprivate var path: String { path(of: Self.name) ?? executable }

    /// How a shell calls it: by its name, which `PATH` has, or by its path.
    static func word(_ environment: Environment = .current) throws(KeyringError) -> String {
        if SearchPath.program(name, environment) != nil { return name }
        return try OwnProgram(lacking: name).path
    }
}
