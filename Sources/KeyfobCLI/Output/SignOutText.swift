internal import Keyfob

/// What people read of a sign-out: what is removed here, what the provider still takes, and what brings it back.
struct SignOutText {
    private let report: SignOutReport
    private let group: AccessGroup
    private let isForgotten: Bool
    private let isErased: Bool
    private let name: String
    private let isSynced: Bool

    init(_ report: SignOutReport, _ group: AccessGroup, forget: Bool, isErased: Bool, _ keyring: Keyring) {
        self.report = report
        self.group = group
        self.isErased = isErased
        isForgotten = forget
        name = keyring.accounts.shownName(of: report.account)
        isSynced = keyring.sync.isSetUp
    }

    /// Writes what went wrong to standard error.
    func warn(_ global: GlobalOptions) {
        for note in report.notes { global.say("keyfob: warning: \(TimeText.local(in: note.text))") }
    }

    /// Writes it to standard error.
    ///
    /// - Parameter isOneOfMany: Whether what brings it back is told for all accounts at once.
    func tell(_ global: GlobalOptions, isOneOfMany: Bool = false) {
        warn(global)
        if report.clients.isEmpty, !isForgotten {
            let elsewhere = isSynced ? "; where it is, 'keyfob logout' there signs it out" : ""
            global.say("\(name) was not signed in here (group \(group))\(elsewhere)")
        } else if report.tokens.isEmpty, !isForgotten {
            global.say("\(name) was signed out already (group \(group))")
        } else {
            global.say("\(name) is signed out\(isForgotten ? " and removed" : "") (group \(group))")
        }
        for line in provider { global.say(line) }
        if isErased, !report.clients.isEmpty || isForgotten {
            if !isOneOfMany { Self.tellErased(global) }
        } else if let undo = report.undo {
            if !isOneOfMany { UndoText.offer(undo.id, undo.until, global) }
            UndoText.tellDisplaced(undo.displaced, global)
        } else if report.revoked > 0 {
            global.say("'keyfob undo' cannot bring it back: the provider has revoked the sign-in")
        }
    }

    /// Says where more may be of what nothing brings back here.
    static func tellErased(_ global: GlobalOptions) {
        global.say("nothing is kept here for an undo; earlier backups may have it: 'keyfob backup --list'")
    }

    /// What was revoked at the provider, and what it still takes.
    private var provider: [String] {
        let (host, now) = (report.account.id.environment, WallClock.system.now)
        var lines: [String] = []
        if report.revoked > 0 { lines.append("\(Quantity.of(report.revoked, "refresh token")) revoked at \(host)") }
        let tokens = report.tokens.filter { $0.kind == .accessToken }
        for token in tokens where token.expiresOn == nil && token.fate == .staysValid {
            let scopes = token.scopes.isEmpty ? "" : " for \(token.scopes)"
            lines.append("its token\(scopes) stays valid at \(host) and never ends" + page)
        }
        for (fate, verb) in [(SignedOutToken.Fate.staysValid, "stays"), (.mayStayValid, "may stay")] {
            guard let end = tokens.filter({ $0.fate == fate }).compactMap(\.expiresOn).max() else { continue }
            lines.append("an access token \(verb) valid at \(host) until \(TimeText.moment(end, now: now))")
        }
        // The warnings tell of the refresh token.
        let isLeft = report.tokens.contains { $0.kind == .refreshToken && $0.fate == .staysValid }
        if isLeft, let page = report.revocationPage { lines.append("its sign-in can be ended at \(page)") }
        return lines
    }

    private var page: String { report.revocationPage.map { ": revoke it at \($0)" } ?? "" }
}
