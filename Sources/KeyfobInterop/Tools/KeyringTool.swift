package import KeyfobModel
package import KeyfobSodium

/// Who keeps tokens in the desktop's keyring (Secret Service), and the attributes by which theirs are found.
package enum KeyringTool: Hashable, Sendable, CaseIterable {
    /// Programs with MSAL, which keep a whole cache in one item.
    case msal
    /// gh, which uses go-keyring.
    case gh
    /// git-credential-libsecret and Git Credential Manager.
    case git
    /// Programs with the package `keyring` of Python.
    case python

    /// The attributes of its items: those that have all of one of these.
    ///
    /// - Parameter gitHubHosts: The hosts that gh has users at; its items can be found by their whole host alone.
    package func searches(gitHubHosts: some Sequence<String>) -> [[String: String]] {
        switch self {
        case .msal:
            [
                // Microsoft's developer tools and libraries for Azure, in .NET, Python and Go; then those in JavaScript.
                ["MsalClientID": "Microsoft.Developer.IdentityService"],
                ["service": "Microsoft.Developer.IdentityService"],
                // The example of msal-extensions, which az and others have kept.
                ["my_attr1": "foo", "my_attr2": "bar"],
            ]
        case .gh: Set(gitHubHosts).union([ToolFile.github]).sorted().map { ["service": "gh:" + $0] }
        case .git: [["protocol": "https"], ["xdg:schema": "com.microsoft.GitCredentialManager"]]
        case .python: [["application": "Python keyring library"]]
        }
    }

    /// Whether an item that was found so is one of its: a browser, say, has attributes of the same names.
    package func keeps(_ attributes: [String: String]) -> Bool {
        guard self == .git else { return true }
        return Self.isOfGitManager(attributes)
            ? attributes["service"]?.hasPrefix("git:") == true
            : attributes["server"] != nil && attributes["user"] != nil
    }

    /// Whether an item is one of Git Credential Manager's.
    static func isOfGitManager(_ attributes: [String: String]) -> Bool {
        attributes["xdg:schema"] == "com.microsoft.GitCredentialManager"
    }

    /// What its items are called together.
    ///
    /// - Parameter label: What an item that stands for itself is called.
    package func name(schema: String?, label: String) -> String {
        switch self {
        // Their labels are all alike.
        case .msal: schema?.hasPrefix("msal.cache") == true ? schema ?? label : label.isEmpty ? "MSAL" : label
        case .gh: "gh"
        case .git: "git"
        case .python: "Python's keyring"
        }
    }

    /// The cache that an item of MSAL's holds: JSON, or base64 of it, as .NET and Go write it.
    ///
    /// What is neither is given back as it is.
    package static func cache(in secret: RawSpan) -> SecretBytes {
        encodedCache(in: secret) ?? SecretBytes(copying: secret)
    }

    /// A cache as an item of MSAL's is to hold it: as the one before is written.
    package static func item(of cache: borrowing SecretBytes, like secret: RawSpan) -> SecretBytes {
        guard encodedCache(in: secret) != nil else { return cache.withBytes { SecretBytes(copying: $0) } }
        return cache.withBytes { Base64.standard.encodeSecret($0) }
    }

    private static func encodedCache(in secret: RawSpan) -> SecretBytes? {
        let plain = secret.extracting(secret.trimmed(0..<secret.byteCount))
        guard !plain.begins(with: "{"), let cache = Base64.standard.decodeSecret(plain), cache.count > 0 else {
            return nil
        }
        return cache
    }
}

/// An item of the desktop's keyring in which another tool keeps a secret.
package struct KeyringItem: Sendable {
    /// Its attributes, as the tool has set them.
    package let attributes: [String: String]
    /// Where its secret is in the bytes of all of them.
    package let secret: Range<Int>
    /// When it was written last; nil where nobody knows.
    package let writtenAt: Timestamp?

    package init(attributes: [String: String], secret: Range<Int>, writtenAt: Timestamp?) {
        (self.attributes, self.secret, self.writtenAt) = (attributes, secret, writtenAt)
    }
}
