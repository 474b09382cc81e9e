/// Domains in which anybody can have an address.
enum PublicMail {
    static let domains: Set<String> = [
        "126.com", "163.com", "aol.com", "duck.com", "fastmail.com", "free.fr", "gmail.com", "gmx.at", "gmx.ch",
        "gmx.com",
        "gmx.de", "gmx.net", "googlemail.com", "hey.com", "hotmail.co.uk", "hotmail.com", "hotmail.de", "hotmail.fr",
        "icloud.com", "laposte.net", "libero.it", "live.com", "mac.com", "mail.com", "mail.ru", "mailbox.org", "me.com",
        "msn.com", "naver.com", "orange.fr", "outlook.com", "outlook.de", "outlook.fr", "pm.me", "posteo.de",
        "posteo.net",
        "proton.me", "protonmail.com", "qq.com", "riseup.net", "seznam.cz", "t-online.de", "tuta.com", "tutanota.com",
        "web.de", "wp.pl", "yahoo.co.jp", "yahoo.co.uk", "yahoo.com", "yahoo.de", "yahoo.fr", "yandex.com", "yandex.ru",
        "ymail.com", "zoho.com",
    ]
}
