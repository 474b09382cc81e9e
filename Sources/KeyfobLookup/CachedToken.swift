package import KeyfobFiles
internal import KeyfobRecords
internal import KeyfobSelection
internal import KeyfobSQLite
package import KeyfobModel
package import KeyfobSodium
internal import KeyfobVault

/// The answer to a request from what is stored, for a program that asks once and ends.
///
/// On a miss, whatever its reason, the caller goes the ordinary way, through `Keyring`: the vault is as it was, and all
/// that the owner should be told is found and told there.
package enum CachedToken: ~Copyable {
    /// A token that is fresh, and what is known of it.
    case token(SecretBytes, TokenHits.Hit)
    /// None, and why.
    case miss(Miss)

    /// What unlocks the vault.
    package enum Key: ~Copyable {
        /// The bytes of a key file.
        case keyFile(SecretBytes)
        /// What an earlier unlock left in a kernel keyring, wrapped under a secret of `$XDG_RUNTIME_DIR/keyfob`.
        case session(runtime: String?)
    }

    /// Why nothing is answered.
    package enum Miss: Error {
        /// The Secret Service keeps the records.
        case keptElsewhere
        /// No kernel keyring holds a key; the desktop's keyring may, where the vault has a slot of it.
        case locked(isOpenedByDesktop: Bool)
        /// No vault was unlocked here yet.
        case unknown
        /// Another vault lies where the owner's was.
        case replaced
        /// The key does not open the vault, or the vault cannot be read.
        case unopened(StorageFailure)
        /// No account, or no token, is chosen.
        case refused(StorageFailure)
        /// No account's tokens go where this one is to go, or none is called as the user in the address: a tool goes on to
        /// whoever else may have a credential.
        case nobodys
        /// No token that is fresh is stored.
        case notFresh
        /// There is something that the owner should know.
        case warnings([Warning])
    }

    /// Looks for the token that `request` asks for.
    ///
    /// - Parameters:
    ///   - groups: The groups to look through, in order; nil for all within reach.
    ///   - vault: The vault's folder.
    ///   - state: The folder of what is remembered outside the vault.
    ///   - now: The time.
    ///   - isLast: Whether the process ends then, and what it has taken need not be given back.
    package static func answer(
        _ request: TokenRequest, in groups: [AccessGroup]? = nil, vault: String, state: String,
        key: consuming Key, now: Timestamp, projectFiles: ProjectFileAccess,
        isLast: Bool = false
    ) -> CachedToken {
        do throws(Miss) {
            var opened = try CachedSearch(
                in: vault, state: state, key: key, now: now, projectFiles: projectFiles, isLast: isLast)
            return opened.search.answer(&opened.lookup, request, groups, now)
        } catch {
            return .miss(error)
        }
    }
}

extension TokenSearch {
    fileprivate func answer(
        _ state: inout LookupState, _ request: TokenRequest, _ groups: [AccessGroup]?, _ now: Timestamp
    ) -> CachedToken {
        do {
            let hit = try storage.withSnapshot { () throws(StorageFailure) in
                let hit = try hitOrNobody(&state, request, groups, now)
                // What is wrong with a group that was not asked for is told as well.
                for group in state.vault.groups where !state.checked.contains(where: { $0.group == group.keys.group }) {
                    try checkState(&state, group)
                }
                return hit
            }
            guard state.warnings.isEmpty else { return .miss(.warnings(state.warnings)) }
            if state.isLeftToOthers { return .miss(.nobodys) }
            guard let hit, !hit.isAging else { return .miss(.notFresh) }
            switch hit.reason {
            case .explicit, .addressUser, .usual, .bound, .onlyOne, .onlyGranted, .indicated, .calledFrom: break
            case .groupDefault: break
            // To be remembered.
            case .learned: return .miss(.notFresh)
            }
            return .token(try hit.open(), hit)
        } catch {
            return .miss(.refused(error))
        }
    }

    /// The valid token that is stored; nil where none is, and where the choice is left to others.
    private func hitOrNobody(
        _ state: inout LookupState, _ request: TokenRequest, _ groups: [AccessGroup]?, _ now: Timestamp
    ) throws(StorageFailure) -> TokenHits.Hit? {
        do throws(StorageFailure) {
            return try stored(&state, request, in: groups, takesValid: true, now) {
                _, _, _, _ throws(StorageFailure) in
                throw LookupRefusal.needsProviders.onTheWay
            }.hit
        } catch {
            guard state.isLeftToOthers else { throw error }
            return nil
        }
    }
}
