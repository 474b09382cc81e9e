internal import KeyfobSodium

/// Reads a header line by line, byte by byte, as strictly as its grammar is (C2SP age, "ABNF definition of file
/// header").
struct AgeHeaderParser {
    private enum Expectation {
        case versionLine
        case stanzaOrMAC
        case body(arguments: [String], start: [UInt8])
    }

    private var expectation = Expectation.versionLine
    private var line: [UInt8] = []
    private var transcript: [UInt8] = []
    private var stanzas: [Stanza] = []

    /// Takes the next byte; returns the header when it was the last one.
    ///
    /// - Throws: `malformedHeader`, `headerTooLarge` or `tooManyRecipients`, as soon as a line shows it.
    mutating func take(_ byte: UInt8) throws(AgeError) -> AgeHeader? {
        guard transcript.count + line.count < Age.headerLimit else {
            throw .headerTooLarge(limit: Age.headerLimit)
        }
        guard byte == UInt8(ascii: "\n") else {
            line.append(byte)
            return nil
        }
        if case .stanzaOrMAC = expectation, line.starts(with: AgeHeader.macMark) {
            let mac = try Self.mac(in: line)
            return try AgeHeader(stanzas: stanzas, transcript: transcript + AgeHeader.macMark, mac: mac)
        }
        expectation = try next(after: line)
        transcript += line
        transcript.append(byte)
        line.removeAll(keepingCapacity: true)
        return nil
    }

    private mutating func next(after line: [UInt8]) throws(AgeError) -> Expectation {
        switch expectation {
        case .versionLine:
            guard line == AgeHeader.versionLine else { throw .malformedHeader(.versionLine) }
            return .stanzaOrMAC
        case .stanzaOrMAC:
            let arguments = try Stanza.arguments(of: line)
            guard stanzas.count < Age.recipientLimit else { throw .tooManyRecipients(limit: Age.recipientLimit) }
            return .body(arguments: arguments, start: [])
        case .body(let arguments, let start):
            guard line.count <= Stanza.columns, let bytes = Base64.unpadded.decode(line) else {
                throw .malformedHeader(.stanzaBody)
            }
            guard line.count < Stanza.columns else { return .body(arguments: arguments, start: start + bytes) }
            stanzas.append(Stanza(arguments, body: start + bytes))
            return .stanzaOrMAC
        }
    }

    private static func mac(in line: [UInt8]) throws(AgeError) -> [UInt8] {
        let mark = AgeHeader.macMark + [UInt8(ascii: " ")]
        guard line.starts(with: mark),
            let mac = Base64.unpadded.decode(line[mark.count...]), mac.count == HMACSHA256.count
        else { throw .malformedHeader(.macLine) }
        return mac
    }
}
