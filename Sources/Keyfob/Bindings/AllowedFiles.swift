internal import KeyfobLookup
internal import KeyfobRecords
internal import KeyfobVault

extension Keyring {
    /// A project file that was allowed.
    public struct AllowedFile: Hashable, Sendable {
        /// What it says, as a binding of its folder.
        public let binding: Binding
        /// Where it is.
        public let path: String
        /// Why it does not count any more, and what to do; nil when it counts.
        public let problem: Warning?
    }
}

extension Keyring.Bindings {
    /// Allows a project file: what it says counts from now on, until it changes.
    ///
    /// - Parameters:
    ///   - path: The file, or its folder.
    ///   - groups: Where to look for the account unless the file says; nil for all groups within reach.
    /// - Returns: What it says, as a binding of its folder.
    /// - Throws: `damaged` for what is not TOML, `configuration` for an unknown key or a file that cannot be
    ///   trusted, `noSuchFile`, `limitExceeded`, `noSuchAccount`, `ambiguous`, `noSuchGroup`, and what writing
    ///   can throw.
    public func allow(_ path: String, in groups: [AccessGroup]? = nil) throws(KeyringError) -> Binding {
        let path = try ProjectFile.location(of: path, mustExist: true)
        let content: ProjectFileContent
        do {
            content = try ProjectFileContent(path)
        } catch {
            throw error.error(path)
        }
        let file = try ProjectFile(content.bytes, path: path)
        if let named = file.group, let groups, !groups.contains(named) {
            throw KeyringError(.usage, "\(path) is about group '\(named)', which is not the one asked for")
        }
        let wanted = file.group.map { [$0] } ?? groups
        let candidate: Candidate? =
            if let name = file.account { try keyring.accounts.named(name, in: wanted) } else { nil }
        let setting = AllowanceSetting(
            path: path, digest: content.digest,
            bound: BindingValue(candidate.map { .account($0.account.id) } ?? .nobody, tenant: file.tenant))
        let name = AllowanceSetting.name(of: path)
        let note = ChangeNote(keyring.entry("allow"))
        return try withState { state in
            let group = try candidate.map { try state.group($0.group) } ?? state.groupForNewItems(wanted)
            try change(&state, [group], note: note) { try $0[0].setSetting(name, to: setting.value) }
            // A file is allowed in one group.
            for other in try state.groups(nil) where other.name != group.name {
                guard try search.allowances(&state, [other]).allowances.contains(where: { $0.setting.path == path })
                else {
                    continue
                }
                try change(&state, [other], note: note) { try $0[0].setSetting(name, to: nil) }
            }
            return setting.binding(in: group.name, by: group.keys.ownWriter)
        }
    }

    /// Takes the allowance of a project file back; the file may be gone.
    ///
    /// - Returns: Where the file is, or was.
    /// - Throws: `noSuchBinding` when it is not allowed, and what writing can throw.
    @discardableResult
    public func disallow(_ path: String, in groups: [AccessGroup]? = nil) throws(KeyringError) -> String {
        let path = try ProjectFile.location(of: path, mustExist: false)
        let note = ChangeNote(keyring.entry("allow --revoke"))
        let count = try withState { state in
            var count = 0
            for group in try state.groups(groups) {
                guard try search.allowances(&state, [group]).allowances.contains(where: { $0.setting.path == path })
                else {
                    continue
                }
                try change(&state, [group], note: note) {
                    try $0[0].setSetting(AllowanceSetting.name(of: path), to: nil)
                }
                count += 1
            }
            return count
        }
        guard count > 0 else {
            throw KeyringError(.noSuchBinding, "\(path) is not allowed", advice: .listBindings)
        }
        return path
    }

    /// The project files that were allowed, in a stable order, and whether they still count.
    ///
    /// - Throws: as ``Keyring/Accounts/list(in:)``.
    public func allowedFiles(in groups: [AccessGroup]? = nil) throws(KeyringError) -> [Keyring.AllowedFile] {
        try withState { state in
            try search.allowances(&state, state.groups(groups)).allowances.map { setting, group, writer in
                Keyring.AllowedFile(
                    binding: setting.binding(in: group, by: writer), path: setting.path,
                    problem: Self.problem(of: setting.path, setting.digest))
            }.sorted { $0.binding < $1.binding }
        }
    }

    /// How a search looks at project files; it reads none as TOML.
    static let projectFileAccess = ProjectFileAccess(
        paths: { ProjectFileContent.paths(from: $0) }, problem: { problem(of: $0, $1) })

    /// Why a project file does not count, and what to do; nil when it does.
    private static func problem(of path: String, _ digest: String?) -> Warning? {
        do {
            let content = try ProjectFileContent(path)
            guard let digest else {
                return Warning(.projectFile, "\(path) is not allowed, and does not count", advice: .allow(path: path))
            }
            guard content.digest == digest else {
                return Warning(.projectFile, "\(path) has changed since it was allowed", advice: .allow(path: path))
            }
            return nil
        } catch {
            let canForget = error == .missing && digest != nil
            return Warning(
                .projectFile, "\(path) \(error.words.what), and does not count",
                advice: error.words.advice ?? (canForget ? .disallow(path: path) : nil))
        }
    }
}
