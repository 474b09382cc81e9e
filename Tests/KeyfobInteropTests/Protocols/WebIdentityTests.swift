import KeyfobInterop
import KeyfobModel
import KeyfobTestSupport
import Testing

@Suite("Answers of AWS's Security Token Service")
struct WebIdentityTests {
    private static let fields = [
        "AccessKeyId": "ASIAEXAMPLE", "SecretAccessKey": "aB1/+=", "SessionToken": "FwoG//+==",
        "Expiration": "2026-11-22T20:00:00Z",
    ]

    private static func document(_ fields: [String: String], _ more: String = "") -> String {
        let elements = fields.map { "      <\($0.key)>\($0.value)</\($0.key)>\n" }.joined()
        return """
            <AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
              <AssumeRoleWithWebIdentityResult>
                <Credentials>
            \(elements)    </Credentials>\(more)
              </AssumeRoleWithWebIdentityResult>
            </AssumeRoleWithWebIdentityResponse>
            """
    }

    /// The name of the element that is missing; nil for a whole answer.
    private func lack(_ text: String) -> String? {
        do throws(WebIdentityCredentials.Lack) {
            _ = try WebIdentityCredentials(reading: secret(text))
            return nil
        } catch {
            return error.field
        }
    }

    @Test("the four elements are read, a fraction of a second left out")
    func whole() throws {
        for date in ["2026-11-22T20:00:00Z", "2026-11-22T20:00:00.123Z"] {
            let found = try WebIdentityCredentials(
                reading: secret(Self.document(Self.fields.merging(["Expiration": date]) { $1 })))
            #expect(found.accessKeyID == "ASIAEXAMPLE")
            #expect(text(of: found.secretAccessKey) == "aB1/+=")
            #expect(text(of: found.sessionToken) == "FwoG//+==")
            #expect(found.expiresOn.rfc3339 == "2026-11-22T20:00:00Z")
        }
    }

    @Test("what lacks an element, has it twice, or in other characters, is no answer", arguments: fields.keys.sorted())
    func lacking(name: String) {
        var fields = Self.fields
        fields[name] = nil
        #expect(lack(Self.document(fields)) == name)
        for value in ["", "a\"b", "a&amp;b", "<b>a</b>", "a b", "ä"] {
            fields[name] = value
            #expect(lack(Self.document(fields)) == name, "\(value)")
        }
        #expect(lack(Self.document(Self.fields, "<\(name)>x</\(name)>")) == name)
    }

    @Test("no beginning of an answer is one")
    func truncated() {
        let whole = Array(Self.document(Self.fields).utf8)
        let end =
            whole.count
            - "</Credentials>\n  </AssumeRoleWithWebIdentityResult>\n</AssumeRoleWithWebIdentityResponse>".utf8.count
        for count in 0..<(end - 16) {
            #expect(lack(String(decoding: whole[..<count], as: UTF8.self)) != nil, "\(count)")
        }
    }

    @Test("an error has its code and its sentence")
    func refusal() {
        let document =
            "<ErrorResponse><Error><Code>AccessDenied</Code><Message>not &lt;you&gt; &amp;amp; m&#x65;&#33;</Message></Error></ErrorResponse>"
        let refusal = WebIdentityRefusal(reading: secret(document))
        #expect(refusal?.code == "AccessDenied" && refusal?.message == "not <you> &amp; me!")
        #expect(refusal?.isAboutToken == false && refusal?.isPassing == false)
        #expect(WebIdentityRefusal(reading: secret("<html>no</html>")) == nil)
    }
}
