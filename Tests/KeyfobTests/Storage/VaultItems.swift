import Keyfob
import KeyfobSecretService
import KeyfobSodium
import KeyfobTestSupport
import Testing

/// The items of one vault in the Secret Service, as somebody else in the session sees and changes them.
struct VaultItems {
    typealias Path = SecretService.ItemPath

    let service: SecretService
    let vault: String

    init(_ service: SecretService, vault: String) {
        self.service = service
        self.vault = vault
    }

    /// The items with records that have these attributes, older ones first.
    ///
    /// - Parameter attributes: Those of the group `default` say nothing of it.
    func records(_ attributes: [String: String] = [:]) throws -> [Path] {
        let isInDefault = attributes["group"] == "default"
        let wanted = attributes.filter { !isInDefault || $0.key != "group" }
        return try
            (search(wanted, by: "keyfob") + search(["xdg:schema": "io.keyfob.Credential"].merging(wanted) { $1 }))
            .filter { try !isInDefault || self.attributes($0)["group"] == nil }
    }

    /// The only item with a record that has these attributes.
    func record(_ attributes: [String: String]) throws -> Path {
        let found = try records(attributes)
        try #require(found.count == 1, "there are \(found.count) items \(attributes)")
        return found[0]
    }

    /// The items with the header.
    func headers() throws -> [Path] { try search(["xdg:schema": "io.keyfob.Vault"]) }

    private func search(_ attributes: [String: String], by name: String = "vault") throws -> [Path] {
        try service.search(attributes.merging([name: vault]) { $1 }, in: nil).items
            .sorted { ($0.path.utf8.count, $0.path) < ($1.path.utf8.count, $1.path) }
    }

    /// The secret of an item, as other programs read it.
    func content(_ item: Path) throws -> [UInt8] {
        var content: [UInt8]?
        try service.secrets(of: [item], areForeign: true) { _, result in
            switch consume result {
            case .success(let bytes): content = contents(of: bytes)
            case .failure(let error): throw error
            }
        }
        return try #require(content)
    }

    func attributes(_ item: Path) throws -> [String: String] { try service.attributes(of: item) }

    func label(_ item: Path) throws -> String { try service.label(of: item) }

    /// Gives an item another secret.
    func set(_ item: Path, to content: [UInt8]) throws {
        try service.setSecret(of: item, to: secret(content), as: .plain)
    }

    /// Gives an item all of another's: attributes, label and secret.
    func paste(_ other: Path, over item: Path) throws {
        try set(item, to: content(other))
        try service.setAttributes(of: item, to: attributes(other), label: label(other))
    }

    /// An item as it is now.
    func snapshot(_ item: Path) throws -> (attributes: [String: String], content: [UInt8]) {
        (try attributes(item), try content(item))
    }

    /// Makes an item what it was, or what another one was.
    func put(_ snapshot: (attributes: [String: String], content: [UInt8]), into item: Path) throws {
        try set(item, to: snapshot.content)
        try service.setAttributes(of: item, to: snapshot.attributes, label: nil)
    }

    /// Changes an item's attributes.
    func change(_ item: Path, _ body: (inout [String: String]) -> Void) throws {
        var attributes = try attributes(item)
        body(&attributes)
        try service.setAttributes(of: item, to: attributes, label: try label(item))
    }

    /// Makes an item like another, with what that one holds or something else in it.
    @discardableResult
    func double(_ item: Path, with content: [UInt8]? = nil) throws -> Path {
        let collection = String(item.path.prefix(upTo: item.path.lastIndex(of: "/") ?? item.path.endIndex))
        return try service.create(
            label: try label(item), attributes: try attributes(item),
            secret: secret(try content ?? self.content(item)), as: .plain, in: collection)
    }

    /// All that is there of the vault: attributes, labels and contents.
    func dump() throws -> [UInt8] {
        var text = ""
        for item in try headers() + records() {
            let attributes = try attributes(item).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            text += "\(item.path) \(try label(item)) \(attributes) \(hexadecimal(try content(item)))\n"
        }
        return Array(text.utf8)
    }
}
