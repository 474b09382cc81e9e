internal import KeyfobModel
internal import KeyfobOAuth

/// What services want to find in the next proof of a key, each by its host.
final class GatewayNonces {
    private let known = KeptNonces.none()

    /// Takes note of what an answer says.
    func note(_ head: AnswerHead, from url: EndpointURL) { known.note(head.headers, from: url) }

    /// The question, with what its service wants.
    func completing(_ question: GatewayQuestion) -> GatewayQuestion {
        var question = question
        question.nonce = (try? EndpointURL("https://" + question.host)).flatMap { known[$0] }
        return question
    }
}
