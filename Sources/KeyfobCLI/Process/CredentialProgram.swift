internal import Foundation
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobLookup

/// How another tool can start its helper.
enum CredentialProgram {
    /// By the name that the tool looks for, which `PATH` has.
    case named
    /// The helper's program, at a path.
    case at(String)
    /// This program, at a path; it has to be told what it is to be.
    case word(of: String)

    init(_ helper: CalledAs, _ environment: Environment = .current) throws(KeyringError) {
        if Self.path(of: helper.program, environment) != nil {
            self = .named
            return
        }
        guard let own = FileAccess.link("/proc/self/exe") else {
            throw KeyringError(
                .configuration, "\(helper.program) is not in PATH", hint: "put the folder of keyfob into PATH")
        }
        let folder = own.lastIndex(of: "/").map { String(own[..<$0]) } ?? ""
        // What is installed as bin/keyfob becomes libexec/keyfob/keyfob.
        let ending = "/libexec/keyfob"
        let folders = (folder.hasSuffix(ending) ? [String(folder.dropLast(ending.count)) + "/bin"] : []) + [folder]
        if let found = folders.map({ $0 + "/" + helper.program }).first(where: Self.isProgram) {
            self = .at(found)
        } else {
            self = .word(of: folders.map { $0 + "/keyfob" }.first(where: Self.isProgram) ?? own)
        }
    }

    /// The program that a shell would start by a name; relative folders of `PATH` do not count.
    static func path(of name: String, _ environment: Environment = .current) -> String? {
        (environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
            .first(where: isProgram)
    }

    private static func isProgram(_ path: String) -> Bool {
        FileAccess.status(path, following: true)?.isRegularFile == true
            && FileManager.default.isExecutableFile(atPath: path)
    }
}
