internal import FoundationEssentials
internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobSodium

extension EtcdClient {
    /// What names the file with the password of the address's user.
    static let passwordVariable = "KEYFOB_ETCD_PASSWORD_FILE"

    /// The request by which a user gets a token: `{"name":…,"password":…}`, in guarded memory.
    static func signingIn(
        _ user: String, _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(KeyringError) -> SecretBytes {
        guard let path = environment[passwordVariable], !path.isEmpty else {
            throw KeyringError(
                .configuration, "the password of etcd's user \(user) is nowhere",
                advice: .giveEtcdPassword)
        }
        let password: SecretBytes
        do {
            password = try SecretFile.read(path, limit: 1_024)
        } catch {
            throw KeyringError(path, error)
        }
        return password.withBytes { bytes in
            var count = bytes.byteCount
            while count > 0, [0x0A, 0x0D].contains(bytes.byte(at: count - 1)) { count -= 1 }
            var body = SecretBuffer(capacity: 6 * count + user.utf8.count + 64)
            Array("{\"name\":\"\(user)\",\"password\":\"".utf8).withBytes { body.append($0) }
            for index in 0..<count {
                let escape = JSONEscape(bytes.byte(at: index))
                Array((0..<escape.count).map { escape[$0] }).withBytes { body.append($0) }
            }
            Array("\"}".utf8).withBytes { body.append($0) }
            return body.withBytes { SecretBytes(copying: $0) }
        }
    }
}
