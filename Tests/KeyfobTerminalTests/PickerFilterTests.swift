@testable import KeyfobTerminal
import Testing

@Suite("The filter of the picker")
struct PickerFilterTests {
    private static let filter = PickerFilter(PickerItem.samples)

    @Test(
        "a query finds what it means, best first",
        arguments: [
            ("", [0, 1, 2, 3, 4, 5]), ("   ", [0, 1, 2, 3, 4, 5]),
            ("ada", [0, 1, 3]), ("ADA", [0, 1, 3]), ("ada con", [0, 3]), ("con ada", [0, 3]),
            ("bob", [2]), ("consumers", [3]), ("ci", [5]), ("out", [2, 3]), ("山田", [4]), ("太郎", [4]), ("例え", [4]),
            ("jose", [5]), ("José", [5]), ("Jose\u{301}", [5]), ("ｊｏｓｅ", [5]), ("nobody", []), ("ada nobody", []),
            // Beginning of the user name, before the beginning of a word of it, before the inside.
            ("fab", [1, 5]), ("l", [3, 0, 1, 2, 4, 5]),
            // Scattered letters count in names, not in tenants or groups.
            ("adct", [0]), ("bcex", [2]), ("dflt", []),
            // What the choice is for is no text of the account.
            ("git.example", []), ("never", []),
        ])
    func matches(query: String, indices: [Int]) {
        #expect(Self.filter.matches(query) == indices)
    }

    @Test("beginning beats beginning of a word beats inside beats scattered, whatever the order")
    func ranks() {
        let titles = ["xaxbx", "xab", "x ab", "abx", "x-ab", "ab"]
        let filter = PickerFilter(titles.map { .sample($0) })
        #expect(filter.matches("ab").map { titles[$0] } == ["abx", "ab", "x ab", "x-ab", "xab", "xaxbx"])
        let users = PickerFilter([.sample("xab"), .sample("label", details: "ab@c")])
        #expect(users.matches("ab") == [1, 0])
    }

    @Test(
        "a query never finds less after a letter was removed", arguments: ["ada con", "signed out", "山田太郎", "jose fab"])
    func shrinking(query: String) {
        var narrower = Set(Self.filter.matches(query))
        var rest = query
        while !rest.isEmpty {
            rest.removeLast()
            let wider = Set(Self.filter.matches(rest))
            #expect(narrower.isSubset(of: wider), "\(rest)")
            narrower = wider
        }
    }

    @Test("the host of the provider is searched")
    func host() {
        let items = ["github.com", "git.example"].map {
            PickerItem(
                title: "ada", details: nil, host: $0, tenant: nil, group: "default", state: "signed in", reason: "")
        }
        #expect(PickerFilter(items).matches("github") == [0])
        #expect(PickerFilter(items).matches("git.example ada") == [1])
    }

    @Test(
        "hostile texts and queries are only texts",
        arguments: ["\u{0}", "\u{1B}[2J", ".*", "%s", "\u{301}", "\u{200D}"])
    func hostile(query: String) {
        #expect(PickerFilter([.sample("a\(query)b")]).matches("a") == [0])
        #expect(PickerFilter([]).matches(query) == [])
    }
}

extension PickerItem {
    /// Accounts as a person may have them.
    static let samples = [
        PickerItem(
            title: "work", details: "ada@contoso.example", tenant: "contoso", group: "default", state: "signed in",
            reason: "used 12 of the last 14 times for git.example/contoso/app"),
        PickerItem(
            title: "ada@fabrikam.example", details: nil, tenant: "fabrikam", group: "default", state: "signed in",
            reason: "used 2 of the last 14 times for git.example/contoso/app"),
        PickerItem(
            title: "bob@contoso.example", details: nil, tenant: "contoso", group: "default", state: "signed out",
            reason: "used 3 times for git.example, last 5 weeks ago"),
        PickerItem(
            title: "personal", details: "ada.l@outlook.example", tenant: "consumers", group: "home",
            state: "signed in", reason: "used 40 times for other hosts"),
        PickerItem(
            title: "山田太郎@例え.example", details: nil, tenant: "例え", group: "default", state: "signed in",
            reason: "never used for git.example"),
        PickerItem(
            title: "Jose\u{301}", details: "jose@fabrikam.example", tenant: "fabrikam", group: "ci",
            state: "tokens only", reason: "never used"),
    ]

    static func sample(_ title: String, details: String? = nil) -> PickerItem {
        PickerItem(title: title, details: details, tenant: nil, group: "default", state: "signed in", reason: "new")
    }
}
