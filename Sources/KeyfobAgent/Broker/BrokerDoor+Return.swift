internal import Keyfob
internal import Dispatch
internal import KeyfobBus
internal import KeyfobFiles
internal import Synchronization

extension BrokerDoor {
    /// Between two looks for a bus, in milliseconds: at first, and at most.
    private static let pauses = (first: 50, longest: 30_000)

    /// Puts the object on the bus and takes the name.
    func open(within deadline: Duration) throws(BusFailure) {
        let number = state.withLock { state in
            state.attempts += 1
            return state.attempts
        }
        let service = try BusService(
            .broker, environment: environment, deadline: deadline, handle: { [weak self] in self?.receive($0) },
            ended: { [weak self] in self?.hasClosed($0) })
        let isUnwanted = state.withLock { state in
            // The bus may have gone away again, and another one have come.
            if state.attempts == number { state.service = service }
            return state.isOver
        }
        if isUnwanted { service.stop() }
    }

    /// The door has closed, for whatever reason.
    private func hasClosed(_ failure: BusFailure?) {
        guard failure == .ended, !state.withLock({ $0.isOver }) else {
            return notices.ended(failure.map { KeyringError($0) })
        }
        notices.lost()
        if !BlockingThread.start({ self.comeBack() }) { notices.ended(KeyringError(.ended)) }
    }

    /// Opens the door on the bus that comes; who waits for its end hears so where it is to close meanwhile.
    private func comeBack() {
        var pause = Self.pauses.first
        while true {
            _ = wake.wait(timeout: .now() + .milliseconds(pause))
            if state.withLock({ $0.isOver }) { return notices.ended(nil) }
            pause = min(2 * pause, Self.pauses.longest)
            do {
                try BrokerServiceFile.requireNoOther(environment)
                try open(within: .seconds(5))
                return notices.isBack()
            } catch BusFailure.noBus, BusFailure.timedOut, BusFailure.ended {
                continue
            } catch let failure as BusFailure {
                return notices.ended(KeyringError(failure))
            } catch {
                return notices.ended(KeyringError(error))
            }
        }
    }
}
