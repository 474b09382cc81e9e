package import Testing

/// Waits until something is so, and fails where it is not after a minute, which is long on every machine: a test that waited for
/// ever would end the run, and take its processor from the others.
package func eventually(
    isolation: isolated (any Actor)? = #isolation, sourceLocation: SourceLocation = #_sourceLocation,
    _ isSo: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while try await !isSo() {
        try #require(ContinuousClock.now < end, "it is not so after a minute", sourceLocation: sourceLocation)
        try await Task.sleep(for: .milliseconds(2))
    }
}
