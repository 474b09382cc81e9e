internal import ArgumentParser
internal import FoundationEssentials
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobTerminal

/// What another program that is the session's identity broker says of the accounts to choose from.
///
/// It stands beside the verdicts and has no part in them: whoever owns a name on the bus says what they like.
struct BrokerEvidence {
    let accounts: [SessionBrokerAccount]

    /// Whether the broker has the account too.
    func has(_ account: Account) -> Bool { accounts.contains { $0.id.canonical == account.id.canonical } }

    /// Those that are none of these accounts.
    func others(than known: [Candidate]) -> [SessionBrokerAccount] {
        let ids = Set(known.map(\.account.id.canonical))
        return accounts.filter { !ids.contains($0.id.canonical) }
    }
}

/// Whether the broker is asked.
struct BrokerEvidenceOptions: ParsableArguments {
    @Flag(
        name: .customLong("broker"),
        help: "Tell which of them another program that is the identity broker has too, and whom else.")
    var asksBroker = false

    /// For how long it is waited.
    private static let patience = Duration.seconds(3)

    /// What the broker says; nil where it is not to be asked or says nothing of use, which is told.
    ///
    /// To be called before keys are at hand: the answer is a stranger's.
    func evidence(for client: String?) -> BrokerEvidence? {
        guard asksBroker else { return nil }
        do throws(KeyringError) {
            let broker = try SessionBroker(
                Environment.current.variables, correlationID: UUID().uuidString.lowercased(), patience: Self.patience)
            var options = BrokerOptions()
            options.client = client ?? BrokerOptions.usualClient
            return BrokerEvidence(accounts: try broker.accounts(clientID: options.clientID))
        } catch {
            StandardError.write(line: "keyfob: warning: nothing is known of the identity broker: \(error.message)")
            return nil
        }
    }
}
