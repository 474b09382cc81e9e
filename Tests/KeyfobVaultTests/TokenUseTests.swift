import KeyfobModel
import KeyfobTestSupport
import Testing

@testable import KeyfobVault

@Suite("Records of token uses")
struct TokenUseTests {
    private let keys: GroupKeys
    private let account: AccountID

    init() throws {
        keys = try .sample()
        account = try #require(AccountID(homeAccountID: "octo", environment: "github.com"))
    }

    private func use(
        _ place: TokenUse.Place = .repository("github.com/contoso/app"), account: AccountID? = nil,
        tool: String = "git", destination: String = "github.com"
    ) -> TokenUse {
        TokenUse(
            time: 1_700_000_000, door: .front, origin: .provider, account: account ?? self.account, tool: tool,
            destination: destination, place: place)
    }

    @Test("a use comes back as it was, and all have one length")
    func roundTrip() {
        for use in [use(), use(.unknown), use(.directory("/srv/ä")), use(tool: "", destination: "")] {
            let sealed = keys.seal(use)
            #expect(sealed.count == 512 && keys.openTokenUse(sealed) == use)
            #expect(keys.seal(use) != sealed)
        }
    }

    @Test("what is too long is cut between characters, a folder's path at its beginning")
    func cut() throws {
        let long = try #require(
            AccountID(homeAccountID: String(repeating: "ü", count: 200), environment: "git.example"))
        let path = "/" + String(repeating: "ö", count: 200) + "/end"
        let use = use(
            .directory(path), account: long, tool: String(repeating: "€", count: 50),
            destination: "x" + String(repeating: "ä", count: 100))
        #expect(use.account == String(repeating: "ü", count: 64) && use.account == TokenUse.id(long))
        #expect(use.tool == String(repeating: "€", count: 10))
        #expect(use.destination.utf8.count == 111)
        guard case .directory(let shown) = use.place else {
            Issue.record("\(use.place)")
            return
        }
        #expect(shown.hasPrefix("…ö") && shown.hasSuffix("ö/end") && shown.utf8.count <= 152)
        let sealed = keys.seal(use)
        #expect(sealed.count == 512 && keys.openTokenUse(sealed) == use)
    }

    @Test("another group, epoch or key opens nothing, and no altered byte is accepted")
    func binding() throws {
        let sealed = keys.seal(use())
        #expect(try GroupKeys.sample(2).openTokenUse(sealed) == nil)
        #expect(try GroupKeys.sample(group: 2).openTokenUse(sealed) == nil)
        #expect(try GroupKeys.sample(epoch: 2).openTokenUse(sealed) == nil)
        for offset in sealed.indices { #expect(keys.openTokenUse(sealed.flipping(1, at: offset)) == nil, "\(offset)") }
        for count in [0, 71, 72, 511] { #expect(keys.openTokenUse(Array(sealed[..<count])) == nil, "\(count)") }
        #expect(keys.openTokenUse(sealed + [0]) == nil)
        #expect(keys.openTokenUse([UInt8](repeating: 0, count: 512)) == nil)
    }

    @Test("a group has a series of its own, and another with another key")
    func series() throws {
        #expect(keys.tokenUses == String(repeating: "01", count: 16) + ".1")
        #expect(try GroupKeys.sample(epoch: 2).tokenUses.hasSuffix(".2"))
    }
}
