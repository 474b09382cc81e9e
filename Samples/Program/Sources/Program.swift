import KeyfobSignIn

/// Signs in where nobody is signed in, gets a token without asking, lists the accounts, and synchronises.
@main struct Program {
    static func main() async throws {
        let keyring = try Keyring.open()
        let network = try Network.ofThisMachine()
        if try keyring.accounts.list().isEmpty {
            let request = SignInRequest(provider: CommandLine.arguments[1])
            let report = try await keyring.signIns.inBrowser(request, network: network)
            print("signed in:", report.account.username)
        }
        let token = try await keyring.tokens.acquireSilently(for: TokenRequest(), network: network)
        print("a token of", token.secret.count, "bytes:", token.found.origin)
        for each in try keyring.accounts.list() { print(each.account.username, each.state.name) }
        if keyring.sync.isSetUp { print("changes:", try await keyring.sync.run(network: network).changed) }
    }
}
