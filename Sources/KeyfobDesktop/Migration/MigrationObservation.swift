/// A step of a migration.
package enum MigrationStep: Equatable, Sendable {
    /// The records are read from where they lie.
    case read
    /// An item is made, overwritten or removed.
    case item
    /// The database is filled aside.
    case build
    /// What was written is compared with what was read.
    case compare
    /// The last comparison begins, after which the new place counts.
    case settle
    /// A file is moved, written or removed; its name.
    case file(String)
}

/// Lets a test watch a migration, or end the process, at each of its steps.
package enum MigrationObservation {
    /// Called before each step.
    @TaskLocal package static var willTake: @Sendable (MigrationStep) -> Void = { _ in }
}
