internal import Keyfob
internal import KeyfobFiles
internal import KeyfobInterop

/// Where this machine has what a confined program is not to reach, and what it could leave behind for programs that are not.
struct ConfinedPlaces {
    /// The vault, its keys, and all that has to do with them, by each name under which it is mounted.
    private var own: Set<String> = []
    /// Sockets and files of this login.
    private var login: Set<String> = []
    /// Credentials for other programs.
    private var others: Set<String> = []
    /// Folders out of which programs start by themselves or by their name.
    private var startup: Set<String> = []
    /// The home as the environment has it, and as the system does.
    private let homes: [String]
    /// What programs write to that nobody misses.
    private let temporary: [String]
    private let searchPath: [String]

    /// Variables that name sockets, displays and tokens of this login; all of `KEYFOB_` go too.
    private static let variables = [
        "BEARER_TOKEN", "BEARER_TOKEN_FILE", "CREDENTIALS_DIRECTORY", "DBUS_SESSION_BUS_ADDRESS",
        "DBUS_SYSTEM_BUS_ADDRESS",
        "DISPLAY", "GNOME_KEYRING_CONTROL", "GPG_AGENT_INFO", "NOTIFY_SOCKET", "SSH_AGENT_PID", "SSH_AUTH_SOCK", "STY",
        "TEMP", "TMP", "TMPDIR", "TMUX", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR",
    ]
    /// Below the home: keys and credentials of other programs, besides those that an import finds.
    private static let credentials = [
        ".ssh", ".gnupg", ".password-store", ".local/share/keyrings", ".local/share/kwalletd", ".pki", ".aws", ".azure",
        ".docker", ".kube", ".netrc", ".authinfo", ".authinfo.gpg", ".git-credentials", ".Xauthority", ".ICEauthority",
        ".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/microsoft-edge",
        ".config/BraveSoftware", ".config/gh", ".config/glab-cli", ".config/gcloud", ".config/git/credentials",
        ".config/oidc-agent", ".oidc-agent", ".config/containers", ".config/rclone", ".config/keepassxc", "snap",
        ".var/app",
    ]
    private static let shared = ["/tmp", "/var/tmp", "/dev/shm"]
    /// Below the home: what starts by itself.
    private static let startup = [
        ".config/autostart", ".config/systemd", ".config/environment.d", ".config/fish", ".config/git", ".local/bin",
        ".local/share/applications", ".local/share/dbus-1", ".local/share/systemd", "bin",
    ]

    /// - Parameters:
    ///   - keys: Files that open the vault, besides that of `KEYFOB_KEY_FILE`.
    ///   - registeredHome: The home of this user as the system has it, whatever `HOME` says.
    ///   - mounts: Under which other names the same files are there.
    init(
        _ location: KeyringLocation, keys: [String], registeredHome: String?, mounts: MountTable,
        _ environment: Environment
    ) {
        homes = Set([environment["HOME"], registeredHome].compactMap(\.self).compactMap(FileAccess.realPath)).sorted()
        searchPath = (environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
            .compactMap { FileAccess.realPath(String($0)) }
        let usual = [environment.variables.filter { $0.key != "KEYFOB_VAULT" }] + homes.map { ["HOME": $0] }
        let locations = [location] + usual.compactMap { try? KeyringLocation.standard(environment: $0) }
        var secrets = locations.flatMap {
            [$0.vault, $0.state, $0.runtime].compactMap(\.self)
        }
        secrets += keys
        for name in ["KEYFOB_KEY_FILE", "KEYFOB_AGENT", "KEYFOB_ETCD_PASSWORD_FILE"] {
            if let path = environment[name] { secrets.append(path) }
        }
        // Programs and passes replace such a file: what is mounted over one would be gone.
        let mirrored = (try? MirrorStore(state: location.state).notes()) ?? []
        for file in mirrored.compactMap({ MirrorNote(text: $0)?.file }) {
            let folder = Self.folder(of: file)
            let isShared = (homes + Self.shared).contains { Self.lies($0, in: folder) }
            secrets.append(isShared ? file : folder)
        }
        // A descriptor is closed.
        secrets.removeAll { path in ["/dev/", "/proc/"].contains(where: path.hasPrefix) && !path.hasPrefix("/dev/shm/")
        }
        own = Set(
            secrets.compactMap(FileAccess.realPath).flatMap {
                [$0] + mounts.otherNames(of: $0).filter { FileAccess.realPath($0) != nil }
            })
        login = Set(
            (["/run/user", "/run/screen", "/run/credentials"]
                + ["XDG_RUNTIME_DIR", "CREDENTIALS_DIRECTORY"].compactMap { environment[$0] })
                .compactMap(FileAccess.realPath))
        let imported = ToolPlaces(environment).places.map(\.path)
        let files = imported + ["XAUTHORITY", "ICEAUTHORITY", "NETRC"].compactMap { environment[$0] }
        others = Set((Self.paths(Self.credentials, in: homes) + files).compactMap(FileAccess.realPath))
        startup = Set(Self.paths(Self.startup, in: homes).compactMap(FileAccess.realPath))
        let named = environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? [$0] : nil }
        let caches = (named ?? Self.paths([".cache"], in: homes)).compactMap(FileAccess.realPath)
        temporary =
            Self.shared.compactMap(FileAccess.realPath)
            + caches.filter { [homes] path in !homes.contains { Self.lies($0, in: path) } }
    }

    /// Why a program may not change a folder; nil where it may.
    func reason(against path: String) -> String? {
        if path == "/" { return "it is everything" }
        if homes.contains(where: { Self.lies($0, in: path) }) {
            return "it is your home, with what your programs start from"
        }
        for place in own.union(login).sorted() where Self.lies(path, in: place) {
            return "it lies in \(place), which the program is not to see"
        }
        for place in own.sorted() where Self.lies(place, in: path) {
            return "\(place) lies in it, where Keyfob has keys or tokens"
        }
        for place in others.sorted() where Self.lies(path, in: place) {
            return "it lies in \(place), where credentials are"
        }
        if Self.shared.contains(where: { Self.lies($0, in: path) }) { return "all your programs have files in it" }
        for place in login.sorted() where Self.lies(place, in: path) {
            return "\(place) lies in it, with the sockets of your login"
        }
        for place in startup.sorted() where Self.lies(place, in: path) || Self.lies(path, in: place) {
            return "your programs start from \(place)"
        }
        for place in searchPath where Self.lies(path, in: place) { return "your programs start from \(place), by PATH" }
        return nil
    }

    /// What is empty for the program.
    ///
    /// What it may change is its own.
    func hidden(besides writable: [String]) -> [String] {
        let others = others.filter { place in !writable.contains { Self.lies(place, in: $0) } }
        return own.union(login).union(others).sorted()
    }

    /// Where it has an empty folder of its own.
    func temporary(besides writable: [String]) -> [String] {
        Set(temporary).subtracting(writable).sorted()
    }

    /// What is there to read, though it lies in a folder that is empty otherwise: the home, and where programs are.
    func kept(for program: String, besides writable: [String]) -> [String] {
        let own = program.contains("/") ? FileAccess.realPath(program).map(Self.folder) : nil
        let folders = homes + [own].compactMap(\.self) + searchPath
        return Set(folders).filter { folder in
            temporary.contains { folder != $0 && Self.lies(folder, in: $0) }
                && !writable.contains { Self.lies(folder, in: $0) }
        }.sorted()
    }

    /// The names of variables that the program does not get.
    static func withheld(_ environment: Environment) -> [String] {
        variables + environment.variables.keys.filter { $0.hasPrefix("KEYFOB_") }.sorted()
    }

    private static func paths(_ names: [String], in homes: [String]) -> [String] {
        homes.flatMap { home in names.map { home + "/" + $0 } }
    }

    private static func lies(_ path: String, in folder: String) -> Bool {
        folder == "/" || path == folder || path.hasPrefix(folder + "/")
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }
}
