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
    /// Folders of `PATH`, also those that are not there yet.
    private let searchPath: [String]
    /// The same as it is written, in its order.
    private let searchOrder: [String]

    /// Variables that name sockets, displays and tokens of this login; all of `KEYFOB_` go too.
    private static let variables = [
        "BEARER_TOKEN", "BEARER_TOKEN_FILE", "CREDENTIALS_DIRECTORY", "DBUS_SESSION_BUS_ADDRESS",
        "DBUS_SYSTEM_BUS_ADDRESS",
        "DISPLAY", "GITHUB_PAT", "GNOME_KEYRING_CONTROL", "GPG_AGENT_INFO", "MYSQL_PWD", "NOTIFY_SOCKET",
        "PGPASSWORD", "SSHPASS", "SSH_AGENT_PID", "SSH_AUTH_SOCK", "STY",
        "TEMP", "TMP", "TMPDIR", "TMUX", "VSS_NUGET_EXTERNAL_FEED_ENDPOINTS", "WAYLAND_DISPLAY", "XAUTHORITY",
        "XDG_RUNTIME_DIR",
    ]
    /// How names of variables end that have tokens, keys and passwords.
    private static let tokens = [
        "TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE", "API_KEY", "APIKEY", "ACCESS_KEY", "ACCESS_KEY_ID", "PRIVATE_KEY",
        "CREDENTIALS", "_PAT", "_TOKENS", "_AUTH",
    ]
    /// Below the home: what keys of Keyfob's are called in its help.
    private static let usualKeys = [".config/keyfob.key", "keyfob-recovery.txt"]
    /// The most files of a folder that are looked at for keys, and the longest of them.
    private static let (mostFiles, longestKey) = (4_096, 16_384)
    /// Below the home: keys and credentials of other programs, besides those that an import finds.
    private static let credentials = [
        ".ssh", ".gnupg", ".password-store", ".local/share/keyrings", ".local/share/kwalletd", ".pki", ".aws", ".azure",
        ".docker", ".kube", ".netrc", ".authinfo", ".authinfo.gpg", ".git-credentials", ".Xauthority", ".ICEauthority",
        ".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/microsoft-edge",
        ".config/BraveSoftware", ".config/gh", ".config/glab-cli", ".config/gcloud", ".config/git/credentials",
        ".config/oidc-agent", ".oidc-agent", ".config/containers", ".config/rclone", ".config/keepassxc", "snap",
        ".var/app", ".IdentityService", ".oci", ".s3cfg", ".boto", ".terraform.d", ".config/doctl", ".fly", ".wrangler",
        ".config/.wrangler", ".vault-token", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml", ".pgpass",
        ".my.cnf", ".config/hub", ".config/op", ".config/sops", ".bash_history", ".zsh_history",
    ]
    private static let shared = ["/tmp", "/var/tmp", "/dev/shm"]
    /// Below the home: what starts by itself.
    private static let startup = [
        ".config/autostart", ".config/systemd", ".config/environment.d", ".config/fish", ".config/git", ".local/bin",
        ".local/share/applications", ".local/share/dbus-1", ".local/share/systemd", "bin", ".bashrc", ".bash_profile",
        ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin",
        ".zlogout", ".gitconfig", ".vimrc", ".tmux.conf", ".xprofile", ".xsession", ".xsessionrc", ".xinitrc",
    ]

    /// - Parameters:
    ///   - keys: Files that open the vault, and that the call or the environment names.
    ///   - registeredHome: The home of this user as the system has it, whatever `HOME` says.
    ///   - mounts: Under which other names the same files are there.
    init(
        _ location: KeyringLocation, keys: [String], registeredHome: String?, mounts: MountTable,
        _ environment: Environment
    ) {
        // Also those of what is not there yet.
        func names(_ paths: [String], withParts: Bool = true) -> Set<String> {
            Set(paths.flatMap { [$0] + mounts.otherNames(of: $0, withParts: withParts) })
        }
        let ownHomes = Set(
            [environment["HOME"], registeredHome].compactMap(\.self).compactMap(FileAccess.realPath)
        ).sorted()
        homes = names(ownHomes, withParts: false).sorted()
        searchOrder = (environment["PATH"] ?? "/bin:/usr/bin").split(separator: ":").map(String.init)
        searchPath = names(
            searchOrder.filter { $0.hasPrefix("/") }.compactMap(FileAccess.formerPath), withParts: false
        ).sorted()
        // One that is not named by this call is one nevertheless.
        let usual =
            [environment.variables, environment.variables.filter { $0.key != "KEYFOB_VAULT" }]
            + ownHomes.map { ["HOME": $0] }
        let locations = [location] + usual.compactMap { try? KeyringLocation.standard(environment: $0) }
        let folders = locations.flatMap { [$0.vault, $0.state, $0.runtime].compactMap(\.self) }
            .compactMap(FileAccess.formerPath)
        var secrets = keys + Self.paths(Self.usualKeys, in: ownHomes)
        for name in ["KEYFOB_AGENT", "KEYFOB_ETCD_PASSWORD_FILE"] {
            if let path = environment[name] { secrets.append(path) }
        }
        secrets += ownHomes.flatMap { Self.keys(in: $0) + Self.keys(in: $0 + "/.config") }
        // Programs and passes replace such a file: what is mounted over one would be gone.
        let mirrored = (try? MirrorStore(state: location.state).notes()) ?? []
        for file in mirrored.compactMap({ MirrorNote(text: $0)?.file }) {
            let folder = FileAccess.folder(of: file)
            let isShared = (homes + Self.shared).contains { Self.lies($0, in: folder) }
            secrets.append(isShared ? file : folder)
        }
        // A descriptor is closed; what it leads to has a name of its own.
        let files = secrets.compactMap(FileAccess.realPath).filter { path in
            !["/dev/", "/proc/"].contains(where: path.hasPrefix) || path.hasPrefix("/dev/shm/")
        }
        own = names(folders + files)
        login = names(
            (["/run/user", "/run/screen", "/run/credentials"]
                + ["XDG_RUNTIME_DIR", "CREDENTIALS_DIRECTORY"].compactMap { environment[$0] })
                .compactMap(FileAccess.realPath))
        let imported = ToolPlaces(environment).places.map(\.path)
        let named = imported + ["XAUTHORITY", "ICEAUTHORITY", "NETRC"].compactMap { environment[$0] }
        others = names((Self.paths(Self.credentials, in: ownHomes) + named).compactMap(FileAccess.realPath))
        // What is a link counts where it leads, and what is not there yet where it would be.
        startup = names(
            Self.paths(Self.startup, in: ownHomes).compactMap { FileAccess.realPath($0) ?? FileAccess.formerPath($0) })
        let cache = environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? [$0] : nil }
        let caches = (cache ?? Self.paths([".cache"], in: ownHomes)).compactMap(FileAccess.realPath)
        temporary = names(
            Self.shared.compactMap(FileAccess.realPath)
                + caches.filter { path in !ownHomes.contains { Self.lies($0, in: path) } }, withParts: false
        ).sorted()
    }

    /// Files of a folder that look like a key of Keyfob's: an age identity, or 32 bytes that are no text.
    private static func keys(in folder: String) -> [String] {
        let names = (try? POSIXFile.names(in: folder, limit: mostFiles)) ?? []
        return names.map { FileAccess.path(folder, $0) }.filter { path in
            guard let status = FileAccess.status(path, following: true), status.isRegularFile,
                status.size <= longestKey,
                case .bytes(let bytes, _) = FileAccess.read(path, limit: longestKey, following: true)
            else { return false }
            guard let text = String(validating: bytes, as: UTF8.self) else { return bytes.count == 32 }
            return text.split(whereSeparator: \.isNewline).contains { $0.hasPrefix("AGE-SECRET-KEY-") }
        }
    }

    /// Why a program may not change a folder; nil where it may.
    func reason(against path: String) -> String? {
        if path == "/" { return "it is everything" }
        if homes.contains(where: { Self.lies($0, in: path) }) {
            let verb = homes.contains(path) ? "is" : "holds"
            return "it \(verb) your home, with what your programs start from"
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
        for place in searchPath {
            // One that is there is held.
            let isNew = FileAccess.realPath(place) == nil
            if Self.lies(path, in: place) || (isNew && Self.lies(place, in: path)) {
                return "your programs start from \(place), by PATH"
            }
        }
        return nil
    }

    /// What is empty for the program.
    var hidden: [String] { own.union(login).union(others).sorted() }

    /// Where it has an empty folder of its own.
    func temporary(besides writable: [String]) -> [String] {
        Set(temporary).subtracting(writable).sorted()
    }

    /// What is there to read, though it lies in a folder that is empty otherwise: the home, and where programs are.
    func kept(for program: String, besides writable: [String]) -> [String] {
        func isKept(_ path: String) -> Bool {
            temporary.contains { path != $0 && Self.lies(path, in: $0) }
                && !writable.contains { Self.lies(path, in: $0) }
        }
        let programs = names(of: program)
        let folders = Set(homes + programs.map(FileAccess.folder) + searchPath).filter {
            isKept($0) && FileAccess.realPath($0) != nil
        }
        // Of a folder that all have, the program alone.
        let files = programs.filter { file in isKept(file) && !folders.contains { Self.lies(file, in: $0) } }
        return folders.union(files).sorted()
    }

    /// Where a program is: by the name that it is started by, and without links.
    private func names(of program: String) -> [String] {
        let path =
            program.contains("/")
            ? program
            : searchOrder.map { FileAccess.path($0, program) }.first {
                FileAccess.isExecutable($0) && FileAccess.status($0, following: true)?.isDirectory == false
            }
        guard let path, let real = FileAccess.realPath(path) else { return [] }
        let name = path.unicodeScalars.split(separator: "/").last.map(String.init) ?? ""
        return [real]
            + [FileAccess.realPath(FileAccess.folder(of: path)).map { FileAccess.path($0, name) }].compactMap(\.self)
    }

    /// Folders of `PATH` below those that the program can change, which it can only read, and the folders between, which it
    /// cannot move away.
    func held(in writable: [String]) -> (programs: [String], between: [String]) {
        let programs = searchPath.filter { place in
            FileAccess.realPath(place) != nil && writable.contains { Self.lies(place, in: $0) && place != $0 }
        }
        let between = programs.flatMap { place in
            FileAccess.ancestors(of: place).dropFirst().prefix { folder in
                !writable.contains(folder) && writable.contains { Self.lies(folder, in: $0) }
            }
        }
        return (programs, Set(between).subtracting(programs).sorted())
    }

    /// The names of variables that the program does not get.
    static func withheld(_ environment: Environment) -> [String] {
        variables
            + environment.variables.keys.filter { name in
                let upper = name.uppercased()
                return name.hasPrefix("KEYFOB_") || upper.contains("SECRET") || tokens.contains(where: upper.hasSuffix)
            }.sorted()
    }

    private static func paths(_ names: [String], in homes: [String]) -> [String] {
        homes.flatMap { home in names.map { home + "/" + $0 } }
    }

    /// By bytes, as the system does: a slash is one whatever sign stands on it.
    private static func lies(_ path: String, in folder: String) -> Bool {
        folder == "/" || path.utf8.elementsEqual(folder.utf8) || path.utf8.starts(with: (folder + "/").utf8)
    }
}
