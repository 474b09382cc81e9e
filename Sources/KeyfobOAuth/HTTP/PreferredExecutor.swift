/// Where the work of a request runs.
///
/// A program that is not Keyfob's may fork, and no thread of the pool that tasks share is in the child.
package enum PreferredExecutor {
    /// What runs it; nil for the threads that tasks share.
    @TaskLocal package static var executor: (any TaskExecutor)?
}
