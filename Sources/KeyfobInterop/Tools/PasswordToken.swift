internal import KeyfobModel
internal import KeyfobSodium

/// Whether what stands in a password's place is a token, and which accounts' tokens it then is one of.
///
/// Providers begin their tokens with letters that no password has by chance. What does not look like a token is taken
/// for the password of a person, and that is no business of a keyring of tokens.
enum PasswordToken {
    private enum Maker: String {
        case github = "github.com"
        case gitlab = "gitlab.com"
    }

    /// The environment of the accounts that a token is one of, where it was kept for a host.
    static func environment(
        of secret: borrowing SecretBytes, at host: String
    ) throws(ToolFinding.Reason) -> String {
        guard let pattern = HostPattern(host) else { throw .badHost }
        let maker = maker(of: secret)
        guard let owner = BuiltInHosts.environment(claiming: pattern, besides: "") else {
            // A server of one's own, of GitHub's make or GitLab's.
            guard maker != nil else { throw .notAToken }
            return host
        }
        if maker == nil, owner == Maker.github.rawValue, isOldGitHub(secret) { return owner }
        guard let maker else { throw .notAToken }
        guard maker.rawValue == owner else { throw .tokenOfAnother }
        return owner
    }

    /// The environment of a provider's own host, where its tokens are kept by that; nil for a host of a service, or of
    /// another provider.
    static func environment(ofProvider host: String) -> String? {
        guard let pattern = HostPattern(host) else { return nil }
        guard let owner = BuiltInHosts.environment(claiming: pattern, besides: "") else { return host }
        return EnvironmentAliases.areSame(owner, host) ? owner : nil
    }

    private static func maker(of secret: borrowing SecretBytes) -> Maker? {
        let (isGitHub, isGitLab) = secret.withBytes { bytes in
            guard (20...1_024).contains(bytes.byteCount) else { return (false, false) }
            let isWord = (0..<bytes.byteCount).allSatisfy {
                bytes.byte(at: $0).isASCIIAlphanumeric || "_-.".utf8.contains(bytes.byte(at: $0))
            }
            // Tokens of an app's installation (ghs_) are nobody's.
            let isGitHub = ["ghp_", "gho_", "ghu_", "github_pat_"].contains { bytes.begins(with: $0) }
            return (isWord && isGitHub, isWord && bytes.begins(with: "glpat-"))
        }
        return isGitHub ? .github : isGitLab ? .gitlab : nil
    }

    /// GitHub's tokens of before 2021, which github.com, where no password has served since, still takes.
    private static func isOldGitHub(_ secret: borrowing SecretBytes) -> Bool {
        secret.withBytes { bytes in
            bytes.byteCount == 40
                && (0..<40).allSatisfy { bytes.byte(at: $0).isASCIIDigit || (0x61...0x66).contains(bytes.byte(at: $0)) }
        }
    }
}
