internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobRecords
public import KeyfobSelection
internal import KeyfobSync

/// The accounts that a backup or an export holds.
public struct BundleAccounts: Sendable {
    /// The bundle.
    public let source: BundleSummary
    /// Its accounts, in the order of its groups.
    public let accounts: [Candidate]
}

extension Keyring.Bundles {
    /// Reads a bundle to its end, checks all of it, and says which accounts are in it.
    ///
    /// - Parameters:
    ///   - groups: The groups of the bundle to look at; nil for all.
    ///   - keyring: The keyring that it may be of; its key, too, shows who made a backup.
    /// - Throws: `noSuchGroup` for a group that the bundle has not, and as ``verifyBackup(_:with:of:)``.
    public static func accounts(
        in file: borrowing BundleFile, with opener: borrowing BundleOpener, groups: [AccessGroup]? = nil,
        of keyring: Keyring? = nil
    ) throws(KeyringError) -> BundleAccounts {
        let verified = try file.verify(opener, for: [.backup, .export])
        let manifest = verified.bundle.manifest
        let wanted = try Self.groups(groups, of: manifest, manifest.purpose.rawValue)
        var found = FoundAccounts()
        do {
            try file.read(verified) { record, _ in
                if wanted.contains(record.group) { found.take(record) }
            }
        } catch {
            throw KeyringError(error)
        }
        return BundleAccounts(
            source: BundleSummary(manifest, isOwners: verified.bundle.isOwners(by: opener, keyring)),
            accounts: manifest.groups.flatMap { found.candidates(in: $0) })
    }
}

/// The accounts of a bundle while it is read, and what they hold.
private struct FoundAccounts {
    private var accounts: [AccessGroup: [Account]] = [:]
    private var grants: [ItemPlace: Holdings] = [:]
    /// Counted where an account has no grant, as in a list of the vault's.
    private var tokens: [ItemPlace: Holdings] = [:]
    private var defaults: [AccessGroup: Setting] = [:]

    mutating func take(_ record: ItemRecord) {
        switch record.content {
        case .account(let account): accounts[record.group, default: []].append(account)
        case .credential(let credential):
            let place = ItemPlace(record.group, .account(credential.account))
            switch credential.kind {
            case .refreshToken: grants[place, default: Holdings()].add(credential)
            case .accessToken: tokens[place, default: Holdings()].add(credential)
            case .idToken: break
            }
        case .setting(TokenSearch.defaultAccount, let value?):
            defaults[record.group] = Setting(
                TokenSearch.defaultAccount, value, by: record.isOwners ? .owner : .group)
        default: break
        }
    }

    func candidates(in group: AccessGroup) -> [Candidate] {
        (accounts[group] ?? []).map { account in
            let place = ItemPlace(group, .account(account.id))
            return (grants[place] ?? tokens[place] ?? Holdings()).candidate(account, in: group, defaults[group])
        }
    }
}
