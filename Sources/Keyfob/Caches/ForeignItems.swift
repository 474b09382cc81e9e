internal import KeyfobInterop
internal import KeyfobModel
internal import KeyfobSecretService
internal import KeyfobSodium

/// What another tool keeps in the desktop's keyring (Secret Service), as it was found there; nothing of it is changed.
public final class ForeignItems: Sendable {
    /// What the tool is called, or its item where that stands for itself.
    public let name: String
    let tool: KeyringTool
    let items: [KeyringItem]
    /// How many more are locked.
    let lockedCount: Int
    let gitHubUsers: [String: String?]
    /// The secrets of all items, one behind the other.
    let secrets: SecretBytes

    /// The most items of one tool, and the most bytes that they hold together.
    private static let (mostItems, mostBytes) = (512, 16 << 20)

    private init(
        _ name: String, _ tool: KeyringTool, _ found: [Found], lockedCount: Int, _ gitHubUsers: [String: String?]
    ) {
        (self.name, self.tool, self.lockedCount, self.gitHubUsers) = (name, tool, lockedCount, gitHubUsers)
        var secrets = SecretBuffer(capacity: max(1, found.reduce(0) { $0 + $1.secret.count }))
        items = found.map { item in
            let start = secrets.count
            item.secret.withBytes { secrets.append($0) }
            return KeyringItem(
                attributes: item.details.attributes, secret: start..<secrets.count,
                writtenAt: item.details.modified.map { Timestamp(seconds: Int64(clamping: $0)) })
        }
        self.secrets = secrets.withBytes { SecretBytes(copying: $0, placement: .recycled) }
    }

    /// An item with its secret.
    private final class Found {
        let details: SecretService.Details
        let secret: SecretBytes

        init(_ details: SecretService.Details, _ secret: consuming SecretBytes) {
            self.details = details
            self.secret = secret
        }
    }

    /// Looks for what MSAL's programs, gh, git's helpers and Python's `keyring` keep.
    ///
    /// The service may ask to unlock what is locked, where the options allow that.
    ///
    /// - Parameter gitHubUsers: The hosts that gh has users at, as ``Keyring/Caches/gitHubUsers(in:)`` has them.
    /// - Throws: `unavailable`, `locked`, `cancelled`, `limitExceeded`.
    public static func find(
        gitHubUsers: [String: String?], _ options: SecretServiceOptions
    ) throws(KeyringError) -> [ForeignItems] {
        do {
            let service = try SecretService.connect(options.access)
            try service.unlockDefault()
            var all: [ForeignItems] = []
            for tool in KeyringTool.allCases { all += try find(tool, gitHubUsers, service) }
            return all
        } catch let error as KeyringError {
            throw error
        } catch {
            throw KeyringError(ofOthers: error)
        }
    }

    /// What an item says of itself; nil where it is gone meanwhile.
    private static func details(
        of path: SecretService.ItemPath, _ service: SecretService
    ) throws(SecretServiceError) -> SecretService.Details? {
        do throws(SecretServiceError) {
            return try service.details(of: path)
        } catch {
            guard error == .noItem else { throw error }
            return nil
        }
    }

    private static func find(
        _ tool: KeyringTool, _ gitHubUsers: [String: String?], _ service: SecretService
    ) throws -> [ForeignItems] {
        var paths: [SecretService.ItemPath] = []
        for attributes in tool.searches(gitHubHosts: gitHubUsers.keys) {
            for item in try service.search(attributes, in: nil).items where !paths.contains(item) {
                paths.append(item)
            }
        }
        guard paths.count <= mostItems else {
            throw KeyringError(
                .limitExceeded, "the desktop's keyring holds more than \(mostItems) items of one tool")
        }
        // Of what is not the tool's no secret is read, and nobody is asked about it.
        var details: [SecretService.ItemPath: SecretService.Details] = [:]
        for path in paths {
            if let item = try Self.details(of: path, service), tool.keeps(item.attributes) { details[path] = item }
        }
        func kept(_ path: SecretService.ItemPath) throws(SecretServiceError) -> SecretService.Details {
            guard let item = details[path] else { throw .noItem }
            return item
        }
        var (found, lockedCount, bytes): ([Found], Int, Int) = ([], 0, 0)
        try service.secrets(of: paths.filter { details[$0] != nil }, areForeign: true) { path, secret in
            switch consume secret {
            case .success(let secret):
                bytes += secret.count
                guard bytes <= mostBytes else {
                    throw KeyringError(
                        .limitExceeded, "the desktop's keyring holds more than \(mostBytes) bytes of one tool")
                }
                found.append(Found(try kept(path), secret))
            case .failure(.locked): lockedCount += 1
            // Gone meanwhile, or of a form that no tool writes.
            case .failure: break
            }
        }
        func name(_ item: Found?) -> String {
            tool.name(schema: item?.details.attributes["xdg:schema"], label: item?.details.label ?? "")
        }
        guard tool == .msal else {
            guard !found.isEmpty || lockedCount > 0 else { return [] }
            return [ForeignItems(name(nil), tool, found, lockedCount: lockedCount, gitHubUsers)]
        }
        var all = found.map { ForeignItems(name($0), tool, [$0], lockedCount: 0, gitHubUsers) }
        if lockedCount > 0 { all.append(ForeignItems(name(nil), tool, [], lockedCount: lockedCount, gitHubUsers)) }
        return all
    }
}

extension Keyring.Caches {
    /// The hosts that gh's `hosts.yml` names, each with the user whose token gh uses there; none where the bytes are no such
    /// file.
    public static func gitHubUsers(in file: borrowing SecretBytes) -> [String: String?] {
        file.withBytes { ToolFile.gitHubUsers($0) }
    }

    /// Takes over what another tool keeps in the desktop's keyring, in one transaction; as ``import(_:azureProfile:in:bringsBackRemoved:isTakenOver:taking:writtenAt:clientID:isDryRun:utcOffset:progress:)``.
    ///
    /// - Throws: `damaged` when an item of MSAL's holds no cache, `limitExceeded`, and what writing can throw; nothing is
    ///   imported then.
    public func importItems(
        _ items: ForeignItems, in groups: [AccessGroup]? = nil, bringsBackRemoved: Bool = false,
        clientID: String? = nil, isDryRun: Bool = false, progress: (Int, Int) -> Void = { _, _ in }
    ) throws(KeyringError) -> Keyring.ImportReport {
        if items.tool == .msal, items.lockedCount == 0 {
            let cache = items.secrets.withBytes { KeyringTool.cache(in: $0) }
            return try importMSAL(
                cache, in: groups, bringsBackRemoved: bringsBackRemoved, isDryRun: isDryRun, progress: progress)
        }
        let now = clock.now
        let found = items.items.map { item in
            KeyringItem(
                attributes: item.attributes, secret: item.secret, writtenAt: item.writtenAt.map { min($0, now) })
        }
        let tool = items.secrets.withBytes { bytes in
            ToolFile(
                items.tool, found, lockedCount: items.lockedCount, reading: bytes, gitHubUsers: items.gitHubUsers,
                clientID: clientID)
        }
        var report = try importFile(
            tool, items.secrets, in: groups, bringsBackRemoved: bringsBackRemoved, taking: [], isDryRun: isDryRun,
            progress: progress)
        if items.tool == .msal { report.format = .msal }
        return report
    }
}
