import Foundation
import Keyfob

/// Gets a token from this user's keyring and prints its length.
func showToken() throws {
    let environment = ProcessInfo.processInfo.environment
    let location = try KeyringLocation.standard(environment: environment)
    let keyring = try LockedKeyring(at: location).unlock(with: .session)

    for candidate in try keyring.accounts.list() {
        print(candidate.group, candidate.account.name, candidate.state.name)
    }
    let request = TokenRequest(account: "ada@contoso.example", scopes: ["https://graph.microsoft.com/.default"])
    let answer = try keyring.tokens.stored(for: request)
    print(answer.found.account.name, answer.found.credential.expiresOn?.seconds ?? 0)
    answer.secret.withBytes { bytes in
        print("a token of \(bytes.byteCount) bytes")
    }
}
