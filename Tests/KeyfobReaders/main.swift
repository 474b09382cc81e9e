internal import Foundation

// Tells what each reader of other programs' text makes of documents, so that it can be compared with the libraries that
// people trust (Tests/Readers/run). Not part of what is shipped.
//
//   KeyfobReaders < REQUESTS    reads a line 'READER HEXADECIMAL' for each document, and writes a line for each:
//                               what it is in the words of the reader, or 'refused' and why
//
// Exit status: 0; 64 for a line that is no request.

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(64)
}

let readers: [String: ([UInt8]) -> String] = [
    "json": Structures.json, "yaml": Structures.yaml, "toml": Structures.toml, "plist": Structures.propertyList,
    "git-config": Lines.gitConfiguration, "git-credential": Lines.gitCredential,
    "git-credential-file": Lines.gitCredentialFile, "form": Lines.form, "sts": Lines.refusal,
    "resource": Addresses.resource, "endpoint": Addresses.endpoint, "credential-url": Addresses.credential,
    "remote": Addresses.remote, "percent": Addresses.percent,
    "width": Words.width, "http-date": Words.httpDate, "rfc3339": Words.rfc3339, "base64": Words.base64,
    "msal-key": MSALKeys.key,
    "x25519": Primitives.x25519, "hmac": Primitives.hmac, "hkdf": Primitives.hkdf,
    "chacha20-poly1305": Primitives.chacha20Poly1305,
]

while let line = readLine() {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 2, let reader = readers[String(words[0])], let document = Hex.decoded(words[1]) else {
        fail("no request: \(line.prefix(80))")
    }
    // At once, so that a line tells which document stopped the program.
    FileHandle.standardOutput.write(Data((reader(document) + "\n").utf8))
}
