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
        if SearchPath.program(helper.program, environment) != nil {
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
        if let found = folders.map({ $0 + "/" + helper.program }).first(where: SearchPath.isProgram) {
            self = .at(found)
        } else {
            self = .word(of: folders.map { $0 + "/keyfob" }.first(where: SearchPath.isProgram) ?? own)
        }
    }
}
