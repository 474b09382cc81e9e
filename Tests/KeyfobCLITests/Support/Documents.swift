import Foundation
import Testing

/// Documents that the command printed, to be held against `Schemas/` all at once.
struct Documents {
    private struct Item: Encodable {
        let schema: String
        let text: String
        let origin: String
    }

    private var items: [Item] = []

    var count: Int { items.count }

    /// Notes what `origin` printed, which should follow the schema `name`.
    mutating func add(_ name: String, _ text: String, from origin: String) {
        items.append(Item(schema: name, text: text, origin: origin))
    }

    /// Expects every document to follow its schema.
    func validate(in place: Workplace, location: SourceLocation = #_sourceLocation) throws {
        guard !items.isEmpty else { return }
        let schemas = ProjectFolder.root.appending(path: "Schemas").path
        let outcome = try place.python("documents", schemas, input: JSONEncoder().encode(items), location: location)
        #expect(
            outcome.text == "\(items.count) documents follow their schemas\n", "\(outcome)", sourceLocation: location)
    }
}
