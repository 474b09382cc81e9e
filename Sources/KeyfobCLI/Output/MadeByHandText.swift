internal import Keyfob

/// What is said of tokens that somebody has put into the desktop's keyring by hand.
enum MadeByHandText {
    /// What the doctor says of them.
    static func findings(_ found: Keyring.TokensMadeByHand) -> [Finding] {
        found.tokens.map { token in
            let account = ShellWord.inMessage(token.account.description)
            let group = token.group == .default ? "" : " --group \(token.group)"
            let scope = token.scopes.isEmpty ? "" : " --scope \(ShellWord.inMessage(token.scopes.description))"
            return Finding(
                "storage", .ok,
                "the token of \(token.account) was put into the desktop's keyring by hand (\(token.item)), and "
                    + (token.expiresOn.map { "ends at \($0.rfc3339)" } ?? "nothing says when it ends"),
                hint: "'keyfob add \(account)\(group)\(scope)' stores one in its place")
        }
            + found.unusable.map { unusable in
                Finding(
                    "storage", .warning,
                    "the item \(unusable.item) of the desktop's keyring looks like a token that was put there by hand, and can't be used: "
                        + "\(reason(unusable.fault))",
                    hint: hint(unusable.fault))
            }
    }

    private static func reason(_ fault: HandMadeTokenFault) -> String {
        switch fault {
        case .attributes: "its attributes do not say whose it is"
        case .empty: "it is empty"
        case .controlCharacters: "it holds control characters, as no token does"
        }
    }

    private static func hint(_ fault: HandMadeTokenFault) -> String {
        switch fault {
        case .attributes:
            "its attribute 'account' must be USER@HOST in small letters, 'group' one of the vault's, and 'expires' like "
                + "2026-12-31T23:59:59Z; the last two may be missing"
        case .empty, .controlCharacters: "store the token there once more, or delete the item"
        }
    }
}
