internal import FoundationEssentials
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobFiles
internal import KeyfobInterop

/// Something that Keyfob has left on this machine, or that hangs on it.
struct UninstallTrace: Encodable {
    /// What it is.
    enum Kind: String, Encodable {
        case setup, mirror, unit, agent, key, signIn, sync, desktopKeyring, vault, backup, keyFile, shell, state,
            program
    }

    /// What becomes of it.
    enum State: String, Encodable {
        /// 'uninstall' undoes it.
        case undoable
        /// It was undone.
        case undone
        /// It stays: the owner alone removes it.
        case stays
        /// Undoing it failed.
        case failed
    }

    let kind: Kind
    /// Where it is, or what it is called.
    let what: String
    /// What it is, and what is lost with it.
    let note: String
    var state: State
    /// What undoes or removes it, as it can be typed; nil where nothing has to be typed.
    var command: String?
    /// Why undoing it failed.
    var problem: String?
    /// Of a tool: what is typed behind `keyfob setup`.
    var setup: [String] = []
    /// Of a tool: what is taken out of its file, where that has to be named.
    var entry: String?
    /// Of a unit: the links by which systemd starts it.
    var links: [String] = []

    private enum CodingKeys: String, CodingKey {
        case kind, what, note, state, command, problem
    }

    /// The words behind `keyfob` that undo a tool's lines.
    ///
    /// - Parameter options: What stands before the entry.
    func wordsOfSetup(_ options: [String] = []) -> [String] {
        let named = entry.map { $0.hasPrefix("-") ? ["--", $0] : [$0] } ?? []
        return ["setup"] + setup + ["--undo"] + options + named
    }
}

/// All that Keyfob has left on this machine, as far as it is known: from what other commands keep and list.
struct UninstallTraces {
    private let given: GlobalOptions
    /// The same with whole paths: what is printed may be typed in another folder.
    private let global: GlobalOptions
    private let location: KeyringLocation
    private let variables: [String: String]

    init(_ global: GlobalOptions, _ environment: Environment = .current) throws(KeyringError) {
        given = global
        var whole = global
        whole.vault = global.vault.map(Self.whole)
        whole.keyFile = global.keyFile.map { FileAccess.realPath($0) ?? $0 }
        whole.identity = global.identity.map { FileAccess.realPath($0) ?? $0 }
        self.global = whole
        location = try global.location()
        variables = environment.variables
    }

    /// What is found: first what can be undone, then what stays, in the order in which it is best removed.
    func found() throws(KeyringError) -> [UninstallTrace] {
        let opening = try? given.opening(reaching: .everything)
        let opened = try ofOpened(opening?.keyring)
        // Signing out needs the key that is kept.
        let keys = keptKeys(areNeeded: opened.contains { $0.kind == .signIn || $0.kind == .sync })
        let all = try setups() + mirrors() + units() + agents() + keys + desktopKeyring() + opened
        return all.filter { $0.state == .undoable } + all.filter { $0.state != .undoable }
            + shells() + [program()] + vaults() + keyFile() + state()
    }

    private func setups() throws(KeyringError) -> [UninstallTrace] {
        try SetupCommand.states(global).filter { $0.asksKeyfob && $0.tool != "az" }.flatMap { tool in
            let entries = tool.undoesEach ? tool.entries.map(Optional.some) : []
            return (entries.isEmpty ? [nil] : entries).map { entry in
                let note = "\(tool.tool) asks Keyfob" + (entry.map { " as '\($0)'" } ?? "")
                var trace = UninstallTrace(
                    kind: .setup, what: tool.file, note: note, state: .undoable, command: nil)
                (trace.setup, trace.entry) = (tool.words, entry)
                trace.command = (["keyfob"] + trace.wordsOfSetup()).map(ShellWord.quoted).joined(separator: " ")
                return trace
            }
        }
    }

    private func mirrors() throws(KeyringError) -> [UninstallTrace] {
        try MirrorListCommand.notes(global).map { note in
            UninstallTrace(
                kind: .mirror, what: note.file, note: "group '\(note.group)' is mirrored into it", state: .undoable,
                command: global.typed("mirror", "stop", note.file, "--remove"))
        }
    }

    /// The units that Keyfob comes with and the user has enabled: what else is called so is somebody's own.
    private func units() -> [UninstallTrace] {
        let home = variables["XDG_CONFIG_HOME"] ?? variables["HOME"].map { $0 + "/.config" }
        guard let folder = home.map({ $0 + "/systemd/user" }) else { return [] }
        let own = [
            "keyfob-agent.socket", "keyfob-agent.service", "keyfob-sync.timer", "keyfob-sync.service",
            "keyfob-sync-watch.service",
        ]
        var links: [String: [String]] = [:]
        for wants in ((try? POSIXFile.names(in: folder)) ?? []).filter({ $0.hasSuffix(".wants") }) {
            for unit in (try? POSIXFile.names(in: "\(folder)/\(wants)")) ?? []
            where own.contains(unit) || (unit.hasPrefix("keyfob-backup@") && unit.hasSuffix(".timer")) {
                let link = "\(folder)/\(wants)/\(unit)"
                if FileAccess.link(link) != nil { links[unit, default: []].append(link) }
            }
        }
        return links.sorted { $0.key < $1.key }.map { unit, links in
            var trace = UninstallTrace(
                kind: .unit, what: unit, note: "systemd starts it for you", state: .undoable,
                command: Self.line("systemctl", "--user", "disable", "--now", unit))
            trace.links = links
            return trace
        }
    }

    private func agents() -> [UninstallTrace] {
        AgentHere.all(of: location).filter(\.isThere).map { agent in
            let process = agent.process
            return UninstallTrace(
                kind: .agent, what: agent.place.socket,
                note: "an agent runs" + (process.map { ", process \($0)" } ?? ""),
                state: .undoable, command: process.map { "kill \($0)" })
        }
    }

    private func keptKeys(areNeeded: Bool) -> [UninstallTrace] {
        guard let locked = try? LockedKeyring(at: location) else { return [] }
        return locked.keptKeys().map { key in
            UninstallTrace(
                kind: .key, what: key.place == .session ? "this session's kernel keyring" : "your kernel keyring",
                note: "keeps the vault open until \(TimeText.moment(key.until))",
                state: areNeeded ? .stays : .undoable, command: global.typed("lock"))
        }
    }

    private func desktopKeyring() -> [UninstallTrace] {
        guard let locked = try? LockedKeyring(at: location) else { return [] }
        var traces = locked.secretServiceItems(global.secretService(mayAsk: false)).filter { $0.items > 0 }.map {
            item in
            UninstallTrace(
                kind: .desktopKeyring, what: "the desktop's keyring", note: "has the key of slot \(item.slot)",
                state: .stays, command: global.typed("slot", "remove", item.slot))
        }
        if locked.storage == .secretService {
            traces.append(
                UninstallTrace(
                    kind: .desktopKeyring, what: "the desktop's keyring", note: "keeps the accounts and tokens",
                    state: .stays, command: global.typed("migrate", "--to", "embedded", "--remove-old")))
        }
        return traces
    }

    /// What an open vault tells.
    private func ofOpened(_ keyring: Keyring?) throws(KeyringError) -> [UninstallTrace] {
        guard let keyring else {
            guard (try? LockedKeyring(at: location)) != nil else { return [] }
            return [
                UninstallTrace(
                    kind: .signIn, what: location.vault,
                    note: "locked: after 'keyfob unlock' this shows which tokens providers still take", state: .stays,
                    command: global.typed("logout", "--all", "--forever"))
            ]
        }
        var traces: [UninstallTrace] = []
        let naming = AccountNaming(among: try keyring.accounts.list())
        for candidate in AccountListCommand.sorted(try keyring.accounts.list())
        where try LogoutCommand.holdsTokens(candidate, keyring) {
            let id = candidate.account.id
            let byHand = candidate.hasTokenMadeByHand ? TokenPage.of(id.environment, isAddedByHand: true)?.url : nil
            traces.append(
                UninstallTrace(
                    kind: .signIn, what: "\(naming.brief(candidate.account)) (group '\(candidate.group)')",
                    note: "still alive at \(id.environment)" + (byHand.map { "; its token ends at \($0)" } ?? ""),
                    state: .stays, command: global.typed("logout", "--all", "--forever")))
        }
        if keyring.sync.isSetUp {
            let remote = (try? keyring.sync.remote()) ?? "a place that is not known"
            traces.append(
                UninstallTrace(
                    kind: .sync, what: remote, note: "this machine's files of the sync, for the others to read",
                    state: .stays, command: global.typed("sync", "leave")))
        }
        return traces
    }

    /// The files of shells that name Keyfob.
    private func shells() -> [UninstallTrace] {
        guard let home = variables["HOME"] else { return [] }
        let names = [
            ".profile", ".bash_profile", ".bashrc", ".zprofile", ".zshrc", ".zshenv", ".config/fish/config.fish",
        ]
        return names.compactMap { name in
            let path = "\(home)/\(name)"
            guard case .bytes(let bytes, _) = FileAccess.read(path, limit: 1 << 20, following: true) else { return nil }
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let found = lines.indices.filter {
                String(decoding: lines[$0], as: UTF8.self).lowercased().contains("keyfob")
            }
            guard !found.isEmpty else { return nil }
            let numbers = Quantity.list(found.map { "\($0 + 1)" })
            return UninstallTrace(
                kind: .shell, what: path, note: "names Keyfob in line \(numbers): remove that by hand", state: .stays,
                command: nil)
        }
    }

    private func program() -> UninstallTrace {
        let own = FileAccess.link("/proc/self/exe") ?? "keyfob"
        let isPackage = FileAccess.status("/var/lib/dpkg/info/keyfob.list", following: true) != nil
        let prefix = ["/libexec/keyfob/keyfob", "/bin/keyfob"].first(where: own.hasSuffix).map {
            String(own.dropLast($0.count))
        }
        let command =
            isPackage ? "sudo apt remove keyfob" : prefix.map { Self.line("sudo", "make", "uninstall", "PREFIX=\($0)") }
        let note =
            isPackage || prefix == nil
            ? "the program, its manual and completions"
            : "the program, its manual and completions; its command works in the folder of the source"
        return UninstallTrace(kind: .program, what: own, note: note, state: .stays, command: command)
    }

    /// The folders of other vaults that were unlocked here, and are there.
    private func otherVaults() -> [String] {
        let known = (try? KnownPlaces(state: location.state).folders()) ?? []
        let own = Self.whole(location.vault)
        return Set(known.map(Self.whole)).filter { folder in
            // A folder that was a vault's once may hold something else by now.
            folder != own && (try? VaultRemains(at: place(folder))).map { $0 != .none } ?? false
        }.sorted()
    }

    private func place(_ folder: String) -> KeyringLocation {
        KeyringLocation(vault: folder, state: location.state, runtime: location.runtime)
    }

    private func vaults() -> [UninstallTrace] {
        // Each has sign-ins and kept keys of its own, which come before its files.
        var traces = otherVaults().map { folder in
            UninstallTrace(
                kind: .vault, what: folder, note: "another vault", state: .stays,
                command: Self.line("keyfob", "uninstall", "--vault", folder))
        }
        let folder = Self.whole(location.vault)
        let place = place(folder)
        guard let remains = try? VaultRemains(at: place), remains != .none else { return traces }
        let inside = ((try? BackupFile.all(at: place)) ?? []).count
        let words = inside == 0 ? "" : ", and \(Quantity.of(inside, "backup"))"
        let (files, others) = Self.contents(of: folder)
        let note = others == 0 ? "" : "; beside it in the folder: \(Quantity.of(others, "other file"))"
        traces.append(
            UninstallTrace(
                kind: .vault, what: folder, note: "a vault: all of its accounts and tokens\(words)\(note)",
                state: .stays, command: others == 0 ? Self.line("rm", "-r", folder) : Self.line(["rm", "-r"] + files)))
        guard let id = try? LockedKeyring(at: place).vaultID,
            let last = Keyring.Bundles.lastBackup(of: id, at: place), !last.path.hasPrefix(folder + "/"),
            FileAccess.status(last.path, following: true) != nil
        else { return traces }
        traces.append(
            UninstallTrace(
                kind: .backup, what: last.path,
                note: "its last backup, which the recovery key opens; others may be near",
                state: .stays, command: Self.line("rm", last.path)))
        return traces
    }

    /// What in a folder is a vault's own, and how much else is in it.
    private static func contents(of folder: String) -> (own: [String], others: Int) {
        let directory = VaultDirectory(path: folder)
        var (own, others): ([String], Int) = ([], 0)
        for name in ((try? POSIXFile.names(in: folder)) ?? []).sorted() {
            let path = FileAccess.path(folder, name)
            if path == directory.backups, FileAccess.status(path, following: false)?.isDirectory == true {
                let names = (try? POSIXFile.names(in: path)) ?? []
                let backups = ((try? BackupFile.all(in: path)) ?? []).map(\.path).sorted()
                own += names.count == backups.count ? [path] : backups
                others += names.count - backups.count
            } else if directory.isOwn(name) {
                own.append(path)
            } else {
                others += 1
            }
        }
        return (own, others)
    }

    private func keyFile() -> [UninstallTrace] {
        guard let path = global.keyFile ?? variables["KEYFOB_KEY_FILE"],
            FileAccess.status(path, following: true) != nil
        else { return [] }
        return [
            UninstallTrace(
                kind: .keyFile, what: path, note: "a key file: copies of the vault open with it", state: .stays,
                command: Self.line("rm", path))
        ]
    }

    private func state() -> [UninstallTrace] {
        // What is noted there of other vaults is needed until they are gone, and a vault may lie in it.
        let whole = Self.whole(location.state) + "/"
        let others = otherVaults()
        let holds = !others.isEmpty || Self.whole(location.vault).hasPrefix(whole)
        return [location.state, location.runtime].compactMap(\.self).filter {
            FileAccess.status($0, following: true) != nil
        }
        .map { folder in
            let isState = folder == location.state && !holds
            return UninstallTrace(
                kind: .state, what: folder,
                note: folder == location.state
                    ? "choices, logs, and what was seen of the vaults"
                    : "sockets and the secret of kept keys; goes when you log out here",
                state: .stays, command: isState ? Self.line("rm", "-r", folder) : nil)
        }
    }

    /// The path from the root, without links.
    private static func whole(_ path: String) -> String { FileAccess.formerPath(path) ?? path }

    private static func line(_ words: String...) -> String { line(words) }

    private static func line(_ words: [String]) -> String { words.map(ShellWord.quoted).joined(separator: " ") }
}
