extension UInt8 {
    /// Whether it is a digit, `0` to `9`.
    package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

    /// Whether it is a small letter, `a` to `z`.
    package var isASCIISmallLetter: Bool { (0x61...0x7A).contains(self) }

    /// Whether it is a letter, small or capital, or a digit.
    package var isASCIIAlphanumeric: Bool { isASCIIDigit || (self | 0x20).isASCIISmallLetter }
}

extension Int64 {
    /// The number that decimal digits are, without a sign; nil for anything else, and for one that is too large.
    package init?(digits: some Collection<UInt8>) {
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCIIDigit }) else { return nil }
        self.init(String(decoding: digits, as: UTF8.self))
    }
}
