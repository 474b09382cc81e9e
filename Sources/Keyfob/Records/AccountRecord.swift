internal import KeyfobModel
package import KeyfobSelection

/// What doors show of an account.
package enum AccountRecord {
    /// The fields, by one name at every door.
    package static let fields: [Record.Field<Candidate>] = [
        .text("id", "what names the account everywhere") { $0.account.id.description },
        .text("homeAccountID") { $0.account.id.homeAccountID },
        .text("environment", "the provider's host") { $0.account.id.environment },
        .text("username") { $0.account.username },
        .text("name", "what people call it") { $0.account.name },
        .optional("displayName") { $0.account.displayName },
        .optional("label") { $0.account.label },
        .texts(
            "formerNames", "ids and user names it had before; each finds it, unless another account is called so now"
        ) {
            $0.account.formerNames
        },
        .text("group") { $0.group.name },
        .text("state", "signedIn, tokensOnly, signedOut, needsSignIn or noCredentials") { $0.state.name },
        .optional("stateReason", "why the provider wants a sign-in") {
            if case .needsSignIn(let reason) = $0.state { reason } else { nil }
        },
        .time("signInEndsOn", "when its refresh token ends, where that is known") { $0.end?.endsOn },
        .flag("isSignInEnding", "whether that is soon") { $0.end?.isNear(WallClock.system.now) ?? false },
        .flag("isDefault", "whether it is its group's default account") { $0.isDefault },
        .init("hasTokenMadeByHand", .flag, isOptional: true, "only where that is so") {
            $0.hasTokenMadeByHand ? .flag(true) : nil
        },
        .optional("homeTenant") { $0.account.homeRealm },
        .init("tenants", .objects(type: "Tenant", fields: ["id", "localAccountID", "username"])) {
            .objects($0.account.tenantProfiles.map { [$0.realm, $0.localAccountID, $0.username] })
        },
        .texts("clients", "the OAuth clients that hold a token of it") { $0.clientIDs.sorted() },
    ]
}

extension Record {
    /// What is shown of an account.
    package init(_ candidate: Candidate) { self.init(candidate, AccountRecord.fields) }
}
