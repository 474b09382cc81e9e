import Testing

@testable import KeyfobSync

@Suite("The times of a bundle")
struct BundleTimeTests {
    @Test("the ends of the range")
    func ends() {
        #expect(BundleTime.text(milliseconds: .max) == "9999-12-31T23:59:59.999Z")
        #expect(BundleTime.text(milliseconds: .min) == "0000-01-01T00:00:00.000Z")
        #expect(BundleTime.text(milliseconds: -1) == "1969-12-31T23:59:59.999Z")
        #expect(BundleTime.milliseconds("1969-12-31T23:59:59.999Z") == -1)
    }

    @Test(
        "what is written in another way is refused",
        arguments: [
            "", "2026-11-21T10:15:00Z", "2026-11-21T10:15:00.12Z", "2026-11-21T10:15:00,123Z",
            "2026-11-21T10:15:00.+12Z", "2026-02-29T10:15:00.123Z", "2026-11-21T10:15:00.123z",
        ])
    func refused(text: String) {
        #expect(BundleTime.milliseconds(text) == nil)
    }
}
