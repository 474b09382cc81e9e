package import KeyfobSodium

/// A first look at a provider's keys (RFC 7517), before there is a signature to check.
package enum KeySetLook {
    /// What is wrong with a key set from which ID tokens by these algorithms are to be checked; nil where nothing is.
    ///
    /// - Parameter algorithms: Those that the provider names; nil where it names none.
    package static func flaw(of document: borrowing SecretBytes, for algorithms: [String]?) -> String? {
        let types = document.withBytes { bytes -> [String]? in
            guard let fields = try? JSONFields(reading: bytes), let keys = fields.objects("keys", in: bytes) else {
                return nil
            }
            return keys.filter { $0.string("use", in: bytes) ?? "sig" == "sig" }.compactMap {
                $0.string("kty", in: bytes)
            }
        }
        guard let types else { return "it is no set of keys" }
        let wanted = Set((algorithms ?? ["RS256"]).compactMap(keyType))
        guard !wanted.isEmpty else { return nil }
        return wanted.isDisjoint(with: types)
            ? "it has none for \(wanted.sorted().joined(separator: ", ")) keys" : nil
    }

    /// The type of key of an algorithm; nil for one that needs none from there.
    private static func keyType(of algorithm: String) -> String? {
        switch algorithm.prefix(2) {
        case "RS", "PS": "RSA"
        case "ES": "EC"
        case "Ed": "OKP"
        default: nil
        }
    }
}
