internal import FoundationEssentials
internal import Keyfob

/// Where other tools keep their tokens, as the environment says.
struct ToolPlaces {
    /// A file that may be there.
    struct Place: Hashable {
        let path: String
        /// What it then is.
        let formats: Set<Keyring.CacheFormat>
        /// Whether something else there is told.
        var reportsUnrecognized = true
    }

    /// The most files of a folder that are looked at.
    private static let mostFiles = 256

    private(set) var places: [Place] = []

    init(_ environment: Environment) {
        guard let home = environment["HOME"] else { return }
        // A folder that is not absolute does not count (XDG Base Directory Specification).
        func folder(_ variable: String, else other: String) -> String {
            environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? other
        }
        func add(_ path: String, _ formats: Keyring.CacheFormat..., reportsUnrecognized: Bool = true) {
            let place = Place(path: path, formats: Set(formats), reportsUnrecognized: reportsUnrecognized)
            if !places.contains(where: { $0.path == path }) { places.append(place) }
        }
        let configuration = folder("XDG_CONFIG_HOME", else: home + "/.config")
        add(folder("GH_CONFIG_DIR", else: configuration + "/gh") + "/hosts.yml", .gh)
        // gcloud does not follow XDG.
        let gcloud = folder("CLOUDSDK_CONFIG", else: home + "/.config/gcloud")
        add(gcloud + "/application_default_credentials.json", .gcloud)
        add(gcloud + "/credentials.db", .gcloudDatabase)
        add(gcloud + "/access_tokens.db", .gcloudDatabase)
        add(home + "/.git-credentials", .gitCredentials)
        add(configuration + "/git/credentials", .gitCredentials)
        add(folder("DOCKER_CONFIG", else: home + "/.docker") + "/config.json", .docker, reportsUnrecognized: false)
        if let file = environment["REGISTRY_AUTH_FILE"] { add(file, .docker, reportsUnrecognized: false) }
        if let runtime = environment["XDG_RUNTIME_DIR"] {
            add(runtime + "/containers/auth.json", .docker, reportsUnrecognized: false)
        }
        add(configuration + "/containers/auth.json", .docker, reportsUnrecognized: false)
        for file in (environment["KUBECONFIG"] ?? home + "/.kube/config").split(separator: ":") {
            add(String(file), .kubeconfig)
        }
        let azure = folder("AZURE_CONFIG_DIR", else: home + "/.azure")
        add(azure + "/msal_token_cache.json", .msal)
        add(azure + "/accessTokens.json", .adal)
        for agent in [folder("OIDC_CONFIG_DIR", else: configuration + "/oidc-agent"), home + "/.oidc-agent"] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: agent)) ?? []
            for name in names.sorted().prefix(Self.mostFiles) {
                add(agent + "/" + name, .oidcAgent, reportsUnrecognized: false)
            }
        }
    }
}

extension Keyring.CacheFormat {
    /// Whether it is another tool's file, and no token cache.
    var isOfTool: Bool { self != .msal && self != .adal }

    /// How the tokens go from a file without the sign-in ending at the provider.
    func removal(from path: String) -> String? {
        switch self {
        case .gh: "'gh auth logout' takes them out"
        case .gcloud: "delete it ('gcloud auth application-default revoke' would end the sign-in here too)"
        case .gcloudDatabase: "gcloud goes on using them ('gcloud auth revoke' would end the sign-in here too)"
        case .gitCredentials: "take the lines out of it"
        case .docker: "'docker logout' with the registry's name takes them out"
        case .kubeconfig: "'kubectl config delete-user' with the user's name takes them out"
        case .msal: "'keyfob import \(ShellWord.inMessage(path)) --take-over' removes the refresh tokens from it"
        case .oidcAgent, .mutt, .adal, .pythonKeyring, .pizauth: nil
        }
    }
}
