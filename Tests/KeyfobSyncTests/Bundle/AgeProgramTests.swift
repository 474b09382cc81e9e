import KeyfobAge
import KeyfobSodium
import KeyfobModel
import KeyfobSync
import KeyfobTestSupport
import Testing

@Suite("A bundle, without Keyfob")
struct AgeProgramTests {
    @Test("age and jq read a bundle", arguments: [Age.Encoding.binary, .armored])
    func jq(encoding: Age.Encoding) throws {
        let items = [
            Bundled(.account(Sample.account("ada", label: "Lab"))),
            Bundled(.credential(Sample.refreshToken("ada")), secret: "refresh \"token\""),
        ]
        let file = try BundleSample.file(items, encoding: encoding)
        let identity = contents(of: BundleSample.identity().text())
        let filter = #"select(.kind == "credential" or .kind == "account") | .account.label // .secret"#
        let (status, output) = try AgeProgram.decrypted(file, identity: identity, filter: filter)
        #expect(status == 0)
        #expect(Set(output.split(separator: "\n")) == ["Lab", "refresh \"token\""])
    }
}
