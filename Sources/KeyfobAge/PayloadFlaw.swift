/// Why a payload was refused (C2SP age, "Payload").
package enum PayloadFlaw: Equatable, Sendable {
    /// The chunk with this number, counted from 0, is not authentic: altered, cut, moved or replaced.
    case forgedChunk(UInt64)
    /// The file ends without a chunk that is marked as the final one.
    case truncated
    /// The final chunk is empty although it is not the only one.
    case emptyFinalChunk
    /// Bytes follow the final chunk.
    case trailingData
}
