import KeyfobModel
import KeyfobOAuth
import KeyfobSodium
import Testing

@Suite("Form bodies") struct FormBodyTests {
    @Test(
        "encodes as HTML forms do",
        arguments: [
            ("", "f="), ("abc-._*09", "f=abc-._*09"), ("a b", "f=a+b"), ("a+b&c=d%", "f=a%2Bb%26c%3Dd%25"),
            ("~/é", "f=%7E%2F%C3%A9"), ("\u{0}\n", "f=%00%0A"),
        ])
    func encodes(value: String, expected: String) {
        var form = FormBody()
        form.append("f", secret(value))
        #expect(text(form.encoded()) == expected)
    }

    @Test("gives back what was put in, also past its first buffer")
    func roundTrip() throws {
        let long = String(repeating: "a b%é", count: 900)
        var form = FormBody()
        form.append("one", "1")
        form.append("long", secret(long))
        form.append("", "x")
        form.append("three", "&=")
        let encoded = form.encoded()
        #expect(throws: FormFields.Flaw.malformed) { try encoded.withBytes { _ = try FormFields(reading: $0) } }
        var sound = FormBody()
        sound.append("one", "1")
        sound.append("long", secret(long))
        let body = sound.encoded()
        try body.withBytes { span in
            let fields = try FormFields(reading: span)
            let one = fields.string("one", in: span)
            #expect(one == "1")
            let value = bytes(fields.secret("long", in: span))
            #expect(value == Array(long.utf8))
            #expect(!fields.has("two"))
        }
    }

    @Test(
        "refuses what is no form",
        arguments: [
            "a", "=a", "a=1&", "&a=1", "a=1&&b=2", "a=%", "a=%4", "a=%zz", "a=%ff", "a=b c", "a=é", "a=\n",
            "a=1&a=2", "a=1&%61=2",
        ])
    func refuses(form: String) {
        #expect(throws: FormFields.Flaw.self) { try Array(form.utf8).withBytes { _ = try FormFields(reading: $0) } }
    }

    @Test("refuses a form that is too long, or has too many fields")
    func tooLarge() {
        let long = "a=" + String(repeating: "b", count: FormFields.maximumCount)
        let many = (0..<65).map { "f\($0)=1" }.joined(separator: "&")
        for form in [long, many] {
            #expect(throws: FormFields.Flaw.tooLarge) {
                try Array(form.utf8).withBytes { _ = try FormFields(reading: $0) }
            }
        }
    }
}

@Suite("Endpoint addresses") struct EndpointURLTests {
    @Test(
        "takes https, and http on this machine",
        arguments: [
            ("https://A.example/x?y=z", "https://a.example/x"), ("https://a.example", "https://a.example"),
            ("http://127.0.0.1:8080/cb", "http://127.0.0.1:8080/cb"), ("http://localhost/", "http://localhost/"),
            ("HTTPS://[::1]:1/a", "https://[::1]:1/a"), ("https://a.example?q=secret", "https://a.example"),
        ])
    func takes(text: String, shown: String) throws {
        #expect(try EndpointURL(text).description == shown)
    }

    @Test(
        "refuses what is unsafe or no address",
        arguments: [
            ("http://a.example/", EndpointURL.Flaw.insecure), ("ftp://a.example", .insecure), ("", .noScheme),
            ("a.example/x", .noScheme),
            ("https://", .badHost), ("https://u:p@a.example/", .credentials), ("https://a.example/#f", .fragment),
            ("https://a..b/", .badHost), ("https://a.example:0/", .badPort), ("https://a.example:x/", .badPort),
            ("https://a.example:65536/", .badPort), ("https://a b/", .forbiddenCharacter),
            ("https://a.example/é", .forbiddenCharacter), ("https://[::1/", .badHost),
            ("http://127.0.0.1.evil/", .insecure),
            ("http://localhost.evil/", .insecure), ("http://127.0.0.1@evil/", .credentials),
            ("https://a\\b/", .forbiddenCharacter),
        ])
    func refuses(text: String, flaw: EndpointURL.Flaw) {
        #expect(throws: flaw) { try EndpointURL(text) }
    }

    @Test("adds encoded items behind a query that is there")
    func appending() throws {
        let url = try EndpointURL("https://a.example/x?p=1").appending([("q", "a b&c"), ("r", "é")])
        #expect(url.text == "https://a.example/x?p=1&q=a%20b%26c&r=%C3%A9")
    }
}

@Suite("Retry-After") struct RetryAfterTests {
    @Test(
        "reads seconds and the three forms of dates, within an hour from now",
        arguments: [
            ("0", 0), ("5", 5), ("3600", 3_600), ("99999", 3_600), ("99999999999999999999999", 3_600),
            ("Sat, 21 Nov 2026 06:40:30 GMT", 30), ("Saturday, 21-Nov-26 06:40:31 GMT", 31),
            ("Sat Nov 21 06:40:32 2026", 32), ("Sun Nov  6 08:49:37 1994", 0), ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
            ("Tue, 29 Feb 2028 00:00:00 GMT", 3_600),
        ])
    func reads(value: String, seconds: Int64) {
        #expect(RetryAfter.parse(value, now: now) == now.advanced(by: seconds))
    }

    @Test(
        "takes nothing else",
        arguments: [
            "", "-1", "1.5", "soon", "Sat, 21 Nov 2026 06:40:30", "Sat, 32 Nov 2026 06:40:30 GMT",
            "Sat, 21 Foo 2026 06:40:30 GMT", "Sat, 21 Nov 2026 25:40:30 GMT", "Sat, 21 Nov 2026 06:40 GMT",
        ])
    func refuses(value: String) {
        #expect(RetryAfter.parse(value, now: now) == nil)
    }
}
