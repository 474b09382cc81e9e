/// What a person does at the picker.
enum PickerKey: Hashable, Sendable {
    /// One character was typed.
    case character(Unicode.Scalar)
    /// A text was pasted: control characters are gone, ends of lines are spaces.
    case paste(String)
    case up
    case down
    case pageUp
    case pageDown
    case home
    case end
    case enter
    /// Ctrl-R: chooses for good.
    case remember
    /// Escape, Ctrl-C or Ctrl-G.
    case cancel
    case backspace
    /// Ctrl-U: removes the query.
    case clear
    /// Ctrl-W: removes the last word.
    case deleteWord
    /// Ctrl-D.
    case endOfInput
    /// Ctrl-L.
    case redraw
}
