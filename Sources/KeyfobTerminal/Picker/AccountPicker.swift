internal import Glibc

/// Lets a person choose an account on the terminal.
package enum AccountPicker {
    private enum Outcome {
        case chosen(PickedItem)
        case cancelled
        case ended(by: CInt)
    }

    /// Shows the items, best first, and returns the one that was chosen.
    ///
    /// The terminal is as it was before when this returns, throws, or ends the process because a signal told it to.
    ///
    /// - Parameters:
    ///   - subject: For what it offers to remember the choice; nil where it does not.
    ///   - limit: How long it stays; nil for as long as nobody answers.
    /// - Throws: `nothingChosen` when the person leaves without an answer, `absent`, `gone`, `cannotTakeKeys`, `noChoices`,
    ///   `unwanted`, `unanswered`.
    package static func choose(
        among items: [PickerItem], purpose: String, color: Bool, remembering subject: String? = nil,
        until limit: QuestionLimit? = nil
    ) throws(TerminalFailure) -> PickedItem {
        guard !items.isEmpty else { throw .noChoices }
        let screen = PickerScreen(items, purpose: purpose, remembering: subject)
        switch try outcome(screen, PickerState(items, offersToRemember: subject != nil), limit, color) {
        case .chosen(let item): return item
        case .cancelled: throw .nothingChosen
        case .ended(let signal): SignalPipe.end(by: signal)
        }
    }

    /// Runs with the signals taken over: from when the terminal is changed on, none may end the process.
    private static func outcome(
        _ screen: PickerScreen, _ state: PickerState, _ limit: QuestionLimit?, _ color: Bool
    ) throws(TerminalFailure) -> Outcome {
        let signals = try SignalPipe()
        return try outcome(screen, state, limit, signals, color)
    }

    /// Runs until there is an answer; the terminal is put back when it returns.
    private static func outcome(
        _ screen: PickerScreen, _ start: PickerState, _ limit: QuestionLimit?, _ signals: borrowing SignalPipe,
        _ color: Bool
    ) throws(TerminalFailure) -> Outcome {
        var (state, limit) = (start, limit)
        var decoder = PickerKeyDecoder()
        let terminal = try PickerTerminal()
        try terminal.enter()
        defer { terminal.leave() }
        draw(&state, screen, terminal, signals, color)
        while true {
            try limit?.check()
            let patience = limit == nil ? nil : QuestionLimit.interval
            switch terminal.wait(signals, patience: decoder.patience ?? patience) {
            case .gone: throw .gone
            case .signal(SIGWINCH): draw(&state, screen, terminal, signals, color)
            case .signal(let signal) where SignalPipe.ending.contains(signal): return .ended(by: signal)
            case .signal(let signal):
                if signal == SIGTSTP {
                    terminal.leave()
                    signals.stop()
                }
                // Whoever stopped or continued the process may have changed the terminal.
                try terminal.enter()
                draw(&state, screen, terminal, signals, color)
            case .silence where decoder.patience == nil: break
            case .silence:
                if let outcome = apply([decoder.timeOut()], &state, screen, terminal, signals, color) { return outcome }
            case .input(let bytes):
                limit?.restart()
                let keys = bytes.map { decoder.take($0) }
                if let outcome = apply(keys, &state, screen, terminal, signals, color) { return outcome }
            }
        }
    }

    /// Handles keys, then draws once; returns the answer, if there is one.
    private static func apply(
        _ keys: [PickerKey?], _ state: inout PickerState, _ screen: PickerScreen,
        _ terminal: borrowing PickerTerminal, _ signals: borrowing SignalPipe, _ color: Bool
    ) -> Outcome? {
        var isChanged = false
        for key in keys {
            guard let key else { continue }
            switch state.handle(key) {
            case .none: break
            case .redraw: isChanged = true
            case .choose(let index): return .chosen(PickedItem(index: index))
            case .remember(let index): return .chosen(PickedItem(index: index, isForGood: true))
            case .cancel: return .cancelled
            }
        }
        if isChanged { draw(&state, screen, terminal, signals, color) }
        return nil
    }

    private static func draw(
        _ state: inout PickerState, _ screen: PickerScreen, _ terminal: borrowing PickerTerminal,
        _ signals: borrowing SignalPipe, _ color: Bool
    ) {
        let (columns, rows) = (terminal.size.columns, terminal.size.rows)
        state.setPage(screen.page(columns: columns, rows: rows))
        terminal.draw(
            screen.frame(state, columns: columns, rows: rows), columns: columns, rows: rows, color: color, signals)
    }
}
