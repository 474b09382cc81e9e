import Keyfob
import KeyfobTestSupport
import Testing

extension StoragePlace {
    /// Where the keyrings that a test makes are to lie.
    @TaskLocal static var ofTest = StoragePlace.embedded
}

/// Runs a test once for each of some storages, with a suite's value of its own each time.
///
/// What goes wrong says with which storage.
struct EachStorageTrait: SuiteTrait, TestTrait, TestScoping {
    let storages: [StoragePlace]
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        for storage in storages {
            let telling = IssueHandlingTrait.compactMapIssues { issue in
                var issue = issue
                issue.comments.append("The storage is \(storage.rawValue).")
                return issue
            }
            try await StoragePlace.$ofTest.withValue(storage) {
                try await telling.provideScope(for: test, testCase: testCase, performing: function)
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
    /// Runs each test once for each storage.
    static var eachStorage: Self { EachStorageTrait(storages: StoragePlace.allCases) }

    /// The same in a full run; otherwise with Keyfob's own file alone.
    static var eachStorageInFullRun: Self {
        EachStorageTrait(storages: TestLength.isFull ? StoragePlace.allCases : [.embedded])
    }
}

extension Trait where Self == OneStorageTrait {
    /// Not for the Secret Service, which cannot do what the test is about, or where the test looks at the database.
    static var embeddedAlone: Self { OneStorageTrait(storage: .embedded) }
}
