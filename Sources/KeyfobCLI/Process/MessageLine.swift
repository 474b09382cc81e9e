internal import Glibc
internal import Keyfob
internal import KeyfobSodium
internal import KeyfobTerminal

/// Messages between processes of Keyfob's own, over a socket: a kind, a text, and perhaps a secret.
///
/// Each is two numbers of 32 bits, the kind and the count of what follows, and then the text, a zero and the secret.
struct MessageLine {
    let descriptor: CInt
    private static let name = "a process of keyfob"
    private static let limit: UInt32 = 1 << 20

    enum Kind: UInt32 {
        /// It can begin.
        case ready = 1
        /// Asks for a token.
        case ask
        /// Asks for another token, in the place of one that was not taken.
        case askAgain
        case granted
        /// It is not to be had.
        case refused
        /// It could not be had now.
        case failed
        /// Asks a person on the desktop, or for a browser.
        case question
        /// What came of it.
        case answered
        /// Asks whether a token goes somewhere, without having it.
        case whether
        /// It goes there.
        case goes
        /// Asks what a person has to do, where a service wants what no other token has.
        case advise
        /// Asks for the proof of the key that the last token is bound to.
        case prove
        case proved
    }

    struct Message: ~Copyable {
        let kind: Kind
        let text: String
        let secret: SecretBytes
    }

    func send(_ kind: Kind, _ text: String = "") throws(KeyringError) {
        try send(kind, text, SecretBytes(count: 0) { _ in })
    }

    func send(_ kind: Kind, _ text: String, _ secret: borrowing SecretBytes) throws(KeyringError) {
        let words = [kind.rawValue, UInt32(text.utf8.count + 1 + secret.count)]
        try unsafe DescriptorWriter.write(words.span.bytes, to: descriptor, name: Self.name)
        try DescriptorWriter.write(Array(text.utf8) + [0], to: descriptor, name: Self.name)
        try secret.withBytes { (bytes) throws(KeyringError) in
            try DescriptorWriter.write(bytes, to: descriptor, name: Self.name)
        }
    }

    /// The next message, once it is there; nil where nobody is at the other end any more.
    func receive() -> Message? {
        var head: [UInt32] = [0, 0]
        guard unsafe recv(descriptor, &head, 8, CInt(MSG_WAITALL)) == 8, let kind = Kind(rawValue: head[0]),
            (1...Self.limit).contains(head[1])
        else { return nil }
        var isWhole = false
        let content = SecretBytes(count: Int(head[1])) { span in
            let count = span.byteCount
            isWhole = unsafe span.withUnsafeMutableBytes {
                unsafe recv(descriptor, $0.baseAddress, count, CInt(MSG_WAITALL)) == count
            }
        }
        guard isWhole else { return nil }
        let end = content.withBytes { bytes in (0..<bytes.byteCount).first { bytes.byte(at: $0) == 0 } }
        guard let end else { return nil }
        let text = content.withBytes { String(decoding: [UInt8]($0.extracting(0..<end)), as: UTF8.self) }
        return Message(kind: kind, text: text, secret: content.extracting(end + 1..<content.count))
    }
}
