/// Why a person was not asked, or gave no answer.
package enum TerminalFailure: Error, Hashable, Sendable {
    /// There is no terminal.
    case absent
    /// There is nobody at it any more.
    case gone
    /// It cannot be kept from showing what is typed.
    case cannotHide
    /// It cannot be set to take single keys.
    case cannotTakeKeys
    /// There are no file descriptors left.
    case noDescriptors
    /// The person has pressed Ctrl-C.
    case interrupted
    /// An empty line came, or the end of what is typed.
    case nothingTyped
    /// The person left without a choice.
    case nothingChosen
    /// Nobody answered in time.
    case unanswered
    /// The program for which a person was asked has ended.
    case unwanted
    /// There is nothing to choose from.
    case noChoices
}
