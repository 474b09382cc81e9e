internal import Glibc
internal import KeyfobInterop
internal import KeyfobSodium

extension Keyring {
    /// A form of token cache that can be imported.
    public enum CacheFormat: String, Hashable, Sendable, CaseIterable {
        /// The unified cache of the MSAL libraries.
        case msal
        /// A cache of ADAL, which came before MSAL.
        case adal

        /// The format that the first bytes of a cache tell; nil where they tell none.
        public init?(recognizing cache: borrowing SecretBytes) {
            let format: CacheFormat? = cache.withBytes { bytes in
                if ADALCache.isRecognized(bytes) { return .adal }
                return bytes.byteCount > 0 && bytes.byte(at: 0) == UInt8(ascii: "{") ? .msal : nil
            }
            guard let format else { return nil }
            self = format
        }
    }

    /// Takes over the accounts and tokens of a token cache whose format its content tells.
    ///
    /// - Parameters:
    ///   - cache: The file's bytes.
    ///   - azureProfile: The bytes of the `azureProfile.json` beside it, for nicer labels.
    ///   - groups: The first is where the items go; nil for `default`, or the only one within reach.
    ///   - bringsBackRemoved: Whether accounts come back that were removed from the group.
    ///   - isTakenOver: Whether the program that the cache came from is about to lose its refresh tokens, see
    ///     ``cacheWithoutRefreshTokens(_:)``; otherwise it shares the sign-ins from now on, which is a warning.
    ///   - isDryRun: Whether to find out only what would be done.
    ///   - utcOffset: How many seconds the clock on the wall was ahead of UTC at a moment, because ADAL for Python
    ///     writes times without a zone; nil for the system's time zone.
    ///   - progress: Called with the number of entries done and of all.
    /// - Throws: `damaged` when the bytes are no such cache, `limitExceeded`, and what writing can throw;
    ///   nothing is imported then.
    public func importCache(
        _ cache: borrowing SecretBytes, azureProfile: borrowing SecretBytes? = nil,
        in groups: [AccessGroup]? = nil, bringsBackRemoved: Bool = false, isTakenOver: Bool = false,
        isDryRun: Bool = false,
        utcOffset: ((Timestamp) -> Int64)? = nil,
        progress: (Int, Int) -> Void = { _, _ in }
    ) throws(KeyringError) -> ImportReport {
        guard cache.withBytes({ $0.byteCount == 0 || $0.byte(at: 0) != UInt8(ascii: "<") }) else {
            throw KeyringError(
                .damaged, "the file is XML, and property lists are read in their binary form only",
                advice: .convertPropertyList)
        }
        guard CacheFormat(recognizing: cache) == .adal else {
            return try importMSALCache(
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
        let importer = ADALImport(
            cache: parsed.contents, labels: Self.labels(azureProfile, for: parsed.contents.accounts, &remarks),
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
