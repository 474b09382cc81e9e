package import KeyfobOAuth

/// Lets a test watch a refresh, or end the process, at each of its steps.
package enum RefreshObservation {
    /// Called before each step.
    @TaskLocal package static var willTake: @Sendable (RefreshStep) -> Void = { _ in }
    /// Called whenever it is found out whose token a request asks for.
    @TaskLocal package static var willResolve: @Sendable () -> Void = {}
}
