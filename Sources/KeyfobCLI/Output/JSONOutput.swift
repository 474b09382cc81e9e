internal import FoundationEssentials
internal import Keyfob
internal import KeyfobTerminal

/// A document that leaves the process as JSON, described by a schema in `Schemas/`.
protocol JSONDocument: Encodable {
    /// Grows when a field changes its meaning or goes; new fields do not raise it.
    var formatVersion: Int { get }
}

/// A document with a part for each account, which writes itself: an encoder takes several times as long.
///
/// What it writes is what the encoder would.
protocol LongJSONDocument: JSONDocument {
    /// Writes the document's members, by the order of their names, as in each object.
    func writeMembers(to json: inout JSONWriter)
}

/// Writes documents.
enum JSONOutput {
    static func text(_ document: some JSONDocument) throws(KeyringError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(document) else {
            throw KeyringError(.fault, "a document could not be encoded")
        }
        return TerminalText.json(String(decoding: data, as: UTF8.self))
    }

    static func text(_ document: some LongJSONDocument) -> String {
        var writer = JSONWriter(isIndented: true)
        writer.beginObject()
        document.writeMembers(to: &writer)
        writer.endObject()
        return TerminalText.json(String(decoding: writer.bytes, as: UTF8.self))
    }

    static func print(_ document: some LongJSONDocument) throws(KeyringError) {
        try StandardOutput.write(data: text(document) + "\n")
    }

    static func print(_ document: some JSONDocument) throws(KeyringError) {
        try StandardOutput.write(data: text(document) + "\n")
    }
}
