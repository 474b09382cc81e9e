import KeyfobModel
import KeyfobSodium

@testable import KeyfobSync

extension KeyringState {
    /// BLAKE2b-256 of everything in it: equal for equal states, spelling and all.
    var digest: [UInt8] {
        var bytes = CanonicalBytes()
        for (group, state) in groups.sorted(by: { $0.key < $1.key }) {
            bytes.append(group.name)
            state.append(to: &bytes)
        }
        return BLAKE2b.hash(bytes.bytes, count: 32)
    }
}

extension GroupItems {
    fileprivate func append(to bytes: inout CanonicalBytes) {
        bytes.append(UInt64(items.count))
        for (key, item) in items.sorted(by: { $0.key < $1.key }) {
            bytes.append(key.encoded)
            bytes.append(optional: item.deletion) { $0.append($1) }
            bytes.append(UInt64(item.fields.count))
            for (name, register) in item.fields.sorted(by: { $0.key < $1.key }) {
                bytes.append(name.name)
                bytes.append(register.version)
                bytes.append(register.contentBytes)
            }
        }
        bytes.append(UInt64(grants.count))
        for (key, grant) in grants.sorted(by: { $0.key < $1.key }) {
            bytes.append(key.encoded)
            bytes.append(grant.version)
            bytes.append(grant.contentDigest)
        }
        bytes.append(UInt64(accountIDs.count))
        for (key, id) in accountIDs.sorted(by: { $0.key < $1.key }) {
            bytes.append(key.encoded)
            bytes.append(id.spelling)
        }
    }
}
