// Prints a token that is stored, linked with what a lookup takes and nothing else:
// `KeyfobCachedToken VAULT STATE KEYFILE NOW ACCOUNT SCOPE`.
import Glibc
import KeyfobLookup
import KeyfobModel
import KeyfobSodium

/// The bytes of a small file.
func contents(of path: String) -> [UInt8] {
    guard let file = unsafe fopen(path, "r") else { return [] }
    defer { unsafe fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = unsafe fgetc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
    return bytes
}

/// Prints the token, or why there is none.
///
/// - Returns: The exit status.
func run(_ arguments: [String]) -> CInt {
    guard arguments.count == 7, let now = Int64(arguments[4]) else { return 64 }
    let key = contents(of: arguments[3]).withBytes { SecretBytes(copying: $0) }
    let answer = CachedToken.answer(
        TokenRequest(account: arguments[5] == "-" ? nil : arguments[5], scopes: [arguments[6]]), vault: arguments[1],
        state: arguments[2], key: .keyFile(key), now: Timestamp(seconds: now),
        projectFiles: ProjectFileAccess(paths: { _ in [] }, problem: { _, _ in nil }))
    switch consume answer {
    case .token(let secret, let hit):
        print(hit.account.name, secret.withBytes { String(decoding: [UInt8]($0), as: UTF8.self) })
        return 0
    case .miss(let reason):
        print("miss: \(reason)")
        return 1
    }
}

exit(run(CommandLine.arguments))
