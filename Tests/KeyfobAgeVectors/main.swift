internal import Foundation
internal import KeyfobAge
internal import KeyfobAgeHybrid
internal import KeyfobSodium

// Opens age files from outside, so that any suite of test vectors can be run against KeyfobAge. Not part of what is
// shipped.
//
//   KeyfobAgeVectors FILE -i IDENTITY_FILE      writes the plaintext to standard output
//   KeyfobAgeVectors FILE -p PASSPHRASE_FILE    the same with a passphrase, without the line end of the file
//   KeyfobAgeVectors --vector FILE…             runs vectors of the C2SP testkit: 'ok NAME' or 'FAIL NAME …' for each
//
// What cannot be opened is told on standard error in one of the testkit's terms: 'no match', 'HMAC failure',
// 'header failure', 'armor failure' or 'payload failure'. The plaintext before a payload failure is written.
//
// Exit status: 0 opened, or all vectors are ok; 1 not; 64 usage; 66 a file cannot be read.

func fail(_ status: Int32, _ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(status)
}

func contents(_ path: String) -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: path) else { fail(66, "\(path) cannot be read") }
    return [UInt8](data)
}

func open(_ path: String, with key: consuming Opening.Key) {
    let opening = Opening(of: contents(path), with: key)
    FileHandle.standardOutput.write(Data(opening.plaintext))
    guard let failure = opening.failure else { return }
    fail(1, failure.vectorClass == "none" ? "\(failure)" : failure.vectorClass)
}

let words = Array(CommandLine.arguments.dropFirst())
switch words.first {
case "--vector" where words.count > 1:
    var isWell = true
    for path in words.dropFirst() {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        do {
            let result = try TestVector(parsing: contents(path)).run()
            print(result.line(name))
            isWell = isWell && result.isExpected
        } catch {
            print("FAIL \(name) is no vector: \(error)")
            isWell = false
        }
    }
    exit(isWell ? 0 : 1)
case let file? where words.count == 3 && words[1] == "-i":
    let text = contents(words[2])
    do {
        open(
            file,
            with: .identities(try text.withBytes { (bytes) throws(AgeError) in try AgeIdentityFile(parsing: bytes) }))
    } catch {
        fail(66, "\(words[2]) holds no age identity")
    }
case let file? where words.count == 3 && words[1] == "-p":
    var text = contents(words[2])
    if text.last == UInt8(ascii: "\n") { text.removeLast() }
    open(file, with: .passphrase(text.withBytes { SecretBytes(copying: $0) }))
default:
    fail(64, "usage: KeyfobAgeVectors FILE (-i IDENTITY_FILE | -p PASSPHRASE_FILE), or --vector FILE…")
}
