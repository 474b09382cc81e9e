package import KeyfobModel

extension RefusalVerdict {
    /// A refusal as it is remembered; nil for what is no refusal.
    package init?(_ judged: JudgedRefusal, of request: RefusedRequest, id: String, at time: Timestamp) {
        guard let refusal = judged.failure.refusal else { return nil }
        self.init(
            id: id, reach: judged.ruling.reach, isOfClient: judged.ruling.isOfClient, remedy: judged.ruling.remedy,
            request: request,
            answer: Answer(
                status: refusal.status, error: refusal.error, suberror: refusal.suberror, codes: refusal.codes,
                text: refusal.text?.description, claims: refusal.claims), time: time)
    }

    /// The refusal as the one who met it had it.
    package var judged: JudgedRefusal {
        JudgedRefusal(
            ProviderFailure(
                Refusal(
                    status: answer.status, error: answer.error, suberror: answer.suberror, codes: answer.codes,
                    text: answer.text.flatMap { ProviderText($0) }, claims: answer.claims)),
            RefusalRuling(reach, remedy, isOfClient: isOfClient))
    }
}
