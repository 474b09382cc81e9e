import Testing

@testable import KeyfobInterop

@Suite("The contexts of a kubeconfig")
struct KubectlContextsTests {
    private static func file(_ contexts: [(String, String)], current: String?) -> [UInt8] {
        let list = contexts.map { "- context:\n    cluster: c\n    user: \($1)\n  name: \($0)\n" }.joined()
        return Array(
            ("apiVersion: v1\n" + (list.isEmpty ? "" : "contexts:\n\(list)")
                + (current.map { "current-context: \($0)\n" } ?? "") + "kind: Config\n").utf8)
    }

    private static let three = [("dev", "admin"), ("prod", "admin"), ("stage", "keyfob")]

    @Test(
        "which one is changed is said, with whom it used, and which others there are",
        arguments: [
            ([], nil, "keyfob", ["and where it is used: kubectl config set-context --current --user=keyfob"]),
            (
                [("dev", "admin")], "dev", "keyfob",
                [
                    "and where it is used: kubectl config set-context dev --user=keyfob (the current context; it uses 'admin' now)"
                ]
            ),
            (
                three, "prod", "keyfob",
                [
                    "and where it is used: kubectl config set-context prod --user=keyfob (the current context; it uses 'admin' "
                        + "now; other contexts: dev, stage)"
                ]
            ),
            (
                three, "prod", "stage",
                [
                    "and where it is used: kubectl config set-context stage --user=stage (not the current context; it uses "
                        + "'keyfob' now; other contexts: dev, prod)"
                ]
            ),
            (
                three, "porduction", "keyfob",
                [
                    "the current context, 'porduction', is not in the file",
                    "and where it is used: kubectl config set-context dev --user=keyfob (or another context: prod, stage)",
                ]
            ),
            (
                three, "satge", "keyfob",
                [
                    "the current context, 'satge', is not in the file; did you mean 'stage'? kubectl config use-context stage",
                    "and where it is used: kubectl config set-context stage --user=keyfob (or another context: dev, prod)",
                ]
            ),
            (
                three, nil, "keyfob",
                [
                    "no context is the current one",
                    "and where it is used: kubectl config set-context dev --user=keyfob (or another context: prod, stage)",
                ]
            ),
        ] as [([(String, String)], String?, String, [String])])
    func ways(contexts: [(String, String)], current: String?, user: String, said: [String]) {
        #expect(KubectlContexts(in: Self.file(contexts, current: current)).ways(toUse: user) == said)
    }

    @Test("of a file that is not as kubectl writes it there are none")
    func unknown() {
        #expect(KubectlContexts(in: Array("]".utf8)).all.isEmpty)
        #expect(KubectlContexts(in: []).all.isEmpty)
    }
}
