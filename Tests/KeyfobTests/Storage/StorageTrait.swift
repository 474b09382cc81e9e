import Keyfob
import KeyfobTestSupport
import Testing

extension StoragePlace {
    /// Where the keyrings that a test makes are to lie.
    @TaskLocal static var ofTest = StoragePlace.embedded
}

/// A program that is the Secret Service.
enum DesktopService: String, CaseIterable {
    case keyring = "GNOME's keyring"
    /// Which confirms nothing.
    case keePassXC = "KeePassXC"
    /// As it is when nobody has changed its settings: it asks before each item that a program reads for the first time.
    case askingKeePassXC = "KeePassXC that asks"

    /// The one that keeps the records which a test lets a Secret Service keep.
    @TaskLocal static var ofTest = DesktopService.keyring

    /// How it is started.
    var service: SecretServiceSession.Service {
        switch self {
        case .keyring: .keyring
        case .keePassXC: .keePassXCOnScreen(asking: false)
        case .askingKeePassXC: .keePassXCOnScreen(asking: true)
        }
    }
}

extension DesktopService {
    /// Whether the order in which records were made is that in which they are listed: KeePassXC's items have random names,
    /// and what a test writes, it writes at one time.
    var tellsOrder: Bool { self == .keyring }
}

extension [Candidate] {
    /// The accounts as they are listed; by their ids where the service does not tell their order.
    var inOrder: [Candidate] {
        DesktopService.ofTest.tellsOrder ? self : sorted { $0.account.id < $1.account.id }
    }
}

/// Runs a test once for each of some storages, with a suite's value of its own each time.
///
/// What goes wrong says with which storage.
struct EachStorageTrait: SuiteTrait, TestTrait, TestScoping {
    let storages: [StoragePlace]
    /// The services for those tests that a Secret Service keeps the records of.
    var services: [DesktopService] = [.keyring]
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        for storage in storages {
            for service in storage == .secretService ? services : [.keyring] {
                let telling = IssueHandlingTrait.compactMapIssues { issue in
                    var issue = issue
                    issue.comments.append("The storage is \(storage.rawValue), the service \(service.rawValue).")
                    return issue
                }
                try await DesktopService.$ofTest.withValue(service) {
                    try await StoragePlace.$ofTest.withValue(storage) {
                        try await telling.provideScope(for: test, testCase: testCase, performing: function)
                    }
                }
            }
        }
    }
}

/// Runs a test of a suite with one of the storages alone.
struct OneStorageTrait: TestTrait, TestScoping {
    let storage: StoragePlace

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        if StoragePlace.ofTest == storage { try await function() }
    }
}

extension Trait where Self == EachStorageTrait {
    /// Runs each test once for each storage; in a full run with KeePassXC too.
    static var eachStorage: Self {
        EachStorageTrait(
            storages: StoragePlace.allCases, services: TestLength.isFull ? DesktopService.allCases : [.keyring])
    }

    /// The same in a full run; otherwise with Keyfob's own file alone.
    static var eachStorageInFullRun: Self {
        EachStorageTrait(storages: TestLength.isFull ? StoragePlace.allCases : [.embedded])
    }
}

extension Trait where Self == OneStorageTrait {
    /// Not for the Secret Service, which cannot do what the test is about, or where the test looks at the database.
    static var embeddedAlone: Self { OneStorageTrait(storage: .embedded) }
}
