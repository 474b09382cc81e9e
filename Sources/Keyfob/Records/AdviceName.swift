package import KeyfobModel

extension Advice {
    /// The name by which every door gives the advice, which stays the same; nil for words of a door's own.
    package var code: String? {
        switch self {
        case .words: nil
        case .told(let code, _): code
        default: Mirror(reflecting: self).children.first?.label ?? "\(self)"
        }
    }
}
