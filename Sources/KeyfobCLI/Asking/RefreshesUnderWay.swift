internal import Synchronization

/// The programs that refresh tokens for threads of this process: one for each question.
enum RefreshesUnderWay {
    /// One of them; whoever holds the lock waits for it.
    private final class Refresh: Sendable {
        let end = Mutex<RefreshEnd?>(nil)
    }

    private static let all = Mutex<[[UInt8]: Refresh]>([:])

    /// How the refresh ended that `ask` begins, or that another thread had begun by the same question.
    ///
    /// One that ended without an answer is tried again by each that waited for it.
    static func end(of question: [UInt8], _ ask: () -> RefreshEnd?) -> RefreshEnd? {
        let refresh = all.withLock { all in
            let refresh = all[question] ?? Refresh()
            all[question] = refresh
            return refresh
        }
        let end = refresh.end.withLock { end in
            switch end {
            case .answered, .silent: break
            case .killed, nil: end = ask()
            }
            return end
        }
        // Who asks from now on asks anew.
        all.withLock { all in
            if all[question] === refresh { all[question] = nil }
        }
        return end
    }
}
