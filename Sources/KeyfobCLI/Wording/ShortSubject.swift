internal import Keyfob

extension Account {
    /// Its id at its provider, shortened, where people see it and do not type it: what stands for a name where nobody tells one.
    var shortSubject: String { shortSubject(among: []) }

    /// The same, as long as it takes to tell it from others.
    func shortSubject(among others: [Account]) -> String {
        let subject = id.homeAccountID
        // Ids of personal accounts of Microsoft begin with a half of zeros.
        var length = subject.prefix { $0 == "0" || $0 == "-" }.count + 8
        while length < subject.count,
            others.contains(where: { $0.id != id && $0.id.homeAccountID.hasPrefix(subject.prefix(length)) })
        {
            length += 4
        }
        return subject.count <= length + 1 ? subject : subject.prefix(length) + "…"
    }
}
