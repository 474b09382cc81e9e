import KeyfobSecretService
import Testing

@Suite struct BatchSizeTests {
    private func portion(after steps: [(longest: Int, time: Duration)]) -> Int {
        var portion = BatchSize(deadline: .seconds(3))
        for step in steps { portion.adapt(longest: step.longest, time: step.time) }
        return portion.count
    }

    @Test(arguments: [(0, 32), (1, 64), (2, 128), (9, 256)])
    func growsWhileSecretsAreShortAndComeQuickly(steps: Int, expected: Int) {
        #expect(portion(after: Array(repeating: (3_000, .milliseconds(1)), count: steps)) == expected)
    }

    @Test(arguments: [(200_000, 41), (1 << 20, 8), (2 << 20, 4), (64 << 20, 1), (.max, 1), (0, 64)])
    func isSmallWhereSecretsAreLong(longest: Int, expected: Int) {
        #expect(portion(after: [(longest, .milliseconds(1))]) == expected)
    }

    @Test(arguments: [(Duration.milliseconds(300), 32), (.milliseconds(600), 16), (.seconds(300), 1), (.zero, 64)])
    func isSmallWhereSecretsComeSlowly(time: Duration, expected: Int) {
        #expect(portion(after: [(1, time)]) == expected)
    }
}
