/// How a rule did over all histories.
struct Score {
    let rule: String
    /// Shares of all choices.
    let wrong: Double
    let asked: Double
    /// Shares of the questions in which the right account was first in the list, and among the first three.
    let firstWhenAsked: Double
    let firstThreeWhenAsked: Double
    /// The mean time of one choice.
    let microseconds: Double

    var cost: Double { 10 * wrong + asked }

    init(of type: any Rule.Type, _ traces: [Trace]) {
        var (choices, wrong, asked, first, firstThree) = (0, 0, 0, 0, 0)
        var seconds = 0.0
        for trace in traces {
            var rule = type.init(accounts: trace.accounts)
            for choice in trace.choices {
                let stopwatch = ContinuousClock.now
                let answer = rule.answer(at: choice.time, for: choice.address)
                seconds += (ContinuousClock.now - stopwatch) / .seconds(1)
                choices += 1
                switch answer {
                case .take(let account): wrong += account == choice.account ? 0 : 1
                case .ask(let list):
                    asked += 1
                    first += list.first == choice.account ? 1 : 0
                    firstThree += list.prefix(3).contains(choice.account) ? 1 : 0
                }
                rule.learn(choice)
            }
        }
        let total = Double(max(choices, 1))
        self.rule = type.name
        self.wrong = Double(wrong) / total
        self.asked = Double(asked) / total
        firstWhenAsked = asked == 0 ? 1 : Double(first) / Double(asked)
        firstThreeWhenAsked = asked == 0 ? 1 : Double(firstThree) / Double(asked)
        microseconds = seconds / total * 1_000_000
    }
}
