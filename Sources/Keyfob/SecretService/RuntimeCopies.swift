internal import KeyfobModel
internal import KeyfobSecretService
internal import KeyfobSodium

/// The copies that MSAL's native runtime keeps of tokens in the Secret Service, whoever its broker is: items of the schema
/// `com.microsoft.identity.secret` that name the client and the account by their SHA-256.
///
/// Its own sign-out reaches no broker, and a broker's does not reach them: whoever signs somebody out deletes them.
package enum RuntimeCopies {
    /// Deletes those of an account at one of Microsoft's clouds and some clients; asks nobody.
    ///
    /// - Returns: How many are gone; none where there is no Secret Service.
    /// - Throws: `locked`, and what else keeps it from deleting what is there.
    @discardableResult
    package static func remove(
        of account: AccountID, clientIDs: [String], _ options: SecretServiceOptions
    ) throws(KeyringError) -> Int {
        guard EnvironmentAliases.isMicrosoft(account.environment) else { return 0 }
        var options = options
        options.mayPrompt = false
        let service: SecretService
        do throws(KeyringError) { service = try options.connected() } catch  where error.code == .unavailable {
            return 0
        }
        var count = 0
        do {
            for clientID in clientIDs {
                let found = try service.search(attributes(of: account, clientID: clientID), in: nil).items
                for item in found { try delete(item, service) }
                count += found.count
            }
        } catch {
            throw KeyringError(error)
        }
        return count
    }

    private static func delete(_ item: SecretService.ItemPath, _ service: SecretService) throws(SecretServiceError) {
        do throws(SecretServiceError) { try service.delete(item) } catch {
            if error != .noItem { throw error }
        }
    }

    static func attributes(of account: AccountID, clientID: String) -> [String: String] {
        [
            "xdg:schema": "com.microsoft.identity.secret", "haid": digest(account.homeAccountID),
            "clientid": digest(clientID),
        ]
    }

    private static func digest(_ text: String) -> String {
        Hexadecimal.text(Array(text.utf8).withBytes { SHA256.hash($0) })
    }
}
