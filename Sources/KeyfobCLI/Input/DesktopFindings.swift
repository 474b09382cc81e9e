internal import Keyfob
internal import KeyfobFiles

/// What other tools keep in the desktop's keyring, or why it was not read.
struct DesktopFindings {
    /// What it is called.
    static let name = "the desktop's keyring"
    /// Where nobody looked.
    static let none = DesktopFindings()

    private(set) var items: [ForeignItems] = []
    private(set) var problem: KeyringError?

    private init() {}

    /// Looks there, once it is clear that there is a vault to take it into.
    ///
    /// - Parameter isRequired: Whether it was asked for by name; else what is not there, or does not let itself be read, keeps
    ///   nobody from the rest.
    /// - Throws: where it is required: `unavailable`, `locked`, `cancelled`, `limitExceeded`; where there is no vault.
    init(required isRequired: Bool, _ global: GlobalOptions) throws(KeyringError) {
        _ = try LockedKeyring(at: global.location())
        do throws(KeyringError) {
            items = try ForeignItems.find(gitHubUsers: Self.gitHubUsers, global.secretService())
        } catch {
            guard !isRequired else { throw error }
            switch error.advice {
            // Most machines have none.
            case .mendService(.noBus, _), .mendService(.noService, _), .mendService(.noLibrary, _): break
            default: problem = error
            }
        }
    }

    /// Whether a tool keeps tokens here.
    func hasTool(of format: Keyring.CacheFormat) -> Bool { format == .gh && items.contains { $0.name == "gh" } }

    /// The users whom gh names in its file.
    private static var gitHubUsers: [String: String?] {
        for place in ToolPlaces(.current).places where place.formats == [.gh] {
            guard FileAccess.status(place.path, following: true)?.isTrustworthy == true,
                let file = try? SecretInput.cache(place.path)
            else { continue }
            return Keyring.Caches.gitHubUsers(in: file)
        }
        return [:]
    }
}
