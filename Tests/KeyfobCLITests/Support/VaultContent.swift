@testable import Keyfob
import KeyfobModel
import KeyfobRecords
import KeyfobSodium
import KeyfobTestSupport

/// What the records of a vault say, without what tells when they were written.
struct VaultContent: Equatable, CustomStringConvertible {
    /// A line for each record, by group.
    let groups: [String: [String]]

    /// What a workplace's vault holds now.
    init(_ place: Workplace) throws {
        let location = KeyringLocation(
            vault: place.vault, state: place.path + "/state/keyfob", runtime: place.path + "/run/keyfob")
        let key = try [UInt8](place.read("key")).withBytes { SecretBytes(copying: $0) }
        let keyring = try LockedKeyring(at: location).unlock(with: .keyFile(key))
        let names = try keyring.groups.list().map(\.name)
        groups = try keyring.withState { state in
            var groups: [String: [String]] = [:]
            for name in names {
                let group = try state.group(name)
                var lines: [String] = []
                _ = try keyring.database.forEachItem(in: group) { result, secrets in
                    let found = try result.get()
                    guard !found.record.isTombstone else { return }
                    // The note of who was there, which follows by itself, and what was read of a provider last.
                    if case .setting(let name, _) = found.item.content {
                        if Keyring.Groups.decidesNothing(name) || name.hasPrefix("discovery of ") { return }
                    }
                    let token = found.record.secretCommitment == nil ? "-" : text(of: try secrets.secret(of: found))
                    let marks = "\(found.item.isOwners) \(found.item.isThisDeviceOnly)"
                    lines.append("\(Self.steady(found.item.content)) \(marks) \(token)")
                }
                groups[name.name] = lines.sorted()
            }
            return groups
        }
    }

    /// The content without what grows with each sign-in.
    private static func steady(_ content: ItemContent) -> ItemContent {
        guard var credential = content.credential, let grant = credential.grant else { return content }
        credential.grant = Grant(state: grant.state, rotates: grant.rotates)
        return .credential(credential)
    }

    var description: String {
        groups.sorted { $0.key < $1.key }.map { "\($0.key):\n  " + $0.value.joined(separator: "\n  ") }
            .joined(separator: "\n")
    }
}
