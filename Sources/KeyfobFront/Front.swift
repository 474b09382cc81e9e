@unsafe @preconcurrency internal import Glibc
internal import KeyfobConfinement
internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobSelection
internal import KeyfobSodium

/// What starts when somebody types `keyfob`, or git, docker or kubectl calls: prints a stored token that is fresh, and who counts
/// here, where everything is plain, its version and its help, and becomes the full program for everything else.
///
/// Until it hands on it has printed nothing, so that what is said comes from one place. What it has seen of a vault it may
/// have noted, as the full program would.
enum Front {
    /// Answers, or becomes the full program.
    static func run(_ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
        let words = unsafe words(arguments)
        if let text = words.flatMap(plainAnswer(to:)), let status = Output.write(text) { return status }
        // With too little for itself it leaves what is wrong to be told below.
        if ProcessLimits.front.refusal == nil, let words, let taken = TokenArguments(words),
            let variables = unsafe Variables(environ)
        {
            ProcessHardening.apply()
            if let status = answer(taken, variables) { return status }
        }
        return unsafe FullProgram.become(arguments)
    }

    /// What was typed behind the name of the program, or stands for it; nil where it is no text.
    private static func words(_ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> [String]? {
        guard let name = unsafe arguments.pointee, let path = unsafe String(validatingCString: name) else { return nil }
        var words = ToolCall(path: path)?.words ?? []
        var next = unsafe arguments + 1
        while let word = unsafe next.pointee {
            // The front takes far fewer.
            guard words.count < 64, let text = unsafe String(validatingCString: word) else { return nil }
            words.append(text)
            unsafe next += 1
        }
        return words
    }

    /// What is said without looking at anything; nil where the full program has to fit it to a narrow terminal, or to the
    /// columns that somebody asks for.
    private static func plainAnswer(to words: [String]) -> String? {
        switch words {
        case ["--version"]: Release.version + "\n"
        // Where one stands, for a person.
        case [] where isatty(STDOUT_FILENO) == 1: nil
        case [], ["--help"], ["-h"], ["help"]:
            unsafe getenv("COLUMNS") == nil && hasRoom(Help.columns) ? Help.text : nil
        default: nil
        }
    }

    /// Whether standard output is no terminal, or one with so many columns, or one that does not know.
    private static func hasRoom(_ columns: Int) -> Bool {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return true }
        return size.ws_col == 0 || size.ws_col >= columns
    }

    /// Does what the command line says.
    ///
    /// - Returns: The exit status; nil where nothing was written, and the full program has to answer.
    private static func answer(_ taken: TokenArguments, _ variables: Variables) -> CInt? {
        SecretMemory.shareOneRegion()
        guard let call = taken.call else {
            guard let asked = FrontRequest(taken, variables) else { return nil }
            if taken.isPrompt { return prompt(asked, variables) }
            return find(asked, variables) { secret, _ in
                Output.write(secret, behind: taken.has(.header) ? "Authorization: Bearer " : "")
            }
        }
        switch (call, taken.operation) {
        case (.git, _): return GitAnswer.answer(taken, variables)
        case (.docker, "get"): return DockerAnswer.get(taken, variables)
        case (.kubectl, nil): return KubectlAnswer.get(taken, variables)
        default: return nil
        }
    }

    /// Prints who counts here.
    ///
    /// - Returns: The exit status; nil where nothing was written, and the full program has to answer.
    private static func prompt(_ asked: FrontRequest, _ variables: Variables) -> CInt? {
        guard let key = key(for: asked, variables) else { return nil }
        let glance = AccountGlance.cached(
            asked.request, in: asked.groups, vault: asked.places.vault, state: asked.places.state, key: key,
            now: Timestamp(seconds: Int64(time(nil))), projectFiles: .front)
        guard let text = glance?.promptText else { return nil }
        return text.isEmpty ? 0 : Output.write(text + "\n")
    }

    /// What opens the vault; nil for a key file that the full program has to look at.
    private static func key(for asked: FrontRequest, _ variables: Variables) -> CachedToken.Key? {
        guard let named = asked.keyFile else { return .session(runtime: asked.places.runtime) }
        let credentials = variables["CREDENTIALS_DIRECTORY"]
        // A pipe can be read only once.
        guard let path = SecretFile.keyPath(of: named, vault: asked.places.vault, credentials: credentials),
            FileAccess.status(path, following: true)?.isRegularFile == true,
            let content = try? SecretFile.read(path)
        else { return nil }
        return .keyFile(content)
    }

    /// Finds the token that is asked for, and lets `write` print it.
    ///
    /// - Parameters:
    ///   - isUse: Whether who asks is given the token, which is then noted.
    ///   - nobody: Says that no account is meant, so that a tool goes on.
    /// - Returns: What `write` or `nobody` does; nil where there is no token, and the full program has to say why.
    static func find(
        _ asked: FrontRequest, _ variables: Variables, isUse: Bool = true, orSay nobody: () -> CInt? = { nil },
        _ write: (RawSpan, TokenHits.Hit) -> CInt?
    ) -> CInt? {
        guard let key = key(for: asked, variables) else { return nil }
        let now = Timestamp(seconds: Int64(time(nil)))
        let answer = CachedToken.answer(
            asked.request, in: asked.groups, vault: asked.places.vault, state: asked.places.state, key: key,
            now: now, projectFiles: .front, isLast: true)
        switch consume answer {
        case .token(let secret, let hit):
            guard secret.isHeaderValue, let status = secret.withBytes({ write($0, hit) }) else { return nil }
            if isUse, status == 0 { hit.noteUse(for: asked.request, by: asked.tool, in: asked.places.vault, at: now) }
            return status
        case .miss(.nobodys): return nobody()
        case .miss: return nil
        }
    }
}

extension ProjectFileAccess {
    /// Project files that are as they were when they were allowed; what else there is to say of one is for the full
    /// program.
    fileprivate static let front = ProjectFileAccess(
        paths: { ProjectFileContent.paths(from: $0) },
        problem: { path, digest in
            if let digest, let content = try? ProjectFileContent(path), content.digest == digest { return nil }
            return Warning(.projectFile, path)
        })
}
