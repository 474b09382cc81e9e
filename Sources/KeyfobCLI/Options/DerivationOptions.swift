internal import ArgumentParser
internal import Keyfob

/// What it costs whoever tries passphrases.
struct DerivationOptions: ParsableArguments {
    private static let range = (Keyring.NewSlot.memories.lowerBound >> 20)...(Keyring.NewSlot.memories.upperBound >> 20)

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Memory for a passphrase's derivation, \(Self.range.lowerBound) to \(Self.range.upperBound) MiB.",
            valueName: "mib"))
    var kdfMemory = Keyring.NewSlot.usualMemory >> 20

    /// The memory in bytes.
    var memory: UInt64 { kdfMemory << 20 }

    func validate() throws {
        guard Self.range.contains(kdfMemory) else {
            throw ValidationError(
                "--kdf-memory is between \(Self.range.lowerBound) and \(Self.range.upperBound) MiB")
        }
    }
}
