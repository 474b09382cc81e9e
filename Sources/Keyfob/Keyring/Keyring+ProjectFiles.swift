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
        public let problem: String?
    }

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
        let content: (bytes: [UInt8], digest: String)
        do {
            content = try ProjectFile.content(path)
        } catch {
            throw error.error(path)
        }
        let file = try ProjectFile(content.bytes, path: path)
        if let named = file.group, let groups, !groups.contains(named) {
            throw KeyringError(.usage, "\(path) is about group '\(named)', which is not the one asked for")
        }
        let wanted = file.group.map { [$0] } ?? groups
        let candidate: Candidate? = if let name = file.account { try account(named: name, in: wanted) } else { nil }
        let setting = AllowanceSetting(
            path: path, digest: content.digest, target: candidate.map { .account($0.account.id) } ?? .nobody)
        let name = AllowanceSetting.name(of: path)
        return try withState { state in
            let group = try candidate.map { try state.group($0.group) } ?? state.groupForNewItems(wanted)
            try change(&state, group) { try $0.setSetting(name, to: setting.value) }
            // A file is allowed in one group.
            for other in try state.groups(nil) where other.name != group.name {
                guard try allowances(&state, [other]).allowances.contains(where: { $0.setting.path == path }) else {
                    continue
                }
                try change(&state, other) { try $0.setSetting(name, to: nil) }
            }
            return setting.binding(in: group.name)
        }
    }

    /// Takes the allowance of a project file back; the file may be gone.
    ///
    /// - Returns: Where the file is, or was.
    /// - Throws: `noSuchBinding` when it is not allowed, and what writing can throw.
    @discardableResult
    public func disallow(_ path: String, in groups: [AccessGroup]? = nil) throws(KeyringError) -> String {
        let path = try ProjectFile.location(of: path, mustExist: false)
        let count = try withState { state in
            var count = 0
            for group in try state.groups(groups) {
                guard try allowances(&state, [group]).allowances.contains(where: { $0.setting.path == path }) else {
                    continue
                }
                try change(&state, group) { try $0.setSetting(AllowanceSetting.name(of: path), to: nil) }
                count += 1
            }
            return count
        }
        guard count > 0 else {
            throw KeyringError(.noSuchBinding, "\(path) is not allowed", hint: "'keyfob bindings' shows what is")
        }
        return path
    }

    /// The project files that were allowed, in a stable order, and whether they still count.
    ///
    /// - Throws: as ``accounts(in:)``.
    public func allowedFiles(in groups: [AccessGroup]? = nil) throws(KeyringError) -> [AllowedFile] {
        try withState { state in
            try allowances(&state, state.groups(groups)).allowances.map { setting, group in
                AllowedFile(
                    binding: setting.binding(in: group), path: setting.path,
                    problem: Self.problem(of: setting.path, setting))
            }.sorted { $0.binding < $1.binding }
        }
    }

    /// The binding of the nearest allowed project file from `directory`, a real path, upwards.
    ///
    /// Opens nothing where there is no such file, and never reads TOML: a file counts while it is what it was
    /// when it was allowed.
    ///
    /// - Returns: The binding, and why nearer files do not count.
    func projectBinding(
        _ state: inout State, directory: String, groups: [UnlockedVault.Group]
    ) throws -> (binding: Binding?, warnings: [String]) {
        let paths = ProjectFile.paths(from: directory)
        guard !paths.isEmpty else { return (nil, []) }
        let asked = Set(groups.map(\.name))
        let (allowances, isWhole) = try allowances(&state, state.groups(nil))
        var warnings: [String] = []
        for path in paths {
            let own = allowances.filter { $0.setting.path == path }
            let here = own.filter { asked.contains($0.group) }
            if let allowance = here.first(where: { Self.problem(of: path, $0.setting) == nil }) {
                return (allowance.setting.binding(in: allowance.group), warnings)
            }
            if here.isEmpty, let other = own.first(where: { Self.problem(of: path, $0.setting) == nil }) {
                warnings.append(
                    "\(path) is allowed in group '\(other.group)', which was not asked for, and does not count")
            } else if isWhole || !own.isEmpty, let problem = Self.problem(of: path, here.first?.setting) {
                // Where an allowance does not open, the file may well be allowed.
                warnings.append(problem)
            }
        }
        return (nil, warnings)
    }

    /// Why a project file does not count, and what to do; nil when it does.
    private static func problem(of path: String, _ allowance: AllowanceSetting?) -> String? {
        let review = "review it and run 'keyfob allow \(ShellWord.quoted(path))'"
        do {
            let content = try ProjectFile.content(path)
            guard let allowance else { return "\(path) is not allowed, and does not count; \(review)" }
            guard content.digest == allowance.digest else {
                return "\(path) has changed since it was allowed; \(review)"
            }
            return nil
        } catch {
            let revoke = allowance == nil ? nil : "'keyfob allow --revoke \(ShellWord.quoted(path))' forgets it"
            let advice = (error.words.advice ?? (error == .missing ? revoke : nil)).map { "; " + $0 } ?? ""
            return "\(path) \(error.words.what), and does not count\(advice)"
        }
    }

    private func allowances(
        _ state: inout State, _ groups: [UnlockedVault.Group]
    ) throws -> (allowances: [(setting: AllowanceSetting, group: AccessGroup)], isWhole: Bool) {
        var allowances: [(setting: AllowanceSetting, group: AccessGroup)] = []
        var isWhole = true
        for group in groups {
            let found = try database.settings(prefixes: [AllowanceSetting.prefix], in: group.keys)
            state.warn(ofDamage: found.damaged, in: group.name)
            isWhole = isWhole && found.damaged.isEmpty
            allowances += found.items.compactMap { item in AllowanceSetting(item.value).map { ($0, group.name) } }
        }
        return (allowances, isWhole)
    }
}
