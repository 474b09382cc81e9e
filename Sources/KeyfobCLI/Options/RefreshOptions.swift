internal import ArgumentParser
internal import Keyfob
internal import KeyfobLookup

/// Whether and how a token is refreshed.
struct RefreshOptions: ParsableArguments {
    @Flag(name: .long, help: "Get a new token, whatever is stored.") var forceRefresh = false

    @Option(
        name: .long,
        help: ArgumentHelp("A claims request: a JSON object, as an API's challenge has it.", valueName: "json"))
    var claims: String?

    @Flag(
        name: .long, help: "While the provider is down, use a token that has expired in its extended lifetime.")
    var extendedLifetime = false

    @Flag(name: .long, help: "Answer from what is stored; use no network.") var offline = false

    func validate() throws {
        if offline, forceRefresh || claims != nil {
            throw ValidationError("--offline goes with neither --force-refresh nor --claims")
        }
        if let flaw = ClaimsText.flaw(claims) { throw ValidationError(flaw) }
    }

    var options: SilentOptions {
        SilentOptions(forcesRefresh: forceRefresh, claims: claims, allowsExtendedLifetime: extendedLifetime)
    }
}

/// For how long a token must still be valid.
struct ValidityOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "For how many more seconds the token must be valid, at most a day; else a tenth of its lifetime, at most 300, "
                + "and one that ends sooner is given where no other can be had.", valueName: "seconds"))
    var minValidity: Int64?

    func validate() throws {
        guard minValidity.map(TokenRequest.minimumValidities.contains) ?? true else {
            throw ValidationError("--min-validity is between 0 and 86400 seconds")
        }
    }
}
