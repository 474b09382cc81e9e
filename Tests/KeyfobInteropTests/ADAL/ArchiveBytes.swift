/// Writes what `NSKeyedArchiver` writes, as ADAL for Objective-C used it.
struct ArchiveBytes {
    typealias Value = PropertyListBytes.Value

    private var objects: [Value] = [.ascii("$null")]

    /// Adds an object to the table and gives the pointer to it.
    mutating func add(_ value: Value) -> Value {
        objects.append(value)
        return .uid(UInt64(objects.count - 1))
    }

    /// Adds an object of a class.
    mutating func add(_ className: String, _ fields: [(String, Value)]) -> Value {
        let description = add(
            .dictionary([
                ("$classname", .ascii(className)), ("$classes", .array([.ascii(className), .ascii("NSObject")])),
            ]))
        return add(.dictionary(fields + [("$class", description)]))
    }

    /// Adds a text.
    mutating func text(_ text: String) -> Value { add(.ascii(text)) }

    /// Adds a date, in seconds since 1970.
    mutating func date(_ seconds: Double) -> Value { add("NSDate", [("NS.time", .real(seconds - 978_307_200))]) }

    /// Adds a token item; texts are archived as such.
    mutating func item(
        _ texts: KeyValuePairs<String, String?>, expiresOn: Double? = 5_000, cachedAt: Double? = nil,
        person: Value? = nil, others: [(String, Value)] = [], className: String = "ADTokenCacheItem"
    ) -> Value {
        var fields = others
        for (name, text) in texts { fields.append((name, text.map { self.text($0) } ?? .uid(0))) }
        if let expiresOn { fields.append(("expiresOn", date(expiresOn))) }
        if let cachedAt { fields.append(("cachedAt", date(cachedAt))) }
        if let person { fields.append(("userInformation", person)) }
        return add(className, fields)
    }

    /// Adds a person.
    mutating func person(_ userID: String?, claims: String? = nil) -> Value {
        var fields: [(String, Value)] = []
        if let userID { fields.append(("userId", text(userID))) }
        if let claims { fields.append(("rawIdToken", text("e30." + Self.base64(claims) + "."))) }
        return add("ADUserInformation", fields)
    }

    /// The archive of one of its objects.
    func bytes(root: Value) -> [UInt8] {
        PropertyListBytes.list(
            .dictionary([
                ("$version", .integer(100_000)), ("$archiver", .ascii("NSKeyedArchiver")),
                ("$top", .dictionary([("root", root)])), ("$objects", .array(objects)),
            ]))
    }

    /// A text in base64 for URLs, without padding.
    static func base64(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var (encoded, pending, bits) = ("", 0, 0)
        for byte in text.utf8 {
            (pending, bits) = (pending << 8 | Int(byte), bits + 8)
            while bits >= 6 {
                bits -= 6
                encoded.append(alphabet[pending >> bits & 63])
            }
            pending &= 0xFF
        }
        if bits > 0 { encoded.append(alphabet[pending << (6 - bits) & 63]) }
        return encoded
    }
}
