package import KeyfobModel

// How what a person types is read into a request.

extension ScopeSet {
    /// The scopes that were typed: those of a resource, or each word.
    package init(words: [String], resource: String?) {
        // A resource that ends in a slash keeps it: Azure's management API wants the double slash.
        if let resource {
            self.init([resource + "/.default"])
        } else {
            self.init(words.flatMap { $0.split(separator: " ").map(String.init) })
        }
    }
}

extension TokenRequest {
    /// Whether a text can name a tenant: its id, or a domain.
    package static func isTenant(_ text: String) -> Bool {
        !text.utf8.contains { $0 <= 0x20 || $0 == UInt8(ascii: "/") }
    }

    /// A tenant; nil for the names by which Microsoft calls any.
    package static func specificTenant(_ tenant: String) -> String? {
        ["common", "organizations", "consumers"].contains(Identifier.folded(tenant)) ? nil : tenant
    }

    /// For how long a token can be asked to be valid, in seconds.
    package static let minimumValidities: ClosedRange<Int64> = 0...86_400
}
