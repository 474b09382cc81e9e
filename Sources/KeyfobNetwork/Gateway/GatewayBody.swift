internal import KeyfobModel
internal import KeyfobOAuth

/// The body of a program's request as it comes in, without its framing (RFC 9112, sections 6 and 7).
struct GatewayBody {
    /// How a body ends.
    enum Framing: Hashable, Sendable {
        case none
        case length(Int)
        case chunked
    }

    private enum State {
        case length(Int)
        case size
        case chunk(Int)
        case chunkEnd
        case end
        case done
    }

    private var state: State

    init(_ framing: Framing) {
        state =
            switch framing {
            case .none, .length(0): .done
            case .length(let count): .length(count)
            case .chunked: .size
            }
    }

    /// Whether all of it has been taken.
    var isDone: Bool { if case .done = state { true } else { false } }

    /// The next bytes; nil where more has to come first, or none follow.
    ///
    /// Of chunks the size alone is read: no extensions and no trailers.
    mutating func next(from input: inout ByteQueue, atMost limit: Int) throws(GatewayRefusal) -> [UInt8]? {
        while true {
            switch state {
            case .done: return nil
            case .length(let left):
                let part = input.take(atMost: min(left, limit))
                state = part.count == left ? .done : .length(left - part.count)
                return part.isEmpty ? nil : part
            case .chunk(let left):
                let part = input.take(atMost: min(left, limit))
                state = part.count == left ? .chunkEnd : .chunk(left - part.count)
                return part.isEmpty ? nil : part
            case .size:
                if Self.hasExtension(input) { throw .withExtension }
                guard let line = try Self.line(from: &input) else { return nil }
                guard (1...12).contains(line.count) else { throw .malformed }
                var size = 0
                for byte in line {
                    guard let digit = Hexadecimal.value(of: byte) else { throw .malformed }
                    size = size << 4 | Int(digit)
                }
                state = size == 0 ? .end : .chunk(size)
            case .chunkEnd, .end:
                if case .end = state, input.count > 0, HTTPHeader.isName(String(UnicodeScalar(input[0]))) {
                    throw .withTrailer
                }
                guard let line = try Self.line(from: &input) else { return nil }
                guard line.isEmpty else { throw .malformed }
                if case .end = state { state = .done } else { state = .size }
            }
        }
    }

    /// Whether more than its size is said of a chunk.
    private static func hasExtension(_ input: ByteQueue) -> Bool {
        var index = 0
        while index < min(input.count, 12), Hexadecimal.value(of: input[index]) != nil { index += 1 }
        guard index > 0 else { return false }
        while index < min(input.count, 16), input[index] == 0x20 || input[index] == 0x09 { index += 1 }
        return index < input.count && input[index] == UInt8(ascii: ";")
    }

    /// The next line, without its end; nil where that is still to come.
    private static func line(from input: inout ByteQueue) throws(GatewayRefusal) -> [UInt8]? {
        for index in 0..<min(input.count, 16) where input[index] == 0x0A {
            guard index > 0, input[index - 1] == 0x0D else { throw .malformed }
            let line = input.take(atMost: index + 1)
            return Array(line.dropLast(2))
        }
        guard input.count < 16 else { throw .malformed }
        return nil
    }
}
