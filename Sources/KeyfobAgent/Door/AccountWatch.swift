internal import Keyfob

/// What happened to accounts between one look at them and the next.
struct AccountWatch {
    /// Something that happened.
    struct Event: Hashable {
        enum Kind: String {
            case signedIn
            case signedOut
            case renewed
            case mustSignIn
            /// Its refresh token is about to end.
            case endsSoon
        }

        let kind: Kind
        let account: AccountID
        let group: AccessGroup
        /// When the sign-in ends, of one that ends soon.
        var endsOn: Timestamp? = nil
    }

    /// What is known of an account in a group.
    struct Look: Hashable {
        let account: AccountID
        let group: AccessGroup
        let state: Candidate.SignInState
        /// Its access tokens.
        let tokens: Set<Token>
        /// When the sign-in ends, where that is soon.
        var endsOn: Timestamp? = nil

        struct Token: Hashable {
            let client: String
            /// Another one for each that is stored, in the same second too.
            let stamp: UInt64
        }

        fileprivate var isSignedIn: Bool { state == .signedIn || state == .tokensOnly }
        fileprivate var needsSignIn: Bool { if case .needsSignIn = state { true } else { false } }
        fileprivate var place: Place { Place(account: account, group: group) }
    }

    fileprivate struct Place: Hashable {
        let account: AccountID
        let group: AccessGroup
    }

    private var seen: [Place: Look] = [:]

    /// Begins with what there is; of a sign-in that ends soon nobody has been told yet.
    init(_ looks: [Look]) {
        seen = Self.byPlace(
            looks.map { look in
                var look = look
                look.endsOn = nil
                return look
            })
    }

    /// What is different now, in the order of the accounts, those that are gone last.
    mutating func events(_ looks: [Look]) -> [Event] {
        let now = Self.byPlace(looks)
        var events: [Event] = []
        for look in looks {
            if let kind = Self.kind(from: seen[look.place], to: look) {
                events.append(Event(kind: kind, account: look.account, group: look.group))
            }
            if let end = look.endsOn, look.isSignedIn, seen[look.place]?.endsOn != end {
                events.append(Event(kind: .endsSoon, account: look.account, group: look.group, endsOn: end))
            }
        }
        let gone = seen.values.filter { now[$0.place] == nil && ($0.isSignedIn || $0.needsSignIn) }
        for look in gone.sorted(by: { ($0.group.name, $0.account) < ($1.group.name, $1.account) }) {
            events.append(Event(kind: .signedOut, account: look.account, group: look.group))
        }
        seen = now
        return events
    }

    private static func kind(from old: Look?, to new: Look) -> Event.Kind? {
        if new.needsSignIn { return old?.needsSignIn == true ? nil : .mustSignIn }
        if new.isSignedIn {
            guard let old, old.isSignedIn else { return .signedIn }
            // What only went, because it had ended, renewed nothing.
            return new.tokens.isSubset(of: old.tokens) ? nil : .renewed
        }
        return old.map { $0.isSignedIn || $0.needsSignIn } == true ? .signedOut : nil
    }

    private static func byPlace(_ looks: [Look]) -> [Place: Look] {
        Dictionary(looks.map { ($0.place, $0) }) { $1 }
    }
}

extension AgentDesk {
    /// What is known of the accounts that a program may list.
    func looks(for caller: AgentCaller) throws(KeyringError) -> [AccountWatch.Look] {
        let keyring = try vault.keyring()
        var looks: [AccountWatch.Look] = []
        for candidate in try watched(for: caller) {
            let tokens = try keyring.accounts.accessTokenStamps(of: candidate.account.id, in: candidate.group)
            looks.append(
                AccountWatch.Look(
                    account: candidate.account.id, group: candidate.group, state: candidate.state,
                    tokens: Set(tokens.map { AccountWatch.Look.Token(client: $0.clientID, stamp: $0.stamp) }),
                    endsOn: candidate.end.flatMap { $0.isNear(clock.now) ? $0.endsOn : nil }))
        }
        return looks
    }
}
