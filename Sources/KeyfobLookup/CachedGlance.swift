internal import KeyfobFiles
package import KeyfobModel
internal import KeyfobRecords
package import KeyfobSelection

extension AccountGlance {
    /// Which account counts by what is stored, for a program that asks once and ends.
    ///
    /// - Returns: Nobody of a vault that is locked; nil where ``Keyring`` has to say it. The parameters are those of
    ///   ``CachedToken/answer(_:in:vault:state:key:now:projectFiles:isLast:)``.
    package static func cached(
        _ request: TokenRequest, in groups: [AccessGroup]? = nil, vault: String, state: String,
        key: consuming CachedToken.Key, now: Timestamp, projectFiles: ProjectFileAccess
    ) -> AccountGlance? {
        do throws(CachedToken.Miss) {
            var opened = try CachedSearch(
                in: vault, state: state, key: key, now: now, projectFiles: projectFiles, isLast: true)
            return try? opened.search.storage.withSnapshot { () throws(StorageFailure) in
                try opened.search.glance(&opened.lookup, request, in: groups, now)
            }
        } catch {
            if case .locked(isOpenedByDesktop: false) = error { return .nobody }
            return nil
        }
    }
}
