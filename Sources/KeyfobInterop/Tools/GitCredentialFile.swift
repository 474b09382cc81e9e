internal import KeyfobModel
internal import KeyfobSodium

// The file `.git-credentials` of git-credential-store(1): `https://USER:PASSWORD@HOST` in each line, percent-encoded.

extension ToolFile {
    mutating func readGitCredentials(_ bytes: RawSpan) {
        var (start, number) = (0, 0)
        while start < bytes.byteCount {
            let line = ToolFileShape.line(from: start, bytes)
            number += 1
            start = line.upperBound + 1
            let text = bytes.trimmed(line)
            guard !text.isEmpty, !bytes.begins(with: "#", at: text.lowerBound) else { continue }
            do throws(ToolFinding.Reason) {
                // The rest of a host that was cut off might pass for the whole.
                guard line.upperBound < bytes.byteCount else { throw .unended }
                try readGitCredential(text, bytes)
            } catch {
                skip(.line(number), error)
            }
        }
    }

    private mutating func readGitCredential(_ line: Range<Int>, _ bytes: RawSpan) throws(ToolFinding.Reason) {
        let isSecure = bytes.begins(with: "https://", at: line.lowerBound)
        guard isSecure || bytes.begins(with: "http://", at: line.lowerBound) else { throw .notACredential }
        let start = line.lowerBound + (isSecure ? 8 : 7)
        let end = (start..<line.upperBound).first { "/?#".utf8.contains(bytes.byte(at: $0)) } ?? line.upperBound
        guard let at = (start..<end).last(where: { bytes.byte(at: $0) == UInt8(ascii: "@") }),
            let colon = bytes.first(of: ":", in: start..<at),
            let user = SecretLocation(percentEncoded: start..<colon, in: bytes),
            let password = SecretLocation(percentEncoded: (colon + 1)..<at, in: bytes)
        else { throw .notACredential }
        let host = JSONText(range: (at + 1)..<end, hasEscapes: false).string(in: bytes)
        guard let url = CredentialURL(scheme: isSecure ? "https" : "http", host: host) else {
            throw isSecure ? .badHost : .insecure
        }
        let secret = password.secret(in: bytes)
        let environment = try PasswordToken.environment(of: secret, at: url.address.host)
        // The user is often the token, or what services take with any: then nobody is named.
        let name = ToolValue.text(user).name(bytes)
        guard let name, !GitCredentialRequest.isPlaceholder(name), user.secret(in: bytes).isName,
            let account = account(name, at: environment)
        else { throw .nobody }
        add(.accessToken, password, of: account)
    }
}

extension SecretBytes {
    /// Whether it can be a user's name: it is no token.
    var isName: Bool { (try? PasswordToken.environment(of: self, at: "any.example")) == nil }
}
