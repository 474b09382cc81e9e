/// Turns the bytes of a terminal into keys, one byte at a time.
///
/// Sequences may be split anywhere. A sequence that means nothing here is swallowed whole. What the decoder
/// is in the middle of, it gives up by itself at a control character; ``patience`` says how long to wait for the rest.
struct PickerKeyDecoder {
    private enum State {
        case ground
        /// In the middle of a character: the value so far, how many bytes are missing, and the least value allowed.
        case utf8(UInt32, missing: Int, least: UInt32)
        case escape
        /// After `ESC [`: the bytes so far.
        case control([UInt8])
        /// After `ESC [ [`, with which the console begins its function keys.
        case consoleFunction
        /// After `ESC O`; `ESC O M` is the Enter of the keypad.
        case function
        /// After `ESC ]`, `ESC P` and the like: a text that ends with BEL or `ESC \`.
        case string(afterEscape: Bool)
        /// Between `ESC [ 200 ~` and `ESC [ 201 ~`.
        case paste
    }

    /// What ends a paste.
    private static let pasteEnd = Array("\u{1B}[201~".utf8)
    /// The most bytes of a sequence that are looked at; what is longer means nothing here.
    private static let sequenceLimit = 32
    /// The most bytes of a paste that are kept.
    private static let pasteLimit = 4_096

    private var state = State.ground
    private var pasted: [UInt8] = []
    /// How much of ``pasteEnd`` came.
    private var pasteEndCount = 0

    /// How many milliseconds to wait for the next byte before ``timeOut()``; nil for any time.
    var patience: Int32? {
        switch state {
        case .ground, .utf8: nil
        case .escape, .control, .consoleFunction, .function, .string: 50
        case .paste: 1_000
        }
    }

    /// Takes a byte; returns the key that it completes.
    mutating func take(_ byte: UInt8) -> PickerKey? {
        switch state {
        case .ground: return begin(byte)
        case .utf8(let value, let missing, let least): return continueCharacter(value, missing, least, byte)
        case .escape: return afterEscape(byte)
        case .control(let bytes): return continueControl(bytes, byte)
        case .consoleFunction:
            return byte < 0x20 ? begin(byte) : finish(nil)
        case .function:
            return byte < 0x20 ? begin(byte) : finish(byte == UInt8(ascii: "M") ? .enter : Self.key(final: byte))
        case .string(let afterEscape): return continueString(afterEscape, byte)
        case .paste: return continuePaste(byte)
        }
    }

    /// Nothing came for as long as ``patience``: an escape by itself was the key, the beginning of a longer sequence nothing.
    mutating func timeOut() -> PickerKey? {
        switch state {
        case .ground, .utf8: nil
        case .escape: finish(.cancel)
        case .control, .consoleFunction, .function, .string: finish(nil)
        case .paste: endPaste()
        }
    }

    private mutating func finish(_ key: PickerKey?) -> PickerKey? {
        state = .ground
        return key
    }

    private mutating func begin(_ byte: UInt8) -> PickerKey? {
        state = .ground
        switch byte {
        case 0x1B: state = .escape
        case 0x20..<0x7F: return .character(Unicode.Scalar(byte))
        case 0xC2..<0xE0: state = .utf8(UInt32(byte & 0x1F), missing: 1, least: 0x80)
        case 0xE0..<0xF0: state = .utf8(UInt32(byte & 0x0F), missing: 2, least: 0x800)
        case 0xF0..<0xF5: state = .utf8(UInt32(byte & 0x07), missing: 3, least: 0x10000)
        default: return Self.key(control: byte)
        }
        return nil
    }

    private mutating func continueCharacter(
        _ value: UInt32, _ missing: Int, _ least: UInt32, _ byte: UInt8
    ) -> PickerKey? {
        // What was begun is no character: the byte begins something new.
        guard byte & 0xC0 == 0x80 else { return begin(byte) }
        let value = value << 6 | UInt32(byte & 0x3F)
        guard missing == 1 else {
            state = .utf8(value, missing: missing - 1, least: least)
            return nil
        }
        state = .ground
        // Neither too long, nor a surrogate, nor one of the control characters above ASCII.
        guard value >= max(least, 0xA0), let scalar = Unicode.Scalar(value) else { return nil }
        return .character(scalar)
    }

    private mutating func afterEscape(_ byte: UInt8) -> PickerKey? {
        switch byte {
        case UInt8(ascii: "["): state = .control([])
        case UInt8(ascii: "O"): state = .function
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
            state = .string(afterEscape: false)
        // The first one was a key; this one may begin something.
        case 0x1B: return .cancel
        case 0..<0x20: return begin(byte)
        // A key with Alt; of a character of several bytes, the rest is no beginning and goes too.
        default: state = .ground
        }
        return nil
    }

    private mutating func continueControl(_ bytes: [UInt8], _ byte: UInt8) -> PickerKey? {
        switch byte {
        case UInt8(ascii: "[") where bytes.isEmpty: state = .consoleFunction
        case 0x20..<0x40: state = .control(bytes.count < Self.sequenceLimit ? bytes + [byte] : bytes)
        case 0x40..<0x7F: return endControl(bytes, byte)
        default: return begin(byte)
        }
        return nil
    }

    private mutating func endControl(_ bytes: [UInt8], _ final: UInt8) -> PickerKey? {
        state = .ground
        guard bytes.count < Self.sequenceLimit else { return nil }
        // A key with Ctrl or Shift ("1;5A") counts as the key.
        let fields = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        let first = fields.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        guard fields.count <= 2, let parameter = first.isEmpty ? 1 : Int(first) else { return nil }
        if final == UInt8(ascii: "~"), parameter == 200 {
            (state, pasted, pasteEndCount) = (.paste, [], 0)
            return nil
        }
        return Self.key(final: final, parameter: parameter)
    }

    private mutating func continueString(_ afterEscape: Bool, _ byte: UInt8) -> PickerKey? {
        switch byte {
        case 0x07: return finish(nil)
        case UInt8(ascii: "\\") where afterEscape: return finish(nil)
        case 0x1B: state = .string(afterEscape: true)
        // Ctrl-C is meant in earnest everywhere; CAN and SUB break a sequence off.
        case 0x03: return begin(byte)
        case 0x18, 0x1A: return finish(nil)
        default: state = .string(afterEscape: false)
        }
        return nil
    }
}

// MARK: - Paste

extension PickerKeyDecoder {
    private mutating func continuePaste(_ byte: UInt8) -> PickerKey? {
        if byte == Self.pasteEnd[pasteEndCount] {
            pasteEndCount += 1
            return pasteEndCount == Self.pasteEnd.count ? endPaste() : nil
        }
        // It was no end after all: what looked like one is part of the text.
        let kept = Self.pasteEnd[..<pasteEndCount] + (byte == 0x1B ? [] : [byte])
        if pasted.count + kept.count <= Self.pasteLimit { pasted += kept }
        pasteEndCount = byte == 0x1B ? 1 : 0
        return nil
    }

    private mutating func endPaste() -> PickerKey? {
        defer { (state, pasted, pasteEndCount) = (.ground, [], 0) }
        let text = String.UnicodeScalarView(
            String(decoding: pasted, as: UTF8.self).unicodeScalars.compactMap { scalar in
                switch scalar {
                case "\n", "\r", "\t": " "
                case _ where scalar.properties.generalCategory == .control: nil
                default: scalar
                }
            })
        return text.isEmpty ? nil : .paste(String(text))
    }
}

// MARK: - What the bytes mean

extension PickerKeyDecoder {
    private static func key(control byte: UInt8) -> PickerKey? {
        switch byte {
        case 0x03, 0x07: .cancel  // Ctrl-C, Ctrl-G
        case 0x04: .endOfInput  // Ctrl-D
        case 0x08, 0x7F: .backspace  // Ctrl-H, Backspace
        case 0x0A, 0x0E: .down  // Ctrl-J, Ctrl-N
        case 0x0B, 0x10: .up  // Ctrl-K, Ctrl-P
        case 0x0C: .redraw  // Ctrl-L
        case 0x0D: .enter
        case 0x12: .remember  // Ctrl-R
        case 0x15: .clear  // Ctrl-U
        case 0x17: .deleteWord  // Ctrl-W
        default: nil
        }
    }

    private static func key(final: UInt8, parameter: Int = 1) -> PickerKey? {
        switch final {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "~"): tilde(parameter)
        default: nil
        }
    }

    private static func tilde(_ parameter: Int) -> PickerKey? {
        switch parameter {
        case 1, 7: .home
        case 4, 8: .end
        case 5: .pageUp
        case 6: .pageDown
        default: nil
        }
    }
}
