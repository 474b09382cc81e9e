@testable import KeyfobTerminal
import Testing

@Suite("The state of the picker")
struct PickerStateTests {
    private var state = PickerState(PickerItem.samples)

    /// Types a text, one key for each scalar.
    private mutating func type(_ text: String) {
        for scalar in text.unicodeScalars { _ = state.handle(.character(scalar)) }
    }

    @Test("the best is marked at first, and Enter takes it")
    mutating func first() {
        #expect(state.choice == 0)
        #expect(state.handle(.enter) == .choose(0))
    }

    @Test("Ctrl-R takes it for good, where that is offered")
    mutating func remembering() {
        #expect(state.handle(.remember) == .none)
        var offering = PickerState(PickerItem.samples, offersToRemember: true)
        _ = offering.handle(.down)
        #expect(offering.handle(.remember) == .remember(1))
        _ = offering.handle(.character("%"))
        #expect(offering.choice == nil && offering.handle(.remember) == .none)
        var decoder = PickerKeyDecoder()
        #expect(decoder.take(0x12) == .remember)
    }

    @Test("keys move the mark and stop at the ends")
    mutating func moving() {
        state.setPage(2)
        #expect(state.handle(.up) == .none)
        #expect(state.handle(.down) == .redraw && state.choice == 1)
        #expect(state.handle(.pageDown) == .redraw && state.choice == 3)
        #expect(state.handle(.end) == .redraw && state.choice == 5)
        #expect(state.handle(.down) == .none && state.handle(.pageDown) == .none && state.handle(.end) == .none)
        #expect(state.handle(.pageUp) == .redraw && state.choice == 3)
        #expect(state.handle(.up) == .redraw && state.choice == 2)
        #expect(state.handle(.home) == .redraw && state.choice == 0)
        #expect(state.handle(.pageUp) == .none)
    }

    @Test("typing narrows, marks the best match, and chooses the item, not its place")
    mutating func typing() {
        _ = state.handle(.end)
        type("con")
        #expect(state.query == "con" && state.matches == [3, 0, 2].sorted() && state.choice == 0)
        _ = state.handle(.down)
        #expect(state.handle(.enter) == .choose(2))
    }

    @Test("with no match Enter does nothing")
    mutating func nothing() {
        type("nobody")
        #expect(state.choice == nil && state.visible.isEmpty)
        for key in [PickerKey.enter, .up, .down, .pageUp, .pageDown, .home, .end] {
            #expect(state.handle(key) == .none)
        }
        #expect(state.handle(.clear) == .redraw && state.choice == 0)
    }

    @Test("Backspace removes what is one character to a person, Ctrl-W a word, Ctrl-U all")
    mutating func deleting() {
        #expect(
            state.handle(.backspace) == .none && state.handle(.deleteWord) == .none && state.handle(.clear) == .none)
        type("jose\u{301}")
        #expect(state.handle(.backspace) == .redraw && state.query == "jos")
        type(" fab ci  ")
        #expect(state.handle(.deleteWord) == .redraw && state.query == "jos fab ")
        #expect(state.handle(.deleteWord) == .redraw && state.query == "jos ")
        #expect(state.handle(.clear) == .redraw && state.query.isEmpty)
    }

    @Test("a paste is typed and chooses nothing")
    mutating func pasting() {
        #expect(state.handle(.paste("bob ")) == .redraw)
        #expect(state.query == "bob " && state.choice == 2)
    }

    @Test("a query has a limit")
    mutating func limit() {
        #expect(state.handle(.paste(String(repeating: "a", count: 1_024))) == .redraw)
        #expect(state.handle(.character("a")) == .none && state.handle(.paste("b")) == .none)
        #expect(state.handle(.backspace) == .redraw)
    }

    @Test("Escape cancels always, Ctrl-D where nothing is typed")
    mutating func cancelling() {
        #expect(state.handle(.endOfInput) == .cancel)
        type("a")
        #expect(state.handle(.endOfInput) == .none)
        #expect(state.handle(.cancel) == .cancel)
    }

    @Test("the mark is always seen, and no room is wasted", arguments: 1...8)
    func scrolling(page: Int) {
        var state = PickerState((0..<20).map { .sample("user\($0)") })
        let keys: [PickerKey] = [
            .end, .up, .pageUp, .down, .pageDown, .home, .down, .down, .end, .character("1"), .end, .backspace,
            .pageDown,
        ]
        for (step, key) in keys.enumerated() {
            // Also when the size changes in between.
            state.setPage(step.isMultiple(of: 3) ? 20 - page : page)
            _ = state.handle(key)
            #expect(state.visible.contains(state.marked), "\(key)")
            #expect(state.visible.count == min(state.page, state.matches.count), "\(key)")
        }
    }
}
