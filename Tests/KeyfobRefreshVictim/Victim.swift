import Foundation
import Glibc
import Keyfob
import KeyfobOAuth
import KeyfobSodium
import Synchronization

/// One silent request, and the moment at which its process dies.
final class Victim: Sendable {
    private let location: KeyringLocation
    private let key: [UInt8]
    private let provider: FileProvider
    private let deathStep: Int?
    private let deathAtProvider: String?
    private let pause: Int
    private let steps = Mutex(0)

    /// Reads the arguments of the program; nil where they make no sense.
    init?(_ arguments: [String]) {
        guard arguments.count >= 5, let key = FileManager.default.contents(atPath: arguments[3]) else { return nil }
        func option(_ name: String) -> String? {
            arguments.firstIndex(of: name).flatMap { $0 + 1 < arguments.count ? arguments[$0 + 1] : nil }
        }
        location = KeyringLocation(vault: arguments[1], state: arguments[2])
        self.key = [UInt8](key)
        provider = FileProvider(path: arguments[4], isWordless: arguments.contains("--wordless"))
        deathStep = option("--before").flatMap { Int($0) }
        deathAtProvider = option("--at-provider")
        pause = option("--pause").flatMap { Int($0) } ?? 0
    }

    /// The token, as text.
    func token() async throws -> String {
        let content = key.withBytes { SecretBytes(copying: $0) }
        let keyring = try LockedKeyring(at: location).unlock(with: .keyFile(content))
        let network = Network(send: { request, _ in await self.send(request) }, flaw: { _, _ in nil })
        return try await RefreshObservation.$willTake.withValue({ _ in self.count() }) {
            let answer = try await keyring.tokens.acquireSilently(
                for: TokenRequest(account: "ada@id.example", scopes: ["mail.read"]),
                options: SilentOptions(forcesRefresh: true), network: network)
            return answer.secret.withBytes { String(decoding: [UInt8]($0), as: UTF8.self) }
        }
    }

    private func count() {
        let number = steps.withLock { count in
            count += 1
            return count
        }
        if number == deathStep { die() }
    }

    private func send(_ request: consuming HTTPRequest) async -> HTTPExchange {
        let form = request.body?.withBytes { String(decoding: [UInt8]($0), as: UTF8.self) } ?? ""
        if deathAtProvider == "before" { die() }
        if pause > 0 { try? await Task.sleep(for: .milliseconds(pause)) }
        let answer = provider.answer(form: form)
        if deathAtProvider == "after" { die() }
        if pause > 0 { try? await Task.sleep(for: .milliseconds(pause)) }
        let body = Array(answer.body.utf8).withBytes { SecretBytes(copying: $0) }
        do {
            return .answered(try HTTPResponse(status: answer.status, body: body))
        } catch {
            return .failed(.unreachable(.refused))
        }
    }

    /// Ends the process as no handler can see.
    private func die() {
        kill(getpid(), SIGKILL)
    }
}
