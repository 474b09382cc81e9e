internal import Keyfob
internal import KeyfobOAuth

/// The tokens of one account for a program behind a proxy, each for the address to which it goes.
struct ProxyGrants {
    private let acquisition: AttendedAcquisition
    private let options: RequestOptions
    private let group: AccessGroup
    /// When a token was replaced last because a host had refused it.
    private var replaced: [String: Timestamp] = [:]

    /// How many seconds pass at least before a host's refusal brings another token: a program can provoke refusals.
    private static let pause: Int64 = 60

    /// - Parameter options: They name the account.
    init(acquisition: AttendedAcquisition, options: RequestOptions, group: AccessGroup) {
        (self.acquisition, self.options, self.group) = (acquisition, options, group)
    }

    /// The token for an address.
    ///
    /// - Parameters:
    ///   - isAgain: Whether the host has refused the last one.
    ///   - claims: Those that it wants a token to be asked for with.
    /// - Throws: `hostNotAllowed` where it does not go there, and as `token`.
    mutating func token(
        for address: String, isAgain: Bool, claims: String?, minimumValidity: Int64?
    ) throws(KeyringError) -> Keyring.TokenAnswer {
        let options = try options(for: address)
        let answer = try acquisition.token(options, in: group, minimumValidity: minimumValidity)
        guard isAgain else { return answer }
        let (now, host) = (WallClock.system.now, answer.found.destination?.host ?? address)
        guard answer.found.origin == .stored || claims != nil,
            replaced[host].map({ now.seconds - $0.seconds >= Self.pause }) ?? true
        else {
            throw KeyringError(.requestRefused, "\(host) does not take the token of \(answer.found.account.name)")
        }
        replaced[host] = now
        return try acquisition.replacement(for: answer.found, options, claims: claims)
    }

    /// What a person has to do where a service wants what no other token has: one line; nil where that is not known.
    ///
    /// - Parameter text: The address, and the challenges of the service, a line each.
    func advice(_ text: String) throws(KeyringError) -> String? {
        let lines = text.split(separator: "\n").map(String.init)
        guard let address = lines.first else { return nil }
        let challenge = ResourceChallenge(lines.dropFirst().map { HTTPHeader(name: "WWW-Authenticate", value: $0) })
        let found = try acquisition.token(options(for: address), in: group, minimumValidity: nil).found
        let host = found.destination?.host ?? address
        guard let error = acquisition.keyring.tokens.stepUp(challenge, of: found, at: host) else { return nil }
        return error.message + (error.hint.map { "; \(NamedVault.completing($0))" } ?? "")
    }

    /// Makes sure that the account's tokens go to an address, without getting one.
    ///
    /// - Throws: `hostNotAllowed` where they do not.
    func requireDestination(_ address: String) throws(KeyringError) {
        _ = try acquisition.account(options(for: address), in: group)
    }

    private func options(for address: String) throws(KeyringError) -> RequestOptions {
        var options = options
        options.url = address
        // It is about one host; of the others the rule is the usual one.
        if let allowed = options.allowHost, try ResourceURL(address, option: "the address").host != allowed {
            options.allowHost = nil
        }
        return options
    }
}
