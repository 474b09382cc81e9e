internal import KeyfobAge
internal import KeyfobSodium

extension KeySlot {
    private static let maximumFileCount = 4_096
    /// The code of a recipient of X-Wing, whose public key is longer.
    private static let hybridCode: UInt8 = 5

    /// code of the kind u8 ‖ id 16 ‖ created i64 ‖ what the kind needs.
    func write(to writer: inout ByteWriter) {
        if case .recipient(let publicKey, _, _) = lock, publicKey.count == AgeHybrid.publicKeyCount {
            writer.write(Self.hybridCode)
        } else {
            writer.write(kind.rawValue)
        }
        writer.write(id)
        writer.write(created)
        switch lock {
        case .passphrase(let salt, let cost, let box):
            writer.write(salt)
            writer.write(cost.operations)
            writer.write(cost.memory)
            box.write(to: &writer)
        case .keyFile(let salt, let box):
            writer.write(salt)
            box.write(to: &writer)
        case .recipient(let publicKey, let file, let proof):
            writer.write(publicKey)
            writer.writeCounted(file)
            writer.writeCounted(proof ?? [])
        case .secretService(let salt, let box):
            writer.write(salt)
            box.write(to: &writer)
        }
    }

    init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        let code: UInt8 = try reader.read()
        let isHybrid = code == Self.hybridCode
        guard let kind = isHybrid ? .recipient : Kind(rawValue: code) else { throw ByteReader.Malformed() }
        id = try reader.readID()
        created = try reader.read()
        switch kind {
        case .passphrase:
            let salt = try reader.read(Argon2id.saltCount)
            let cost = Argon2id.Cost(operations: try reader.read(), memory: try reader.read())
            lock = .passphrase(salt: salt, cost: cost, box: try CommittingAEAD.Box(from: &reader, messageCount: 32))
        case .keyFile:
            let salt = try reader.read(32)
            lock = .keyFile(salt: salt, box: try CommittingAEAD.Box(from: &reader, messageCount: 32))
        case .recipient:
            let publicKey = try reader.read(isHybrid ? AgeHybrid.publicKeyCount : 32)
            let file = Array(try reader.readCounted(limit: Self.maximumFileCount))
            let proof = Array(try reader.readCounted(limit: Self.proofCount))
            guard proof.isEmpty || proof.count == Self.proofCount else { throw ByteReader.Malformed() }
            lock = .recipient(publicKey: publicKey, file: file, proof: proof.isEmpty ? nil : proof)
        case .secretService:
            let salt = try reader.read(32)
            lock = .secretService(salt: salt, box: try CommittingAEAD.Box(from: &reader, messageCount: 32))
        }
    }
}
