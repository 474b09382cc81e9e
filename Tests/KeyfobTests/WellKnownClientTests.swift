import Foundation
import Testing

@testable import Keyfob
@testable import KeyfobOAuth

@Suite("Well-known clients")
struct WellKnownClientTests {
    @Test("each is one that its built-in provider can have", arguments: WellKnownClient.all)
    func acceptable(client: WellKnownClient) throws {
        let provider = try #require(BuiltInProviders.named(client.provider))
        #expect(provider.environment == client.environment)
        #expect(client.registration.problem == nil && client.registration.authentication == .none)
        #expect(!client.signsInByBrowser || provider.flows.contains(.authorizationCode))
        #expect(provider.flows.contains(.deviceAuthorization))
        #expect(client.source.hasPrefix("https://") && WellKnownClient.named(client.name.uppercased()) == client)
    }

    @Test("no two have a name or an id in common")
    func unique() {
        #expect(Set(WellKnownClient.all.map(\.name)).count == WellKnownClient.all.count)
        #expect(Set(WellKnownClient.all.map(\.id)).count == WellKnownClient.all.count)
    }

    @Test("they are found under any name of their host, and under no other")
    func hosts() {
        #expect(WellKnownClient.at("login.windows.net").contains { $0.name == "azure-cli" })
        #expect(WellKnownClient.at("git.example").isEmpty && RegistrationPage.of("git.example") == nil)
    }

    @Test("built-in providers of general use say where clients are registered")
    func pages() {
        for name in ["microsoft", "google", "github", "gitlab"] {
            let page = BuiltInProviders.named(name).flatMap { RegistrationPage.of($0.environment) }
            #expect(page?.url.hasPrefix("https://") == true && page?.steps.isEmpty == false, "\(name)")
        }
    }
}
