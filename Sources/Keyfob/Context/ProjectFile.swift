internal import KeyfobFiles
internal import KeyfobLookup

/// A `.keyfob.toml`: which account is used in its folder and below, for whoever has allowed it.
///
///     account = "ada@contoso.example"   # an id, a user name or a label; "none" for no account
///     group = "work"                    # may be left out
///     tenant = "fabrikam.example"       # may be left out: else it is the account's home
public struct ProjectFile: Hashable, Sendable {
    /// The name that such a file has.
    public static let name = ProjectFileContent.name
    /// The largest file that is read, in bytes.
    public static let maximumCount = ProjectFileContent.maximumCount

    /// The account as the file names it; nil for "none".
    public let account: String?
    /// The group that the account is in, where the file says so.
    public let group: AccessGroup?
    /// The tenant whose tokens are used, where the file says so.
    public let tenant: String?

    /// The nearest such file from `directory` upwards, allowed or not.
    public static func nearest(from directory: String) -> String? {
        FileAccess.realPath(directory).flatMap { ProjectFileContent.paths(from: $0).first }
    }

    /// The real path of the file that a person means by `path`: the file, or its folder.
    ///
    /// - Throws: `usage` for a file of another name, `noSuchFile` where its folder is not there.
    static func location(of path: String, mustExist: Bool) throws(KeyringError) -> String {
        if FileAccess.status(path, following: true)?.isDirectory == true, let folder = FileAccess.realPath(path) {
            return FileAccess.path(folder, name)
        }
        let slash = path.lastIndex(of: "/")
        guard path[(slash.map(path.index(after:)) ?? path.startIndex)...] == name else {
            throw FileAccess.status(path, following: false) == nil
                ? KeyringError(.noSuchFile, "there is no file \(path)")
                : KeyringError(.usage, "\(path) is not called \(name), and no other file counts")
        }
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        if let real = FileAccess.realPath(folder) { return FileAccess.path(real, name) }
        guard !mustExist, let former = FileAccess.formerPath(folder) else {
            throw KeyringError(.noSuchFile, "there is no file \(path)")
        }
        return FileAccess.path(former, name)
    }
}

extension ProjectFileContent.Refusal {
    /// What is wrong with the file, and what to do.
    var words: (what: String, advice: Advice?) {
        switch self {
        case .missing: ("is not there", nil)
        case .link: ("is a symbolic link, which is not followed", .replaceLink)
        case .notRegular: ("is not a regular file", nil)
        case .tooLarge: ("is larger than \(ProjectFile.maximumCount) bytes", nil)
        case .foreign: ("belongs to another user", .makeOwnFile)
        case .writableByEverybody: ("can be written by everybody", .restrictFile)
        case .unreadable(let number): ("cannot be read: \(KeyringError.text(ofErrno: number))", nil)
        }
    }

    /// The same as an error about the file at `path`.
    func error(_ path: String) -> KeyringError {
        let code: KeyringError.Code =
            switch self {
            case .missing: .noSuchFile
            case .tooLarge: .limitExceeded
            case .unreadable: .inputOutput
            case .link, .notRegular, .foreign, .writableByEverybody: .configuration
            }
        return KeyringError(code, "\(path) \(words.what)", advice: words.advice)
    }
}

// What is in it.
extension ProjectFile {
    /// The file that `bytes` are, which was read from `path`.
    ///
    /// - Throws: `damaged` for what is not TOML, with the line; `configuration` for a key that is unknown,
    ///   missing or of another kind, and for TOML of which nothing is needed here.
    init(_ bytes: [UInt8], path: String) throws(KeyringError) {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw KeyringError(.damaged, "\(path) is not TOML: it is not UTF-8")
        }
        let texts: [String: ProjectFileReader.Text]
        do throws(ProjectFileReader.Flaw) {
            texts = try ProjectFileReader.texts(of: bytes, keys: ["account", "group", "tenant"])
        } catch {
            throw error.error(path)
        }
        guard let name = texts["account"] else {
            throw KeyringError(.configuration, "\(path): the key 'account' is missing")
        }
        guard Identifier.isAcceptable(name.value) else {
            throw KeyringError(
                .configuration, "\(path), line \(name.line): 'account' is blank or holds control characters")
        }
        account = name.value == "none" ? nil : name.value
        if let tenant = texts["tenant"], !Identifier.isAcceptable(tenant.value) {
            throw KeyringError(
                .configuration, "\(path), line \(tenant.line): 'tenant' is blank or holds control characters")
        }
        tenant = texts["tenant"]?.value
        guard let text = texts["group"] else {
            group = nil
            return
        }
        do {
            group = try AccessGroup(text.value)
        } catch {
            throw KeyringError(.configuration, "\(path), line \(text.line): \(error)")
        }
    }
}

extension ProjectFileReader.Flaw {
    /// The same as an error about the file at `path`.
    fileprivate func error(_ path: String) -> KeyringError {
        func notTOML(_ words: String) -> KeyringError {
            KeyringError(.damaged, "\(path) is not TOML: line \(line) \(words)")
        }
        func notSupported(_ words: String, advice: Advice? = nil) -> KeyringError {
            KeyringError(.configuration, "\(path), line \(line): \(words)", advice: advice)
        }
        return switch kind {
        case .control: notTOML("holds a control character")
        case .unreadable: notTOML("cannot be read")
        case .twice(let key): notTOML("has '\(key)' again")
        case .unknown(let key):
            notSupported("there is no key '\(key.prefix(60))'", advice: .useProjectFileKeys)
        case .noText(let key): notSupported("'\(key)' is not text in quotation marks")
        case .table: notSupported("tables are not supported here", advice: .useProjectFileKeys)
        case .severalLines: notSupported("text of several lines is not supported here")
        }
    }
}
