internal import Glibc
internal import KeyfobInterop
internal import KeyfobSodium

extension Keyring {
    /// Token caches of other programs: read, written, kept up to date.
    public struct Caches: KeyringPart {
        let keyring: Keyring
    }
}

extension Keyring {
    /// A form of file that tokens can be imported from.
    public enum CacheFormat: String, Hashable, Sendable, CaseIterable {
        /// The unified cache of the MSAL libraries.
        case msal
        /// A cache of ADAL, which came before MSAL.
        case adal
        /// The `hosts.yml` of gh.
        case gh
        /// The application default credentials of gcloud.
        case gcloud
        /// The file of git-credential-store.
        case gitCredentials = "git-credentials"
        /// The configuration of docker, podman or skopeo.
        case docker
        /// A kubeconfig.
        case kubeconfig
        /// An account of oidc-agent, decrypted.
        case oidcAgent = "oidc-agent"
        /// A token file of mutt_oauth2.py, decrypted.
        case mutt = "mutt-oauth2"
        /// What programs keep in the desktop's keyring with the package `keyring` of Python.
        case pythonKeyring = "python-keyring"
        /// gcloud's own sign-ins: its `credentials.db` or `access_tokens.db`.
        case gcloudDatabase = "gcloud-database"
        /// What pizauth dumps.
        case pizauth

        /// The format that the content tells; nil where it tells none, or the file is encrypted.
        public init?(recognizing cache: borrowing SecretBytes) {
            let format: CacheFormat? = cache.withBytes { bytes in
                if ADALCache.isRecognized(bytes) { return .adal }
                if let tool = ToolFile.format(of: bytes) { return CacheFormat(tool) }
                return bytes.byteCount > 0 && bytes.byte(at: 0) == UInt8(ascii: "{") ? .msal : nil
            }
            guard let format else { return nil }
            self = format
        }

        init(_ format: ToolFile.Format) {
            self =
                switch format {
                case .gh: .gh
                case .gcloud: .gcloud
                case .gitCredentials: .gitCredentials
                case .docker: .docker
                case .kubeconfig: .kubeconfig
                case .oidcAgent: .oidcAgent
                case .mutt: .mutt
                case .pythonKeyring: .pythonKeyring
                case .gcloudDatabase: .gcloudDatabase
                case .pizauth: .pizauth
                }
        }
    }
}

extension Keyring.Caches {
    /// Takes over the accounts and tokens of a token cache, or of another tool's file, whose format its content tells.
    ///
    /// Of another tool's file the accounts are those of the hosts that it names, of GitHub, GitLab and Google where they
    /// are those, and their tokens go there alone. No such file decides where tokens of other accounts go.
    ///
    /// - Parameters:
    ///   - cache: The file's bytes.
    ///   - azureProfile: The bytes of the `azureProfile.json` beside it, for nicer labels.
    ///   - groups: The first is where the items go; nil for `default`, or the only one within reach.
    ///   - bringsBackRemoved: Whether accounts come back that were removed from the group.
    ///   - isTakenOver: Whether the program that the cache came from is about to lose its refresh tokens, see
    ///     ``withoutRefreshTokens(_:)``; otherwise it shares the sign-ins from now on, which is a warning.
    ///   - decisions: Of another tool's file, whether its clients come with their secrets: an only client is the one to
    ///     sign in with.
    ///   - writtenAt: When another tool's file was written: its tokens take the place of older ones alone.
    ///   - clientID: The client of refresh tokens that name none.
    ///   - isDryRun: Whether to find out only what would be done.
    ///   - utcOffset: How many seconds the clock on the wall was ahead of UTC at a moment, because ADAL for Python
    ///     writes times without a zone; nil for the system's time zone.
    ///   - progress: Called with the number of entries done and of all.
    /// - Throws: `damaged` when the bytes are no such cache, `limitExceeded`, and what writing can throw;
    ///   nothing is imported then.
    public func `import`(
        _ cache: borrowing SecretBytes, azureProfile: borrowing SecretBytes? = nil,
        in groups: [AccessGroup]? = nil, bringsBackRemoved: Bool = false, isTakenOver: Bool = false,
        taking decisions: DecisionKinds = [], writtenAt: Timestamp? = nil, clientID: String? = nil,
        isDryRun: Bool = false,
        utcOffset: ((Timestamp) -> Int64)? = nil,
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws(KeyringError) -> Keyring.ImportReport {
        guard !cache.withBytes({ ADALCache.isTextPropertyList($0) }) else {
            throw KeyringError(
                .damaged, "the file is XML, and property lists are read in their binary form only",
                advice: .convertPropertyList)
        }
        let isOfADAL = cache.withBytes { ADALCache.isRecognized($0) }
        let surroundings = ToolFile.Surroundings(
            writtenAt: writtenAt.map { min($0, clock.now) }, clientID: clientID,
            utcOffset: utcOffset ?? Self.systemOffset)
        if !isOfADAL, let opened = try Self.opened(cache), let tool = try Self.toolFile(opened, surroundings) {
            return try importFile(
                tool, opened, in: groups, bringsBackRemoved: bringsBackRemoved, taking: decisions, isDryRun: isDryRun,
                progress: progress)
        }
        if !isOfADAL, let tool = try Self.toolFile(cache, surroundings) {
            return try importFile(
                tool, cache, in: groups, bringsBackRemoved: bringsBackRemoved, taking: decisions, isDryRun: isDryRun,
                progress: progress)
        }
        guard isOfADAL else {
            try Self.requireKnownKind(cache)
            return try importMSAL(
                cache, azureProfile: azureProfile, in: groups, bringsBackRemoved: bringsBackRemoved,
                isTakenOver: isTakenOver, isDryRun: isDryRun, progress: progress)
        }
        let parsed: ADALCache
        do {
            parsed = try cache.withBytes { (bytes) throws(ADALCacheError) in
                try ADALCache(reading: bytes, offset: utcOffset ?? Self.systemOffset)
            }
        } catch {
            throw KeyringError(error)
        }
        var remarks: [String] = []
        let importer = CacheImport(
            cache: parsed.contents, isByName: true,
            labels: Self.labels(azureProfile, for: parsed.contents.accounts, &remarks),
            bringsBackRemoved: bringsBackRemoved)
        var report = try cache.withBytes { (bytes) throws(KeyringError) in
            try run(in: groups, isDryRun: isDryRun) { try importer.run($0, bytes, &$1, progress) }
        }
        // What was imported stays, whether or not others have it too.
        try? cache.withBytes { (bytes) throws(KeyringError) in
            try warnOfSharing(
                parsed.contents, bytes, but: report.removedAccounts, group: report.group, isTakenOver: isTakenOver)
        }
        report.format = .adal
        report.skipped = parsed.findings.map(\.description)
        report.remarks = remarks + report.remarks
        return report
    }

    /// Refuses a file that begins as none does which tokens are imported from.
    private static func requireKnownKind(_ cache: borrowing SecretBytes) throws(KeyringError) {
        let isBlank = cache.withBytes { bytes in
            (0..<bytes.byteCount).allSatisfy { [0x09, 0x0A, 0x0D, 0x20].contains(bytes.byte(at: $0)) }
        }
        guard !isBlank else { throw KeyringError(.damaged, "the file is empty", advice: .listImportKinds) }
        guard Keyring.CacheFormat(recognizing: cache) == nil, try opened(cache) == nil,
            cache.withBytes({ bytes in !CacheStart.isOfJSON(bytes) })
        else { return }
        throw KeyringError(.damaged, "the file is of no kind that is known here", advice: .listImportKinds)
    }

    private static func systemOffset(_ time: Timestamp) -> Int64 {
        var seconds = time_t(time.seconds)
        var local = unsafe tm()
        guard unsafe localtime_r(&seconds, &local) != nil else { return 0 }
        return unsafe Int64(local.tm_gmtoff)
    }
}

extension KeyringError {
    fileprivate init(_ error: ADALCacheError) {
        switch error {
        case .json(let error): self.init(error)
        case .tooManyEntries, .propertyList(.tooLarge), .propertyList(.tooManyObjects), .propertyList(.tooDeep):
            self.init(.limitExceeded, error.description)
        case .propertyList, .notACache: self.init(.damaged, error.description)
        }
    }
}

/// How a file begins.
private enum CacheStart {
    /// Whether the first sign that is no space begins an object or an array; a file that is cut or wrong behind it is told by
    /// its place.
    static func isOfJSON(_ bytes: RawSpan) -> Bool {
        let first = (0..<bytes.byteCount).first { ![0x09, 0x0A, 0x0D, 0x20].contains(bytes.byte(at: $0)) }
        return first.map { [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(bytes.byte(at: $0)) } ?? false
    }
}
