/// What a verification found.
package struct Verification: Equatable, Sendable {
    /// How many records were opened, attributes and secret.
    package var opened = 0
    /// What is wrong, one line each; empty when all is well.
    package var problems: [String] = []
    /// The rows that did not open.
    package var damagedRows: [Int64] = []
}
