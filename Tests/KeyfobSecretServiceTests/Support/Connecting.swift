import KeyfobSecretService
import KeyfobSodium
import KeyfobTestSupport

extension SecretServiceSession {
    /// A connection to the session's service.
    func connect(
        mayPrompt: Bool = false, deadline: Duration = .seconds(30), promptDeadline: Duration = .seconds(30),
        libraries: ServiceLibraries = ServiceLibraries(), whenAsking: (@Sendable () -> Void)? = nil
    ) throws -> SecretService {
        try SecretService.connect(
            SecretServiceAccess(
                environment: environment, mayPrompt: mayPrompt, deadline: deadline, promptDeadline: promptDeadline,
                whenAsking: whenAsking), libraries: libraries)
    }
}

extension ServiceLibraries {
    /// As where sd-bus is not installed.
    static let withoutSystemd = ServiceLibraries(systemd: "libkeyfob-nothing.so.0")
    /// As where neither is.
    static let none = ServiceLibraries(systemd: "libkeyfob-nothing.so.0", libsecret: "libkeyfob-nothing.so.0")
}

/// What came of reading an item's secret.
enum Reading: Equatable {
    case bytes([UInt8])
    case failure(SecretServiceError)

    static func text(_ text: String) -> Reading { .bytes([UInt8](text.utf8)) }
}

extension SecretService {
    /// The secrets, in the order in which they came.
    func readings(of items: [ItemPath]) throws -> [Reading] {
        var readings: [Reading] = []
        try secrets(of: items) { _, result in
            switch consume result {
            case .success(let secret): readings.append(.bytes(contents(of: secret)))
            case .failure(let error): readings.append(.failure(error))
            }
        }
        return readings
    }

    /// The default collection's path.
    func defaultPath() throws -> String { try defaultCollection().path }
}

/// What Keyfob's items have.
let attributes = ["xdg:schema": "io.keyfob.Credential", "vault": "00112233445566778899aabbccddeeff", "key": "k1"]
