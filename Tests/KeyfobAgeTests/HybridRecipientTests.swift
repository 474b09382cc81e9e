import KeyfobAgeHybrid
import KeyfobSodium
import Testing

@testable import KeyfobAge

@Suite("A recipient of X-Wing")
struct HybridRecipientTests {
    /// The specification's example.
    private static let identityText = "AGE-SECRET-KEY-PQ-1XX76JRALNLXDMEW0CRK45QMCCH4X06SE84UN3VPM33W6HWDX0H3SK3ZQFR"

    private func identity(_ text: String = Self.identityText) throws -> AgeIdentity {
        try [UInt8](text.utf8).withBytes { bytes throws(AgeError) in try AgeIdentity(parsing: bytes) }
    }

    @Test("has the text of the specification's example")
    func specification() throws {
        let example = try identity()
        let text = example.text().withBytes { String(decoding: [UInt8]($0), as: UTF8.self) }
        #expect(text == Self.identityText)
        let recipient = example.recipient
        #expect(recipient.text.count == 1_959 && recipient.text.hasPrefix("age1pq1x34nzsvr0rxjsgdn8zgyhfe8j7ceq5r9r"))
        let hash = Array(recipient.text.utf8).withBytes { SHA256.hash($0) }
        #expect(hash.prefix(8) == [0xa0, 0x91, 0xdd, 0x7e, 0x0e, 0xe9, 0xd6, 0x2b])
        #expect(AgeRecipient(parsing: recipient.text) == recipient && recipient.isHybrid)
    }

    @Test("is refused in any other form")
    func otherForms() throws {
        let text = try identity().recipient.text
        let others = [
            text.uppercased(), String(text.dropLast()), text + "q", "age1" + text.dropFirst(7),
            text.replacing("age1pq1x34", with: "age1pq1x35"),
        ]
        for other in others { #expect(AgeRecipient(parsing: other) == nil) }
        let (own, another) = (Self.identityText, String(Self.identityText.dropLast()) + "Q")
        for other in [own.lowercased(), another, "AGE-SECRET-KEY-1" + own.dropFirst(19), own + "\n"] {
            #expect(throws: AgeError.malformedIdentity(line: 1)) { _ = try identity(other).recipient }
        }
        // Neither ML-KEM's numbers past its modulus, nor a point of small order.
        #expect(AgeRecipient(publicKey: [UInt8](repeating: 0xFF, count: 1_216)) == nil)
        let key = try identity().recipient.publicKey
        #expect(AgeRecipient(publicKey: Array(key.prefix(1_184)) + [UInt8](repeating: 0, count: 32)) == nil)
        #expect(AgeRecipient(publicKey: Array(key.dropLast())) == nil)
    }

    @Test("opens what age wrote")
    func pinned() throws {
        let opening = Opening([UInt8](Self.pinnedFile.utf8), with: try identity())
        #expect(opening == Opening(plaintext: [UInt8]("message".utf8)))
        let stranger = Opening([UInt8](Self.pinnedFile.utf8), with: AgeIdentity.generateHybrid())
        #expect(stranger == Opening(error: .noMatch))
        // An X25519 key of the same 32 bytes is another key.
        let bytes = try identity().withSecret { SecretBytes(copying: $0) }
        guard let plain = AgeIdentity(secret: bytes) else {
            Issue.record("a scalar has 32 bytes")
            return
        }
        #expect(Opening([UInt8](Self.pinnedFile.utf8), with: plain) == Opening(error: .noMatch))
    }

    @Test("opens what Keyfob writes, beside others too", arguments: [0, 70_000], [Age.Encoding.binary, .armored])
    func roundTrip(size: Int, encoding: Age.Encoding) throws {
        let hybrid = AgeIdentity.generateHybrid().recipient
        let other = AgeIdentity.generateHybrid()
        let plain = AgeIdentity.generate()
        let message = pattern(size)
        let file = try written(
            message, AgeEncryptor(recipients: [hybrid, plain.recipient, other.recipient], encoding: encoding))
        #expect(Opening(file, with: other) == Opening(plaintext: message))
        #expect(Opening(file, with: plain) == Opening(plaintext: message))
        #expect(Opening(file, with: AgeIdentity.generateHybrid()) == Opening(error: .noMatch))
    }

    @Test("there can be 64 of them, the first and the last of whom open the file")
    func manyRecipients() throws {
        let first = AgeIdentity.generateHybrid()
        let last = AgeIdentity.generateHybrid()
        let between = [AgeRecipient](repeating: first.recipient, count: 62)
        let recipients = [first.recipient] + between + [last.recipient]
        let file = try [1, 2, 3].withBytes { bytes throws(AgeError) in try Age.seal(bytes, to: recipients) }
        #expect(Opening(file, with: first).plaintext == [1, 2, 3])
        #expect(Opening(file, with: last).plaintext == [1, 2, 3])
    }

    @Test("is refused for the right reason where the stanza is altered, whoever opens the file")
    func alterations() throws {
        let identity = try identity()
        let fileKey = CraftedFile.fileKey.withBytes { SecretBytes(copying: $0) }
        let stanza = HybridStanza(wrapping: fileKey, for: identity.recipient.publicKey, by: .swiftCrypto).stanza
        let share = try #require(Base64.unpadded.decode(stanza.arguments[1].utf8))
        func outcome(_ share: [UInt8], _ body: [UInt8], _ more: String = "", type: String = HybridStanza.type)
            -> Opening
        {
            let altered = Stanza([type, Base64.unpadded.text(share)], body: body).serialised
            let text = String(decoding: altered, as: UTF8.self).replacing("\n", with: more + "\n", maxReplacements: 1)
            return Opening(CraftedFile(text).bytes, with: identity)
        }
        #expect(outcome(share, stanza.body) == Opening(plaintext: [UInt8]("message".utf8)))
        #expect(outcome(share, stanza.body, type: "MLKEM768X25519").error == .noMatch)
        for place in [0, 500, 1_087, 1_088, 1_119] {
            var other = share
            other[place] ^= 1
            #expect(outcome(other, stanza.body).error == .noMatch, "\(place)")
        }
        #expect(outcome(share, stanza.body.map { $0 ^ 1 }).error == .noMatch)
        #expect(outcome(share.dropLast(), stanza.body).error == .malformedHeader(.hybridArguments))
        #expect(outcome(share + [0], stanza.body).error == .malformedHeader(.hybridArguments))
        #expect(outcome(share, stanza.body, " more").error == .malformedHeader(.hybridArguments))
        #expect(outcome(share, stanza.body + [0]).error == .malformedHeader(.wrappedKeySize))
        let lowOrder = Array(share.prefix(1_088)) + [UInt8](repeating: 0, count: 32)
        #expect(outcome(lowOrder, stanza.body).error == .malformedHeader(.lowOrderShare))
        let short = Stanza([HybridStanza.type, "AAAA"], body: stanza.body).serialised
        let beside = CraftedFile(CraftedFile.x25519Stanza + String(decoding: short, as: UTF8.self)).bytes
        #expect(Opening(beside, with: CraftedFile.identity()).error == .malformedHeader(.hybridArguments))
    }

    /// Written by age 1.3.1.
    private static let pinnedFile = """
        -----BEGIN AGE ENCRYPTED FILE-----
        YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IG1sa2VtNzY4eDI1NTE5IHVaSjZyWFRH
        ZWg5R0hVenlWaTRqTW1FajRYNGk5Nlpma1JOei90a2w2Z015dXlhYWJLYW9JMHU1
        WitRVzlmNmpsWnpmdHIyekxDYzl1YkdjN05ZZWZHWEFtMERYdktubDRRbUFoMTRi
        RUpPeEdTQk1GZkNkajNINTkxTldVK29hVGF1a0JuaElXdDJZSXpnRW9TL0R4TmY0
        S0tiZWliNDZQdytDTlFid2dhT1pRbkFqNldUREFSRVBoNUpSbElOVG9wYmlGVklN
        QjJCbytSUUxnaEJnQi9oblUwWEVrNWFFbEtKdVFEQ2lQdkhFSEN1d0NMWFhOODVN
        b0FLRCtROVMyYlVFTTVlYVRSU2ZoVE11R1B4QmhzYVVLSmJSQ0o1QldNeDl0VzNK
        Y2U3elZXWmJ6V1J1VEh0eThFU3Jia3pXaTF3SHIvVFg3cFRaaWZWOTFqUzFubmpx
        N0dxQzRFZXdrV3I0UCs2WjhRMEg5UFkzcmd6R3NDR0ZZK1NoTVEwU3ozYmh6Q2FF
        QUd0WVU0UE9kNVp2eXQyWmlNNGs1eGl1ZGhseFhkMDAvVTkxU1BFZDczSThYRHp6
        NTFhTTZSclVXV1pSbnBhaDNGbkNIbURhb1RWTVBTUi9mVEV0Y2REcWNhVTlkWHhq
        anUySDBWaDNwSWo5a3lHbmZqYWUxUCtjK25WaVg5b2RnaVJGM2M1OS94dlVIOWU2
        MzE5bU5TSzVMRndUNHlnMzk4MXowdGZoZXJldTB0VzIrRW9rd1lKQzJIWnZkcmxW
        aFdpbmt5ZnZSelZWL2ZDLzdRZUpVeEZOUXFtUmlrbVlPenB5ckNFNmtHWG5TSzRX
        angrcXhsMDdnd3NQWWNaWkt0VURPWWJwd0dCUGNoaTZDRzI0TmdWWHJvVDRTbWJh
        TXM1Tm1maG41d0RXUGZmWk1UQXF2OUlZemJVelpZUjg0bG5seWNNL01RRm5IZDVP
        S0E0alZTQmVodEZ2VUFKYWw1RkRMbU9YR3hHVUtBR0hIZmc5VFZrRThLZWhGMkkv
        R1FxaGRWZXk3cGdYejd5ZWFqUDcyWURTRzZlc3lzQzJoWXpQazU5a2NtN2VxNjho
        c0s1d2kvNnp4b0lwQzcwbkhuS1hVWXcwZnZuSzdOcjZrU0FBWVhrQTJETFhIaDZJ
        NmlQL3Fkd01PK3lML2Noall6ZUQydDZxNFBTQTRmcU80dlpFNFpDVUQ3MExVL1pk
        TzAzUElBdzFrMXVxU2tnTFFlSEU5OUE2NmcySTQ1M3NNd0h3KzgyZy92SGRna1B6
        bDRUblMwZ0xReHpEQVlJMmExQWpLY1EzWEZHTGhDZmJXanlCL2RISFNZdTF6aVdo
        TkRuanUxci82RnZzYWNzUHRINHJyQlFIQmEyWE5HUWhsbisyakMyTm5ZWTFTT1NO
        K2ZCcXB2SVFuOGY2NUVTYUU3MEZoT0VLbFF2ZjBlZ0dhY2N0cmZ1YXZJd0g3Qjly
        MTBnTFVJZkxTZGpGaEc5U2lEL2NyNmZ0NGwzYlFhem1ab1JBRzg0ZS9DYTVDTjhN
        WklTdTZmMVRueVlQSWJsd3FMMUk0WDlseHRzbXIwT25xYzBIUjNUZllnblJFQ21a
        cFhHb3dhTDd4STNvY1FlMXNRVzI5Z3VleUF5R1A3TmlEdG53Rm9tdy9XeWVKYU5Z
        dVNDd0lyZGpCMkxwRmZtb2RPaU5PZFpCSmhPMkFYRXZNMVNNQjIvbnl0UFl1QmhP
        RlZ2bTBxYkpoV016ZVhGdzhvRThVaEdDSjFNWE54L2JWVmwvVTUvVFp0Mlc3UWF0
        eEp2MDNyREcrazhOREkzdmJtbkJpZ2dnb3FXamRndElkbGs3NGxYZkE1Q3lQdlNJ
        U3diTytybHNyZVNvc0VBN0xvTjB3OHBpSXVIeER5U0tKMzBheUM2UWtlR0xKa1kz
        L3VOOVZzQlBqSVU1allGbEpOZm9mZmtSZzUwTmpNQnM1RG5FdWNKcXVJN1VPQQpC
        Mk9wU2dWZjNQWFpWeXduSUNFYS9DVjhWbnFWZ0ZzZytnN3ZCM3hGTExnCi0tLSBC
        bmxkYWU0Rllyc3R1MjUvMVFJanlYL2UwSkJNVXFPNTREdDNaVnZyME9nCio2OLRA
        MdBYOB5HiRCpo30djqJj9dwGsIGyzGlLaaC8vdsffBx0NA==
        -----END AGE ENCRYPTED FILE-----

        """
}
