internal import FoundationEssentials
internal import Keyfob
internal import KeyfobConfinement
internal import KeyfobFiles

/// How far a command reaches once it holds keys.
enum Reach {
    /// The vault's folders; no socket and no program.
    case vault
    /// Files that lie anywhere, to read: project files, git's configuration, what a person names. To write, the folder of
    /// one of them besides the vault's.
    case files(writing: String? = nil)
    /// Files and the network as they are; no program, and no other process. Only seccomp holds here, not Landlock.
    case network
    /// All: for what starts a browser or speaks to the desktop's keyring.
    case everything

    /// Confines the process for as long as it lives; not with a vault that the desktop's keyring keeps or opens, which
    /// is reached by a socket and libraries of its own.
    func confine(_ keyring: Keyring) {
        let location = keyring.location
        // Where it is missing it could not be made later.
        if !FileManager.default.fileExists(atPath: location.state) {
            try? FileManager.default.createDirectory(atPath: location.state, withIntermediateDirectories: true)
        }
        let folders = [location.vault, location.state, location.runtime].compactMap(\.self) + Confinement.devices
        let confinement: Confinement
        switch self {
        case .vault:
            confinement = Confinement(reading: Confinement.systemFolders, writing: folders, allowsSockets: false)
        case .files(let file):
            let named = file.map { [Self.folder(of: $0)] } ?? []
            confinement = Confinement(reading: ["/"], writing: folders + named, allowsSockets: false)
        case .network: confinement = Confinement(reading: [], writing: nil, allowsSockets: true)
        case .everything: return
        }
        guard !keyring.usesSecretService else { return }
        // From then on it may look at no other process.
        _ = CallingTool.folders
        confinement.apply()
    }

    private static func folder(of file: String) -> String {
        file.lastIndex(of: "/").map { String(file[...$0]) } ?? "."
    }
}
