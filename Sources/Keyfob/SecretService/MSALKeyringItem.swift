internal import KeyfobInterop
internal import KeyfobModel
internal import KeyfobSecretService
internal import KeyfobSodium

/// The item of the desktop's keyring (Secret Service) in which programs with MSAL keep a token cache.
public struct MSALKeyringItem: ~Copyable {
    /// Those of its attributes by which it was found, and is found again.
    public let attributes: [String: String]

    private let service: SecretService
    private let path: SecretService.ItemPath
    private let secret: SecretBytes

    private init(
        _ attributes: [String: String], _ service: SecretService, _ path: SecretService.ItemPath,
        _ secret: consuming SecretBytes
    ) {
        (self.attributes, self.service, self.path) = (attributes, service, path)
        self.secret = secret
    }

    /// Finds the one item that has all these attributes, or is one of MSAL's where none are given.
    ///
    /// The service may ask to unlock what is locked, where the options allow that.
    ///
    /// - Throws: `noSuchFile` where there is none, `ambiguous`, `unavailable`, `locked`, `cancelled`.
    public static func find(
        _ attributes: [String: String], _ options: SecretServiceOptions
    ) throws(KeyringError) -> MSALKeyringItem {
        let none = KeyringError(
            .noSuchFile,
            "the desktop's keyring has no token cache of MSAL's\(attributes.isEmpty ? "" : " with these attributes"): "
                + "a program makes one when somebody signs in")
        do {
            let service = try SecretService.connect(options.access)
            try service.unlockDefault()
            let searches = attributes.isEmpty ? KeyringTool.msal.searches(gitHubHosts: []) : [attributes]
            var (paths, known): ([SecretService.ItemPath], [String: String]) = ([], [:])
            for search in searches {
                for item in try service.search(search, in: nil).items where !paths.contains(item) {
                    paths.append(item)
                    known = search
                }
            }
            guard let path = paths.first else { throw none }
            guard paths.count == 1 else { throw try several(paths, service) }
            return MSALKeyringItem(known, service, path, try secret(of: path, service))
        } catch let error as KeyringError {
            throw error
        } catch {
            throw error as? SecretServiceError == .noItem ? none : KeyringError(ofOthers: error)
        }
    }

    /// The cache that it holds, as JSON.
    public borrowing func content() -> SecretBytes { secret.withBytes { KeyringTool.cache(in: $0) } }

    /// Puts another cache in the place of this one, written as it was.
    ///
    /// - Returns: False, and nothing is changed, where the item does not hold any more what was read.
    /// - Throws: `unavailable`, `locked`, `cancelled`, `limitExceeded`.
    public borrowing func replace(with cache: borrowing SecretBytes) throws(KeyringError) -> Bool {
        do {
            guard try Self.secret(of: path, service).isEqual(to: secret) else { return false }
            let item = secret.withBytes { KeyringTool.item(of: cache, like: $0) }
            try service.setSecret(of: path, to: item, as: .plain)
            return true
        } catch {
            if error as? SecretServiceError == .noItem { return false }
            throw KeyringError(ofOthers: error)
        }
    }

    private static func secret(of path: SecretService.ItemPath, _ service: SecretService) throws -> SecretBytes {
        var found: SecretBytes?
        try service.secrets(of: [path], areForeign: true) { _, secret in found = try secret.get() }
        guard let secret = found.take() else { throw SecretServiceError.noItem }
        return secret
    }

    private static func several(
        _ paths: [SecretService.ItemPath], _ service: SecretService
    ) throws(SecretServiceError) -> KeyringError {
        var found: [String] = []
        for path in paths {
            let words = try service.details(of: path).attributes.filter { $0.key != "gkr:compat:hashed" }
                .map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ")
            found.append(Identifier.isAcceptable(words) ? words : "an item with odd attributes")
        }
        return KeyringError(
            .ambiguous, "the desktop's keyring has \(paths.count) token caches of MSAL's", candidates: found.sorted())
    }
}
