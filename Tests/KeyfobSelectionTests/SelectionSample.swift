import KeyfobModel
import KeyfobSelection
import Testing

/// Accounts, bindings and events to choose from.
enum SelectionSample {
    static func candidate(
        _ name: String, group: AccessGroup = .default, environment: String = "idp.example",
        state: Candidate.SignInState = .signedIn, tokens: [ScopeSet] = [], grant: ScopeSet = [],
        isDefault: Bool = false
    ) throws -> Candidate {
        let id = try #require(AccountID(homeAccountID: name, environment: environment))
        return Candidate(
            account: Account(id: id, username: "\(name)@contoso.example"), group: group, state: state,
            clientIDs: ["tool"], tokenScopes: tokens, grantScopes: grant, isDefault: isDefault)
    }

    static func address(_ text: String) -> ResourceURL {
        let parts = text.split(separator: "/").map(String.init)
        return ResourceURL(host: parts[0], path: Array(parts.dropFirst()))
    }

    static func context(_ text: String) -> UsageContext {
        UsageContext(address(text)) { UsageTag(of: $0.joined(separator: "\u{0}")) }
    }

    /// `count` choices of an account at an address, an hour apart, the last one at `end`.
    static func events(_ candidate: Candidate, at text: String, count: Int, end: Int64) -> [UsageEvent] {
        (0..<count).map { index in
            UsageEvent(
                time: Timestamp(seconds: end - Int64(count - 1 - index) * 3_600), account: candidate.tag,
                context: context(text))
        }
    }

    static func binding(
        _ subject: Binding.Subject, _ candidate: Candidate?, from origin: Binding.Origin = .keyring(.default),
        by writer: DecisionWriter = .owner
    ) -> Binding {
        Binding(subject, to: candidate.map { .account($0.account.id) } ?? .nobody, from: origin, by: writer)
    }
}
