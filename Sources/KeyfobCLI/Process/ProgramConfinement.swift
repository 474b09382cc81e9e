internal import FoundationEssentials
internal import Glibc
internal import Keyfob
internal import KeyfobConfinement
internal import KeyfobFiles
internal import KeyfobTerminal

/// What `exec --confine` keeps a program from, and how it runs then.
struct ProgramConfinement {
    let wall: ProgramWall
    /// Variables that the program does not get.
    let withoutVariables: [String]
    /// Files that open the vault, and that this call names, as they are called.
    let keys: [String]

    /// - Parameters:
    ///   - program: The program as it was typed.
    ///   - folders: What it can change besides the folder that it starts in.
    ///   - keys: Files that open the vault; nil for those that the call names. A descriptor names them until it is closed.
    init(
        _ global: GlobalOptions, program: String, writing folders: [String], keys: [String]? = nil,
        _ environment: Environment = .current
    ) throws(KeyringError) {
        let location = try global.location(environment)
        guard let mounts = MountTable.ofThisProcess else {
            throw KeyringError(
                .unavailable,
                "the program cannot be confined, and was not started: /proc/self/mountinfo does not say what is mounted"
            )
        }
        self.keys =
            keys
            ?? [global.keyFile, global.identity, environment["KEYFOB_KEY_FILE"]].compactMap(\.self)
            .compactMap(FileAccess.realPath)
        let places = ConfinedPlaces(
            location, keys: self.keys, registeredHome: Self.registeredHome, mounts: mounts, environment)
        guard let folder = FileAccess.realPath(".") else {
            throw KeyringError(.noSuchFile, "the folder in which the program would start is gone")
        }
        var writable = [folder]
        for name in folders {
            guard let path = FileAccess.realPath(name), FileAccess.status(path, following: true)?.isDirectory == true
            else {
                throw KeyringError(.noSuchFile, "there is no folder \(name), which --write names")
            }
            if !writable.contains(path) { writable.append(path) }
        }
        for path in writable {
            guard let reason = places.reason(against: path) else { continue }
            let hint =
                path == folder
                ? "change to a folder that holds nothing but the program's work"
                : "name a folder with nothing else in it"
            throw KeyringError(.usage, "a confined program cannot have \(path) to change: \(reason)", hint: hint)
        }
        let held = places.held(in: writable)
        wall = ProgramWall(
            hidden: places.hidden, temporary: places.temporary(besides: writable), writable: writable + held.between,
            kept: places.kept(for: program, besides: writable) + held.programs, folder: folder)
        withoutVariables = ConfinedPlaces.withheld(environment)
    }

    /// This user's home, as the system has it.
    private static var registeredHome: String? {
        guard let entry = unsafe getpwuid(geteuid()), let folder = unsafe entry.pointee.pw_dir else { return nil }
        return unsafe String(validatingCString: folder)
    }

    /// Tries whether the system lets a wall be raised; ends with its reason where it does not.
    func requirePossible(_ relay: borrowing SignalRelay) throws(KeyringError) {
        let process = try relay.fork()
        if process == 0 {
            Self.ending { () throws(ProgramWall.Flaw) in
                try wall.raise()
                Self.end(try wall.startFirstProcess())
            }
            _exit(0)
        }
        switch relay.attend(process) {
        case .ended(.status(0)): return
        case .ended(let end): end.mirror()
        default: return
        }
    }

    /// Runs the program behind the wall: what the process does that stands between it and keyfob.
    ///
    /// It ends as the program does.
    func run(_ call: ProgramCall, with variables: ProgramCall.Variables) -> Never {
        ProgramWall.endWithParent()
        var first: pid_t = 0
        Self.ending { () throws(ProgramWall.Flaw) in
            try wall.raise()
            first = try wall.startFirstProcess()
        }
        let terminal = (0...2).first { tcgetpgrp($0) == getpgrp() }
        do {
            let relay = try SignalRelay()
            let process = try relay.fork()
            if process == 0 {
                Self.ending { () throws(ProgramWall.Flaw) in try wall.enter() }
                call.become(with: variables, without: withoutVariables)
            }
            variables.wipe()
            guard case .ended(let end) = relay.attend(process) else { _exit(ExitStatus.failure.rawValue) }
            Self.end(first)
            // A shell gives the terminal back to a group whose number it does not see.
            _ = signal(SIGTTOU, SIG_IGN)
            if let terminal, tcgetpgrp(terminal) != getpgrp() { tcsetpgrp(terminal, getpgrp()) }
            end.mirror()
        } catch {
            ErrorOutput.tell(error, isJSON: false)
            _exit(ExitStatus(error.code).rawValue)
        }
    }

    /// Ends the first process behind the wall, and with it all others there.
    private static func end(_ first: pid_t) {
        kill(first, SIGKILL)
        while waitpid(first, nil, 0) < 0 && errno == EINTR {}
    }

    private static func ending(_ body: () throws(ProgramWall.Flaw) -> Void) {
        do throws(ProgramWall.Flaw) {
            try body()
        } catch {
            let error = KeyringError(error, .ofThisMachine)
            ErrorOutput.tell(error, isJSON: false)
            _exit(ExitStatus(error.code).rawValue)
        }
    }
}

/// What forbids namespaces, as far as the system says.
enum NamespaceBar {
    case limit, setting, appArmor, unknown

    /// What this machine says.
    static var ofThisMachine: NamespaceBar {
        func value(_ name: String) -> String? {
            guard case .bytes(let bytes, _) = FileAccess.read("/proc/sys/" + name, limit: 64, following: true) else {
                return nil
            }
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init)
        }
        if value("user/max_user_namespaces") == "0" { return .limit }
        if value("kernel/unprivileged_userns_clone") == "0" { return .setting }
        return value("kernel/apparmor_restrict_unprivileged_userns") == "1" ? .appArmor : .unknown
    }

    var hint: String {
        switch self {
        case .limit: "'sudo sysctl user.max_user_namespaces=10000' allows them"
        case .setting: "'sudo sysctl kernel.unprivileged_userns_clone=1' allows them"
        case .appArmor: "'sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0' allows them, to every program"
        case .unknown: "a container or a service may forbid them: run keyfob outside of it"
        }
    }
}

extension KeyringError {
    /// Why a program is not confined.
    init(_ flaw: ProgramWall.Flaw, _ bar: NamespaceBar) {
        func because(_ number: CInt) -> String { unsafe String(cString: strerror(number)) }
        let (message, hint): (String, String?) =
            switch flaw {
            case .namespaces(let number): ("the system gives no user namespace (\(because(number)))", bar.hint)
            case .mounts(_, ENOSYS):
                (
                    "there is no system call to lock mounts",
                    "it takes Linux 5.12, and no container that forbids the call"
                )
            case .mounts(let path, let number):
                ("the system does not let \(path) be arranged for it (\(because(number)))", bar.hint)
            case .process(let number): ("the system makes no further process (\(because(number)))", nil)
            case .filter: ("the system does not take rights from it, by capabilities, Landlock or seccomp", nil)
            case .ended: ("its first process was ended from outside", nil)
            }
        self.init(.unavailable, "the program cannot be confined, and was not started: \(message)", hint: hint)
    }
}
