internal import KeyfobFiles
package import KeyfobSodium

/// Waits for the answer of a sign-in whose redirect address has a scheme of its own (RFC 8252, section 7.1): the desktop starts
/// a program with the whole address, and that brings it to a socket in the login's own folder (``SchemeDelivery``).
///
/// Whoever opens one calls ``answer(seconds:_:)`` once, or ``close()``.
package struct SchemeListener: Sendable {
    /// Where the provider should lead the browser.
    package let redirectURI: String
    private let door: SchemeSocket

    /// Listens in a folder that is the owner's alone: only processes of the same user can bring anything.
    package static func open(for redirectURI: String, in folder: String) throws(SchemeFailure) -> SchemeListener {
        SchemeListener(redirectURI: redirectURI, door: try SchemeSocket(in: folder))
    }

    /// Has `judge` look at every address that comes, until one is the answer or the end, the time is up, or the listener
    /// is closed.
    ///
    /// Who brings one is told at once what it was: the code is among that program's arguments for as long as it waits.
    package func answer(
        seconds: Int64, _ judge: @escaping @Sendable (borrowing SecretBytes) -> SchemeVerdict
    ) async -> LoopbackListener.Ending {
        let deadline = ContinuousClock.now + .seconds(min(max(0, seconds), 86_400))
        let answered = Handover<Bool>()
        await withTaskCancellationHandler {
            _ = await BlockingThread.run { [door] in
                if door.serve(until: deadline, judge) { answered.put(true) }
            }
        } onCancel: {
            door.shut()
        }
        door.close()
        if answered.take() != nil { return .answered }
        return deadline <= .now && !Task.isCancelled ? .timedOut : .cancelled
    }

    /// Stops listening: a wait ends at once, and later ones too.
    package func close() async {
        door.shut()
        door.close()
    }
}
