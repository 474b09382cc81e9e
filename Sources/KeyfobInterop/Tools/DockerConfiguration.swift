internal import KeyfobModel
internal import KeyfobSodium

// The file `config.json` of docker, and `auth.json` of podman and skopeo: for each registry a user and a password in
// base64, or the name of the helper that has them.

extension ToolFile {
    mutating func readDockerConfiguration(_ value: ToolValue, _ bytes: RawSpan) {
        let store = value["credsStore"]?.name(bytes)
        let helpers = (value["credHelpers"]?.members ?? []).map { ($0.name, $0.value.name(bytes) ?? "") }
        let named = Dictionary(helpers) { $1 }
        for (server, entry) in value["auths"]?.members ?? [] {
            let helper = named[server] ?? store
            do throws(ToolFinding.Reason) {
                try readRegistry(entry, at: server, helper, bytes)
            } catch {
                skip(.host(server), error)
            }
        }
        let known = Set((value["auths"]?.members ?? []).map(\.name))
        for (server, helper) in helpers where !known.contains(server) {
            if helper != "keyfob" { skip(.host(server), .withHelper(helper)) }
        }
    }

    private mutating func readRegistry(
        _ entry: ToolValue, at server: String, _ helper: String?, _ bytes: RawSpan
    ) throws(ToolFinding.Reason) {
        guard let host = CredentialURL(server)?.address.host else { throw .badHost }
        if entry["identitytoken"]?.secret != nil || entry["registrytoken"]?.secret != nil { throw .registryToken }
        var user = entry["username"]?.name(bytes)
        var password = entry["password"]?.secret
        if let both = entry["auth"]?.secret {
            guard let parts = Self.userAndPassword(both, bytes) else { throw .badBase64 }
            (user, password) = parts
        }
        guard let password else { throw helper.map { .withHelper($0) } ?? .noToken }
        let secret = password.secret(in: bytes)
        let environment: String
        do throws(ToolFinding.Reason) {
            environment = try PasswordToken.environment(of: secret, at: host)
        } catch {
            throw error == .notAToken ? error : .noRegistry
        }
        // Registries of one's own have their tokens of a server that is not known here.
        guard environment != host else { throw .noRegistry }
        guard let user, !GitCredentialRequest.isPlaceholder(user), let account = account(user, at: environment) else {
            throw .nobody
        }
        add(.accessToken, password, of: account)
    }

    private static func userAndPassword(
        _ both: SecretLocation, _ bytes: RawSpan
    ) -> (user: String?, password: SecretLocation)? {
        guard let all = both.inBase64(from: 0)?.secret(in: bytes) else { return nil }
        let user = all.withBytes { bytes -> [UInt8]? in
            guard let colon = bytes.first(of: ":", in: 0..<bytes.byteCount) else { return nil }
            return [UInt8](bytes.extracting(0..<colon))
        }
        guard let user, user.count + 1 < all.count, let password = both.inBase64(from: user.count + 1) else {
            return nil
        }
        let name = String(validating: user, as: UTF8.self).flatMap { Identifier.isAcceptable($0) ? $0 : nil }
        return (name, password)
    }
}
