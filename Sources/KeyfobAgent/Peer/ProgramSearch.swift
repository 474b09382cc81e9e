internal import Keyfob
internal import KeyfobFiles
internal import KeyfobModel

/// Finds out which program a process runs, by what is most specific.
///
/// Between programs of one user that is policy and no wall: a process can be started in the folder, service or container
/// of another program, with its libraries or its arguments.
struct ProgramSearch {
    let table: ProcessTable
    let process: Int32
    /// As in ``StartProof``.
    var known: String?
    /// Where Flatpak notes its containers.
    var instances: String? = FlatpakInstance.folder

    /// The program.
    ///
    /// - Throws: `notPermitted` where that cannot be told.
    func program() throws(KeyringError) -> Program { try found().program }

    /// The program, with the number of its file where it is a script.
    ///
    /// - Throws: `notPermitted` where that cannot be told.
    func found() throws(KeyringError) -> (program: Program, file: String?) {
        let proof = StartProof(table: table, process: process, eyes: .far, known: known)
        do throws(StartProof.Doubt) {
            if let program = try flatpak(proof) ?? snap(proof) ?? service { return (program, nil) }
            let start = ProgramStart(executable: try executable(proof), arguments: table.arguments(of: process) ?? [])
            guard let script = try proof.script(of: start) else {
                guard let program = Program(.executable, start.executable) else {
                    throw StartProof.Doubt("the path of its executable is none that can be named")
                }
                return (program, nil)
            }
            let root = table.path(of: process, "root")
            guard FileIdentity(root + script.path) == FileIdentity(script.path),
                let program = Program(.script, script.path)
            else {
                throw StartProof.Doubt("its script is not the file that is at \(script.path) here")
            }
            return (program, script.number)
        } catch {
            throw KeyringError(
                .notPermitted, "which program process \(process) is cannot be told: \(error.reason)")
        }
    }

    // MARK: What runs it

    /// The Flatpak application, where Flatpak has noted that it runs in this container: a container can hold any `.flatpak-info`.
    private func flatpak(_ proof: StartProof) throws(StartProof.Doubt) -> Program? {
        guard let info = table.read("root/.flatpak-info", of: process) else { return nil }
        guard let name = Self.flatpakName(info), let program = Program(.flatpak, name) else { return nil }
        // In the container of the agent, which has no other.
        if !proof.isElsewhere("mnt"), FileIdentity(table.path(of: process, "root") + "/") == FileIdentity("/") {
            return program
        }
        guard FlatpakInstance(info, of: name, in: instances)?.has(process, table) == true else {
            throw StartProof.Doubt("its .flatpak-info names \(name), and Flatpak has noted no such container")
        }
        return program
    }

    /// The name in a `.flatpak-info`: that of the application, or of the runtime where a command of it runs alone.
    static func flatpakName(_ content: [UInt8]) -> String? {
        var (section, runtime): (Substring, String?) = ("", nil)
        for line in String(decoding: content, as: UTF8.self).split(whereSeparator: \.isNewline) {
            if line.hasPrefix("[") {
                section = line
            } else if section == "[Application]", line.hasPrefix("name=") {
                return String(line.dropFirst("name=".count))
            } else if section == "[Runtime]", line.hasPrefix("name=") {
                runtime = String(line.dropFirst("name=".count))
            }
        }
        return runtime
    }

    /// The snap, where the system has put it into its container, or its file is the snap's own: a program of the user can take
    /// any label that is known.
    func snap(_ proof: StartProof) -> Program? {
        guard let name = table.read("attr/current", of: process).flatMap(Self.snapName) else { return nil }
        // In another user namespace a program can have any file in any place.
        guard !proof.isElsewhere("user") else { return nil }
        let isOwnFile = table.link("exe", of: process)?.hasPrefix("/snap/\(name)/") == true
        guard isOwnFile || proof.isElsewhere("mnt") else { return nil }
        return Program(.snap, name)
    }

    /// The name in a security label of AppArmor: `snap.NAME.APP (enforce)`.
    static func snapName(_ label: [UInt8]) -> String? {
        let label = String(decoding: label.prefix { $0 != 0 && $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        let parts = label.prefix { $0 != " " }.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0] == "snap", parts[2...].allSatisfy({ !$0.isEmpty }) else { return nil }
        return Program(.snap, String(parts[1]))?.name
    }

    var service: Program? {
        table.read("cgroup", of: process).flatMap(Self.serviceName).flatMap { Program(.service, $0) }
    }

    /// The service in a line of cgroup version 2, `0::/…/NAME.service`; nil for those that run all kinds of programs.
    static func serviceName(_ content: [UInt8]) -> String? {
        for line in content.split(separator: UInt8(ascii: "\n")) where line.starts(with: "0::/".utf8) {
            let groups = line.dropFirst(4).split(separator: UInt8(ascii: "/")).map {
                String(decoding: $0, as: UTF8.self)
            }
            // Below a service, or what else is no slice, programs make groups of any name.
            guard let name = groups.last,
                groups.dropLast().allSatisfy({ $0.hasSuffix(".slice") || $0.hasPrefix("user@") })
            else { return nil }
            let runsOthers = generalServices.contains { name.hasPrefix($0) }
            return name.hasSuffix(".service") && name.utf8.count > ".service".utf8.count && !runsOthers ? name : nil
        }
        return nil
    }

    /// How services are called that run programs of many kinds: managers of users and sessions, what waits for logins, clocks,
    /// containers, terminals; and those that systemd-run(1) and desktops name anew each time.
    private static let generalServices = [
        "user@", "user-runtime-dir@", "dbus.service", "dbus-broker", "gnome-session", "gnome-shell", "org.gnome.Shell",
        "plasma-", "xfce4-session", "wayland-wm@", "wayland-session", "sway", "hyprland", "gdm", "sddm", "lightdm",
        "getty@", "serial-getty@", "console-getty", "ssh.service", "sshd", "ssh@", "cron.service", "crond.service",
        "atd.service", "anacron.service", "docker.service", "containerd.service", "podman.service",
        "gnome-terminal-server", "org.gnome.Terminal", "emacs.service", "tmux.service", "tmux@", "screen@", "app-",
        "run-",
    ]

    // MARK: What it runs

    private func executable(_ proof: StartProof) throws(StartProof.Doubt) -> String {
        guard let path = table.link("exe", of: process) else { throw StartProof.Doubt("its executable cannot be seen") }
        if let reason = proof.sandbox { throw StartProof.Doubt(reason) }
        // In a container of its own, the path may be that of another file here.
        if let running = FileIdentity(table.path(of: process, "exe"), following: true), FileIdentity(path) == running {
            return path
        }
        // What the kernel says of a file that is gone; one that is there may be called so, too.
        guard !path.hasSuffix(" (deleted)") else {
            throw StartProof.Doubt("its executable was removed or replaced since it was started; start it again")
        }
        throw StartProof.Doubt("its executable is not the file that is at \(path) here")
    }
}
