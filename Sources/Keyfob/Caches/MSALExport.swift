internal import KeyfobInterop
internal import KeyfobRecords
internal import KeyfobVault

extension Keyring {
    /// What an export wrote.
    public struct ExportReport: Hashable, Sendable {
        /// How many accounts.
        public internal(set) var accounts = 0
        /// How many tokens.
        public internal(set) var credentials = 0
        /// How many entries about clients, or that Keyfob does not know.
        public internal(set) var others = 0
        /// What was left out, one line each, with the reason.
        public internal(set) var skipped: [String] = []
        /// Whether records that do not open had to be left out.
        public internal(set) var isIncomplete = false
    }
}

extension Keyring.Caches {
    /// Writes accounts and tokens in the form in which MSAL for Python keeps its cache.
    ///
    /// The output is plain text with every token in it. It goes out in pieces of up to 64 KiB, which
    /// the closure must not keep.
    ///
    /// - Parameters:
    ///   - groups: The groups to write; nil for all within reach.
    ///   - account: Only this account; nil for all.
    ///   - output: Takes a piece.
    /// - Throws: `groupNotGranted`, `noSuchGroup`, `damaged`, and what `output` throws.
    public func exportMSAL(
        in groups: [AccessGroup]? = nil, account: AccountID? = nil,
        to output: (RawSpan) throws(KeyringError) -> Void
    ) throws(KeyringError) -> Keyring.ExportReport {
        try withState { state in
            let groups = try state.groups(groups)
            var writer = MSALCacheWriter()
            var report = Keyring.ExportReport()
            for kind in [Credential.Kind.accessToken, .refreshToken, .idToken] {
                writer.begin(kind.section)
                for group in groups {
                    try write(kind, of: group, account, &writer, &report, output)
                    if account == nil { try writeForeign(kind.section, of: group, &writer, &report, output) }
                }
            }
            writer.begin(.account)
            for group in groups {
                let found = try database.accounts(in: group.keys)
                report.leaveOut(found.damaged, of: group)
                for item in found.items where account == nil || item.value.id == account {
                    guard !item.value.tenantProfiles.isEmpty else {
                        report.skipped.append(
                            "the account \(item.value.id) in group \(group.name): it has no tenant, and MSAL lists accounts by "
                                + "tenant; its tokens are written")
                        continue
                    }
                    try writer.append(item.value, to: output)
                    report.accounts += 1
                }
                if account == nil { try writeForeign(.account, of: group, &writer, &report, output) }
            }
            writer.begin(.appMetadata)
            for group in groups {
                let found = try database.appMetadata(in: group.keys)
                report.leaveOut(found.damaged, of: group)
                for item in found.items {
                    try writer.append(item.value, to: output)
                    report.others += 1
                }
                if account == nil { try writeForeign(.appMetadata, of: group, &writer, &report, output) }
            }
            if account == nil {
                for group in groups { try writeForeign(nil, of: group, &writer, &report, output) }
            }
            try writer.finish(to: output)
            return report
        }
    }

    private func write(
        _ kind: Credential.Kind, of group: UnlockedVault.Group, _ account: AccountID?,
        _ writer: inout MSALCacheWriter, _ report: inout Keyring.ExportReport,
        _ output: (RawSpan) throws(KeyringError) -> Void
    ) throws {
        let found = try database.credentials(kind, in: group.keys)
        report.leaveOut(found.damaged, of: group)
        for item in found.items
        where account == nil || item.value.account == account {
            // A grant that has ended has no token.
            guard item.record.secretCommitment != nil, !item.value.isKeyfobs else { continue }
            let secret = try database.secret(of: item.record, in: group.keys)
            switch try writer.append(item.value, secret: secret, to: output) {
            case .written: report.credentials += 1
            case .secretIsNotText:
                report.skipped.append("a token of \(item.value.account) in group \(group.name): it is not text")
            }
        }
    }

    private func writeForeign(
        _ section: MSALSection?, of group: UnlockedVault.Group, _ writer: inout MSALCacheWriter,
        _ report: inout Keyring.ExportReport, _ output: (RawSpan) throws(KeyringError) -> Void
    ) throws {
        let found = try database.foreignEntities(in: group.keys)
        if section == nil { report.leaveOut(found.damaged, of: group) }
        for item in found.items where item.value.first == section?.rawValue ?? "" {
            guard let key = item.value.last else { continue }
            let json = try database.secret(of: item.record, in: group.keys)
            if section == nil {
                try writer.append(foreignNode: key, json: json, to: output)
            } else {
                try writer.append(foreignEntity: key, json: json, to: output)
            }
            report.others += 1
        }
    }
}

extension Keyring.ExportReport {
    fileprivate mutating func leaveOut(_ damaged: [String], of group: UnlockedVault.Group) {
        skipped += damaged.map { "group \(group.name): \($0) does not open" }
        if !damaged.isEmpty { isIncomplete = true }
    }
}

extension Credential.Kind {
    fileprivate var section: MSALSection {
        switch self {
        case .accessToken: .accessToken
        case .refreshToken: .refreshToken
        case .idToken: .idToken
        }
    }
}
