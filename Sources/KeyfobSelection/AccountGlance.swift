public import KeyfobModel

/// Which account counts in a place, as far as that shows at once: for a prompt, which is drawn again and again.
public enum AccountGlance: Hashable, Sendable {
    /// This account; and whether a person has to sign in before it gets a token.
    case account(Account, needsSignIn: Bool)
    /// Several fit, or there are so many that it takes longer to find out.
    case several
    /// None fits.
    case nobody

    /// What follows from a selection.
    package init(_ selection: Selection) {
        switch selection.outcome {
        case .chosen(let candidate), .meantInVain(let candidate, _, _), .boundInVain(_, let candidate, _):
            self.init(candidate)
        case .ambiguous, .contradiction: self = .several
        case .nobodyNamed, .boundToNobody, .nobody: self = .nobody
        }
    }

    /// An account that is meant.
    package init(_ candidate: Candidate) {
        let needsSignIn =
            switch candidate.state {
            case .signedIn, .tokensOnly: false
            case .signedOut, .needsSignIn, .noCredentials: true
            }
        self = candidate.isRemoved ? .nobody : .account(candidate.account, needsSignIn: needsSignIn)
    }

    /// Of more accounts in a group not all are looked at.
    public static let limit = 64

    /// What a prompt shows: the account's label or user name, with `(sign in)` where its sign-in has ended; `?` for several, and
    /// nothing for none.
    ///
    /// Whoever writes to a group names its accounts: what a shell or a terminal would obey is `_`.
    public var promptText: String {
        switch self {
        case .account(let account, let needsSignIn): Self.plain(account.name) + (needsSignIn ? " (sign in)" : "")
        case .several: "?"
        case .nobody: ""
        }
    }

    private static func plain(_ name: String) -> String {
        func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
            // In prompts of bash, zsh and fish, and of programs that draw them.
            "$`\\%!".unicodeScalars.contains(scalar) || Identifier.isObeyedByTerminals(scalar)
        }
        guard name.unicodeScalars.contains(where: isObeyed) else { return name }
        return String(String.UnicodeScalarView(name.unicodeScalars.map { isObeyed($0) ? "_" : $0 }))
    }
}
