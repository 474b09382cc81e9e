internal import KeyfobModel

/// The contexts of a kubeconfig: in which of them kubectl uses which user, and which one is the current one.
package struct KubectlContexts {
    /// A context's name, and its user where it has one.
    package let all: [(name: String, user: String?)]
    private let current: String?

    /// Those of a file's text; none where it is not as kubectl writes it.
    package init(in text: [UInt8]) {
        let configuration = text.isEmpty ? nil : try? KubeconfigText(text)
        (all, current) = (configuration?.contexts ?? [], configuration?.currentContext)
    }

    /// How one says that a user is used: for the context of its name, else for the current one; one line each.
    package func ways(toUse user: String) -> [String] {
        let quoted = ShellWord.quoted(user)
        guard let first = all.first else {
            return ["and where it is used: kubectl config set-context --current --user=\(quoted)"]
        }
        guard let chosen = all.first(where: { $0.name == user }) ?? all.first(where: { $0.name == current }) else {
            let name = near ?? first.name
            let way = "and where it is used: kubectl config set-context \(ShellWord.quoted(name)) --user=\(quoted)"
            let others = all.count == 1 ? "" : " (or another context: \(list(besides: name)))"
            return missing + [way + others]
        }
        var remarks = [chosen.name == current ? "the current context" : "not the current context"]
        if let former = chosen.user, former != user { remarks.append("it uses '\(former)' now") }
        if all.count > 1 { remarks.append("other contexts: \(list(besides: chosen.name))") }
        return [
            "and where it is used: kubectl config set-context \(ShellWord.quoted(chosen.name)) --user=\(quoted) "
                + "(\(remarks.joined(separator: "; ")))"
        ]
    }

    /// The context that the current one is nearly called as.
    private var near: String? { current.flatMap { NearestWord.of($0, among: all.map(\.name)) } }

    /// What is to be said of a current context that is not there.
    private var missing: [String] {
        guard let current, !current.isEmpty else { return ["no context is the current one"] }
        return [
            "the current context, '\(current)', is not in the file"
                + (near.map { "; did you mean '\($0)'? kubectl config use-context \(ShellWord.quoted($0))" } ?? "")
        ]
    }

    /// The most names that a line lists.
    private static let listed = 5

    private func list(besides name: String) -> String {
        let others = all.map(\.name).filter { $0 != name }
        let rest = others.count - Self.listed
        return others.prefix(Self.listed).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
}
