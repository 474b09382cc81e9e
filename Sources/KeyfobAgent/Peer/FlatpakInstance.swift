internal import Glibc
internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobSodium

/// A container as Flatpak has noted it where what is in a container cannot write: `$XDG_RUNTIME_DIR/.flatpak/NUMBER`.
///
/// Other programs of the user can write there.
struct FlatpakInstance {
    private let process: Int32
    /// The mount namespace of the container, as bwrap has noted it; nil where an older one did not.
    private let mounts: String?

    /// Where Flatpak notes them.
    static var folder: String? {
        unsafe getenv("XDG_RUNTIME_DIR").map { unsafe String(cString: $0) + "/.flatpak" }
    }

    /// The one that a `.flatpak-info` says it is in; nil where Flatpak has noted none, or one of another application.
    init?(_ info: [UInt8], of name: String, in folder: String?) {
        guard let folder, let number = Self.number(info), !number.isEmpty,
            number.utf8.allSatisfy({ $0.isASCIIDigit }),
            case .bytes(let info, _) = FileAccess.read("\(folder)/\(number)/info", limit: 1 << 16, following: false),
            ProgramSearch.flatpakName(info) == name,
            case .bytes(let document, _) = FileAccess.read(
                "\(folder)/\(number)/bwrapinfo.json", limit: 1 << 16, following: false)
        else { return nil }
        let noted: (process: Int32, mounts: String?)? = document.withBytes { bytes in
            guard let tape = try? JSONTape(reading: bytes) else { return nil }
            func number(_ name: String) -> String? {
                guard let value = tape.member(name, of: tape.root, in: bytes), tape.kind(of: value) == .number else {
                    return nil
                }
                return String(tape.raw(value, in: bytes))
            }
            guard let process = number("child-pid").flatMap({ Int32($0) }) else { return nil }
            return (process, number("mnt-namespace"))
        }
        guard let noted else { return nil }
        (process, mounts) = (noted.process, noted.mounts.map { "mnt:[\($0)]" })
    }

    private static func number(_ info: [UInt8]) -> String? {
        var section: Substring = ""
        for line in String(decoding: info, as: UTF8.self).split(whereSeparator: \.isNewline) {
            if line.hasPrefix("[") {
                section = line
            } else if section == "[Instance]", line.hasPrefix("instance-id=") {
                return String(line.dropFirst("instance-id=".count))
            }
        }
        return nil
    }

    /// Whether another process is in it, or passes on what its programs say to the session bus.
    func has(_ other: Int32, _ table: ProcessTable) -> Bool {
        // The number of a process that has ended may be another's.
        guard let files = table.link("ns/mnt", of: process), mounts == nil || mounts == files else { return false }
        if table.link("ns/mnt", of: other) == files { return true }
        guard let path = table.link("exe", of: other), path.hasSuffix("/xdg-dbus-proxy"), FileLook.isSystems(path),
            let file = FileIdentity(path)
        else { return false }
        return FileIdentity(table.path(of: other, "exe"), following: true) == file
    }
}
