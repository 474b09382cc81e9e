internal import Keyfob

extension Keyring {
    /// What an account is called among those that are within reach.
    func shownName(of candidate: Candidate, in groups: [AccessGroup]?) -> String {
        let known = (try? accounts.list(in: groups)) ?? []
        return AccountNaming(among: known + [candidate]).brief(candidate.account)
    }
}
