import Foundation
import Keyfob
import KeyfobSodium
import KeyfobTestSupport
import Testing

@testable import KeyfobAgent

/// A door by which a program in Swift, or one at the agent, removes what the keyring has of an account.
///
/// The command's, C's and Python's are in `Tests/Python/test_doors.py`.
enum RemovingDoor: String, CaseIterable {
    case broker, sharedBroker, signOut, signOutEverywhere, signOutAndForget, removal

    /// Whether the caller says by a word of its own that other clients' tokens are to go: a parameter, the name of the
    /// call, or the mark of a machine that several people use beside a right for all clients.
    var isOfAll: Bool {
        switch self {
        case .broker, .signOut: false
        case .sharedBroker, .signOutEverywhere, .signOutAndForget, .removal: true
        }
    }

    /// Removes an account, or signs it out of client "c", and with a right for all clients.
    func remove(_ account: Account, _ place: BrokerPlace) async throws {
        let accounts = place.keyring.accounts
        switch self {
        case .broker, .sharedBroker:
            try place.permit([.signOut], account: account.id)
            let id = #"{"homeAccountId":"\#(account.id.homeAccountID)","environment":"login.windows.net"}"#
            #expect(try place.call(.removeAccount, #"{"clientId":"c","account":\#(id)}"#) == [:])
        case .signOut:
            _ = try await accounts.signOut(account.id, clientID: "c", from: .default, network: nil)
        case .signOutEverywhere:
            _ = try await accounts.signOut(account.id, reach: .everywhere, from: .default, network: nil)
        case .signOutAndForget:
            _ = try await accounts.signOut(account.id, reach: .forget, from: .default, network: nil)
        case .removal: _ = try accounts.remove(account.id, from: .default)
        }
    }
}

@Suite("Doors that remove", .waitsForPrograms) struct RemovingDoorTests {
    @Test(
        "take what the asking client has, that of others by a word of its own alone, and an undo brings all back",
        arguments: RemovingDoor.allCases)
    func doors(door: RemovingDoor) async throws {
        let place = try BrokerPlace(isShared: door == .sharedBroker)
        let (ada, bob) = (try place.store("ada"), try place.store("bob"))
        try store("c", of: ada, place, [.refreshToken])
        try store("other", of: ada, place, [.refreshToken, .accessToken, .idToken])
        let (before, others) = (try cache(place), try tokens(place) { $0 != "c" })
        try await door.remove(ada, place)
        #expect(try tokens(place) { $0 == "c" } == ["c token-of-bob"])
        #expect(try tokens(place) { $0 != "c" } == (door.isOfAll ? [] : others))
        _ = try place.keyring.undo.undo()
        #expect(try cache(place) == before)
        #expect(try place.clients(of: bob) == ["c"])
    }

    @Test("by varlink no program removes anything: a method that does belongs into the table above")
    func varlink() {
        let methods = AgentInterface.description.split(separator: "\n").filter { $0.hasPrefix("method ") }
            .map { $0.dropFirst("method ".count).prefix { $0 != "(" } }
        let known = ["Accounts", "Token", "Select", "SignIn", "Lock", "Forget", "Unlock", "Status", "Monitor"]
        #expect(Set(methods.map(String.init)) == Set(known))
    }

    private func store(
        _ client: String, of account: Account, _ place: BrokerPlace, _ kinds: [Credential.Kind]
    ) throws {
        let now = WallClock.system.now
        for kind in kinds {
            var token = Credential(kind: kind, account: account.id, clientID: client, cachedAt: now)
            if kind != .refreshToken { token.realm = BrokerPlace.tenant }
            if kind == .accessToken { (token.scopes, token.expiresOn) = (["User.Read"], now.advanced(by: 3_600)) }
            _ = try place.keyring.tokens.store(token, secret: secret("\(kind)-of-\(client)"), for: account)
        }
    }

    /// All that the keyring has, as another program reads it.
    private func cache(_ place: BrokerPlace) throws -> NSDictionary {
        var bytes: [UInt8] = []
        _ = try place.keyring.caches.exportMSAL { piece in bytes += contents(of: SecretBytes(copying: piece)) }
        return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary)
    }

    /// The access and refresh tokens of some clients.
    private func tokens(_ place: BrokerPlace, where isMeant: (String) -> Bool) throws -> [String] {
        let cache = try cache(place)
        return ["AccessToken", "RefreshToken"].flatMap { section in
            (cache[section] as? [String: [String: Any]] ?? [:]).values.compactMap { entry in
                guard let client = entry["client_id"] as? String, let secret = entry["secret"] as? String,
                    isMeant(client)
                else { return nil }
                return "\(client) \(secret)"
            }
        }.sorted()
    }
}
