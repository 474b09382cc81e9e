internal import KeyfobSodium
internal import NIOCore
internal import Synchronization

/// One callback on its way from a connection to whoever judges it.
struct LoopbackCallback: Sendable {
    /// Hands the fields over once: a secret can be in no stream.
    final class Fields: Sendable {
        private let fields: Mutex<SecretBytes?>

        init(_ fields: consuming SecretBytes) {
            self.fields = Mutex(fields)
        }

        func take() -> SecretBytes? { fields.withLock { $0.take() } }
    }

    let fields: Fields
    let channel: any Channel

    /// Writes the page and waits until it is with the browser or the browser has gone.
    func answer(_ page: LoopbackPage) async {
        try? await channel.writeAndFlush(page).get()
    }
}
