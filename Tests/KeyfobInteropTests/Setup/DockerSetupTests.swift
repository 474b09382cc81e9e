import KeyfobInterop
import KeyfobTestSupport
import Testing

@Suite("Setup's entries in docker's configuration")
struct DockerSetupTests {
    private let hosts = ["ghcr.io", "registry.gitlab.com"]

    static let files: [String] = [
        "{}", "{ }", "{\n}", "{\r\n}\r\n", " {} \n", "\u{FEFF}{}", #"{"credHelpers":{}}"#,
        "{\n\t\"credHelpers\": {}\n}",
        "{ \"credHelpers\" : {\n\t} }", #"{"auths":{"ghcr.io":{"auth":"c2VjcmV0"}}}"#,
        "{\n\t\"auths\": {},\n\t\"credsStore\": \"pass\"\n}",
        "{\r\n  \"auths\": {},\r\n  \"psFormat\": \"{{.ID}}\"\r\n}\r\n",
        "{\n\t\"credHelpers\": {\n\t\t\"gcr.io\": \"gcr\"\n\t},\n\t\"auths\": {}\n}",
        #"{"credHelpers":{"a":"keyfob","b":"x"},"z":[1,2,{"credHelpers":{}}]}"#,
        "{\"auths\":{} ,\n  \"credHelpers\" :\t{ \"a\" : \"b\" , \"c\" : \"d\" } }",
        #"{"credHelpers":{"\u0067hcr.io.x":"é\n"}}"#,
        #"{"x":"\u007b\"credHelpers\": {"}"#, "{\n    \"HttpHeaders\": {\"X\": \"1\"}\n\n\n}",
        "{" + (0..<20_000).map { #""k\#($0)": {"auth": "x"}"# }.joined(separator: ",\n") + "}",
    ]

    private func expectRoundTrip(_ text: [UInt8]) throws {
        let plan = try DockerSetup.adding(hosts, to: text)
        let after = plan.edit.applied(to: text)
        #expect(try Set(DockerSetup.hosts(in: after)).isSuperset(of: hosts))
        #expect(try DockerSetup.adding(hosts, to: after).edit.isEmpty)
        let back = try DockerSetup.removing(hosts, from: after, former: plan.former)
        #expect(back.edit.applied(to: after) == text)
    }

    @Test("they come and go without a trace", arguments: files.indices)
    func roundTrip(index: Int) throws {
        let text = Array(Self.files[index].utf8)
        try expectRoundTrip(text)
        // One after the other, taken out together and the other way round.
        let first = try DockerSetup.adding([hosts[1]], to: text)
        let one = first.edit.applied(to: text)
        let both = try DockerSetup.adding(hosts, to: one).edit.applied(to: one)
        #expect(try DockerSetup.removing(hosts, from: both, former: first.former).edit.applied(to: both) == text)
        let single = try DockerSetup.removing([hosts[0]], from: both, former: first.former).edit.applied(to: both)
        #expect(
            try DockerSetup.removing([hosts[1]], from: single, former: first.former).edit.applied(to: single) == text)
    }

    @Test("a file that is not there is made as docker makes it, and says nothing without them")
    func new() throws {
        let plan = try DockerSetup.adding(["ghcr.io"], to: [])
        let text = plan.edit.applied(to: [])
        #expect(String(decoding: text, as: UTF8.self) == "{\n\t\"credHelpers\": {\n\t\t\"ghcr.io\": \"keyfob\"\n\t}\n}")
        let left = try DockerSetup.removing(["ghcr.io"], from: text, former: plan.former).edit.applied(to: text)
        #expect(DockerSetup.isBlank(left) && DockerSetup.isBlank([]))
        #expect(!DockerSetup.isBlank(Array(#"{"auths":{}}"#.utf8)) && !DockerSetup.isBlank(Array("x".utf8)))
    }

    @Test("after docker has written the file anew, they are found again, and no other goes")
    func rewritten() throws {
        let text = Array(#"{"auths":{},"credHelpers":{"gcr.io":"keyfob","ghcr.io":"keyfob","x":"y"},"more":1}"#.utf8)
        let left = try DockerSetup.removing(["ghcr.io", "x", "z"], from: text, former: .nothing).edit.applied(to: text)
        #expect(
            String(decoding: left, as: UTF8.self) == #"{"auths":{},"credHelpers":{"gcr.io":"keyfob","x":"y"},"more":1}"#
        )
        let behind = Array(#"{"credHelpers":{"x":"y" , "gcr.io":"keyfob" ,"ghcr.io":"keyfob" }}"#.utf8)
        let rest = try DockerSetup.removing(["gcr.io", "ghcr.io"], from: behind, former: .nothing).edit.applied(
            to: behind)
        #expect(String(decoding: rest, as: UTF8.self) == #"{"credHelpers":{"x":"y" }}"#)
        let all = Array(#"{"credHelpers":{"ghcr.io":"keyfob"},"auths":{}}"#.utf8)
        let list = try DockerSetup.removing(hosts, from: all, former: .some).edit.applied(to: all)
        #expect(String(decoding: list, as: UTF8.self) == #"{"credHelpers":{},"auths":{}}"#)
    }

    @Test("another helper of a registry stays, and that is told")
    func others() throws {
        let text = Array(#"{"credHelpers":{"ghcr.io":"gh"},"auths":{"registry.gitlab.com":{}}}"#.utf8)
        let plan = try DockerSetup.adding(hosts, to: text)
        #expect(
            plan.remarks.count == 2 && plan.remarks[0].contains("(gh)")
                && plan.remarks[1].contains("registry.gitlab.com"))
        #expect(
            String(decoding: plan.edit.applied(to: text), as: UTF8.self)
                == #"{"credHelpers":{"registry.gitlab.com": "keyfob","ghcr.io":"gh"},"auths":{"registry.gitlab.com":{}}}"#
        )
    }

    @Test(
        "what is no configuration of docker's, or says something twice, is left alone",
        arguments: [
            " ", "[]", "x", "{", "{}}", "\"\"", "null", #"{"credHelpers":[]}"#, #"{"credHelpers":null}"#,
            #"{"credhelpers":{}}"#, #"{"a":1,"a":2}"#, #"{"credHelpers":{},"credHelpers":{}}"#, "{\"a\":1,}",
            "// x\n{}",
            String(repeating: "[", count: 100), "{\u{0}}",
        ])
    func refused(text: String) {
        #expect(throws: SetupFlaw.self) { _ = try DockerSetup.adding(hosts, to: Array(text.utf8)) }
        #expect(throws: SetupFlaw.self) {
            _ = try DockerSetup.removing(hosts, from: Array(text.utf8), former: .nothing)
        }
    }

    @Test("every truncation is refused or comes back as it was")
    func truncated() throws {
        let text = Array("{\n\t\"auths\": {},\n\t\"credHelpers\": {\n\t\t\"gcr.io\": \"gcr\"\n\t}\n}".utf8)
        for end in 1..<text.count {
            #expect(throws: SetupFlaw.self) { _ = try DockerSetup.adding(hosts, to: Array(text[..<end])) }
        }
        for position in text.indices {
            for bit in 0..<8 {
                var flipped = text
                flipped[position] ^= 1 << bit
                if (try? DockerSetup.adding(hosts, to: flipped)) != nil { try expectRoundTrip(flipped) }
            }
        }
    }
}
