internal import Keyfob

/// What is said of tokens that somebody has put into the desktop's keyring by hand.
enum MadeByHandText {
    /// What the doctor says of them.
    static func findings(_ found: Keyring.TokensMadeByHand) -> [Finding] {
        found.tokens.map { token in
            let account = ShellWord.inMessage(token.account.description)
            let group = token.group == .default ? "" : " --group \(token.group)"
            return Finding(
                "storage", .ok,
                "the token of \(token.account) was put into the desktop's keyring by hand (\(token.item)), and "
                    + (token.expiresOn.map { "ends at \($0.rfc3339)" } ?? "nothing says when it ends"),
                hint: "'keyfob add \(account)\(group)' stores one in its place")
        }
            + found.unusable.map { item in
                Finding(
                    "storage", .warning,
                    "the item \(item) of the desktop's keyring looks like a token that was put there by hand, and can't be used",
                    hint:
                        "its attribute 'account' must be USER@HOST in small letters, 'group' one of the vault's, and 'expires' like "
                        + "2026-12-31T23:59:59Z; the last two may be missing")
            }
    }
}
