import Foundation
import KeyfobTestSupport
import Testing

/// The real aws command against moto, which checks signatures and permissions.
@Suite("aws with 'keyfob helper aws'", .waitsForPrograms)
struct AWSCredentialTests {
    private let provider: ProviderServer
    private let server: GuestServer
    private let home: SignInPlace
    private let role = "arn:aws:iam::123456789012:role/reader"

    init() throws {
        provider = try ProviderServer.shared()
        server = try .aws(provider)
        home = try SignInPlace(
            provider,
            variables: [
                "AWS_CONFIG_FILE": "aws.ini", "AWS_ENDPOINT_URL": "http://\(server.host)",
                "AWS_DEFAULT_REGION": "us-east-1",
                "AWS_EC2_METADATA_DISABLED": "true",
                "PATH": ProjectFolder.root.appending(path: ".venv/bin").path + ":bin:/usr/bin:/bin",
            ])
        try home.signIn("alice")
    }

    private func configure(_ options: String = "") throws {
        try home.place.write(
            "aws.ini",
            """
            [default]
            credential_process = keyfob helper aws --role-arn \(role) --endpoint http://\(server.host)/ \(options)

            """)
    }

    private var document: Outcome {
        get throws { try home.run("keyfob helper aws --role-arn \(role) --endpoint http://\(server.host)/") }
    }

    @Test("a bound account's token becomes credentials with which aws may do what the role may")
    func listing() throws {
        try configure()
        let unbound = try home.run("aws s3 ls")
        #expect(unbound.status != 0 && unbound.errors.contains("do not go to \(server.host)"), "\(unbound)")
        #expect(try server.requests().isEmpty)
        try home.run("keyfob bind -q --host \(server.host) alice").expectSuccess()
        #expect(try home.run("aws s3 ls").expectSuccess().text.hasSuffix(" books\n"))
        let forbidden = try home.run("aws iam list-users")
        #expect(forbidden.errors.contains("AccessDenied"), "\(forbidden)")
        // The second program had those of the first.
        #expect(try server.requests() == ["taken alice alice"])
    }

    @Test("credentials are kept until they end or the person signs out, for one role and session, and go nowhere else")
    func kept() throws {
        try home.run("keyfob bind -q --host \(server.host) alice").expectSuccess()
        let first = try document.expectSuccess().text
        #expect(try document.expectSuccess().text == first)
        let command = "keyfob helper aws --role-arn \(role) --endpoint http://\(server.host)/"
        for options in ["--session-name other", "--duration 1000", "--force-refresh"] {
            #expect(try home.run("\(command) \(options)").expectSuccess().text != first, "\(options)")
        }
        #expect(try server.requests().count == 4)
        let key = try #require(first.firstMatch(of: /"AccessKeyId":"([^"]*)"/)?.1)
        #expect(try !home.run("keyfob export --format msal -q -").expectSuccess().text.contains(key))
        #expect(try !home.run("keyfob token").expectSuccess().text.contains("AccessKeyId"))
        try home.run("keyfob logout -q alice").expectSuccess()
        let outcome = try document
        #expect(outcome.status == 10 && outcome.text.isEmpty, "\(outcome)")
        try home.expectSound()
    }

    @Test("a token that has expired over there is replaced, once, and the account stays")
    func expired() throws {
        try home.run("keyfob bind -q --host \(server.host) alice").expectSuccess()
        let sign = try home.refreshToken(of: "alice")
        try server.refuse(try home.token())
        try document.expectSuccess()
        #expect(try server.requests() == ["expired - alice", "taken alice alice"])
        try server.refuse("*")
        let outcome = try home.run(
            "keyfob helper aws --role-arn \(role) --endpoint http://\(server.host)/ --session-name other")
        #expect(outcome.status == 10 && outcome.errors.contains("ExpiredTokenException"), "\(outcome)")
        #expect(outcome.text.isEmpty)
        #expect(try provider.refreshes().count { $0.refreshToken == sign } == 1)
        try home.expectSound()
    }

    @Test("a program that runs on has new credentials before the old ones end")
    func renewal() throws {
        try configure()
        try home.run("keyfob bind -q --host \(server.host) alice").expectSuccess()
        try server.shorten(to: 30)
        // botocore replaces what ends within ten minutes.
        try home.place.write(
            "twice.py",
            """
            import boto3
            client = boto3.client("s3")
            for _ in range(2):
                print(client.list_buckets()["Buckets"][0]["Name"])
            """)
        #expect(try home.run("\(PythonScript.interpreter) twice.py").expectSuccess().text == "books\nbooks\n")
        #expect(try server.requests().count >= 2)
    }

    @Test("what is refused, or is no such service, is told in one line")
    func refusals() throws {
        try home.run("keyfob bind -q --host \(server.host) alice").expectSuccess()
        let denied = try home.run(
            "keyfob helper aws --role-arn arn:aws:iam::123456789012:role/writer --endpoint http://\(server.host)/")
        #expect(denied.status == 1 && denied.text.isEmpty)
        #expect(denied.errors.contains("(AccessDenied): Not authorized to perform sts:"), "\(denied)")
        try server.shorten(to: 0)
        let page = try home.run(
            """
            keyfob bind -q --host \(provider.issuer.split(separator: "/")[1]) alice
            keyfob helper aws --role-arn \(role) --endpoint \(provider.issuer)/token/
            """)
        #expect(page.status != 0 && page.text.isEmpty && page.errors.hasPrefix("keyfob: "), "\(page)")
        for options in [
            "--duration 899", "--region x/y", "--region ''", "--session-name 'a b'", "--region x --endpoint y",
        ] {
            let outcome = try home.run("keyfob helper aws --role-arn \(role) \(options)")
            #expect(outcome.status == 64, "\(outcome)")
        }
        let insecure = try home.run("keyfob helper aws --role-arn \(role) --endpoint http://sts.example/")
        #expect(insecure.status == 64 && insecure.errors.contains("https"), "\(insecure)")
    }
}
