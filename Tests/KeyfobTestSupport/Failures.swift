/// The error that `body` throws, when it is of this type; nil when it throws none or another.
package func failure<Failure: Error>(
    of type: Failure.Type = Failure.self, _ body: () throws -> Void
) -> Failure? {
    do {
        try body()
        return nil
    } catch {
        return error as? Failure
    }
}
