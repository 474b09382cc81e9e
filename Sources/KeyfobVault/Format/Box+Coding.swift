internal import KeyfobSodium

extension CommittingAEAD.Box {
    /// Nonce, commitment and ciphertext in a row; the reader knows the message's length.
    func write(to writer: inout ByteWriter) {
        writer.write(nonce)
        writer.write(commitment)
        writer.write(ciphertext)
    }

    /// A box around a message of `count` bytes.
    init(from reader: inout ByteReader, messageCount count: Int) throws(ByteReader.Malformed) {
        self.init(
            nonce: try reader.read(CommittingAEAD.nonceCount),
            commitment: try reader.read(CommittingAEAD.commitmentCount),
            ciphertext: try reader.read(count + CommittingAEAD.tagCount))
    }
}
