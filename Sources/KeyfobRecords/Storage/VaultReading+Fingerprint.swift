internal import KeyfobFiles
internal import KeyfobModel
package import KeyfobVault

extension VaultReading {
    /// The same as long as a group holds the same items, but for access tokens that a refresh replaces.
    ///
    /// Opens nothing but access tokens, whose times are sealed.
    package func fingerprint(of keys: GroupKeys) throws -> [UInt8] {
        try snapshot(keys) { reader in
            var records = GroupManifest()
            try reader.forEachRow { _, result in
                guard let record = try? result.get(), record.header.kind != .journal else { return }
                if record.header.kind == .accessToken {
                    let token = try record.decode(keys) { body throws(FieldList.Malformed) in
                        try CredentialBody.decode(body, kind: .accessToken)
                    }
                    guard token.expiresOn == nil else { return }
                }
                records.insert(record.element(keys))
            }
            return records.fingerprint
        }
    }
}
