import Testing

@testable import KeyfobAgent

/// What a shell script may call, by its text.
@Suite("Functions that a shell script may call")
struct ShellTextTests {
    @Test(
        "A function can run where its name is in the script, or any may",
        arguments: [
            ("curl https://x", true), ("x=$(curl y)", true), ("  'curl' y", true), ("echo curl", true),
            ("mycurl y; curl2; curl_x", false), ("echo $x \"$y\" ${z[1]} | sort > $out", false), ("x=$y", false),
            ("# $x\necho", false), ("echo $(( $x + 1 ))", false), ("[ -n \"$x\" ] && echo", false),
            ("./lib.sh; ../lib.sh", false), ("case $x in a) echo;; esac", false),
            ("for i in $x; do echo $i; done", false),
            ("$x y", true), ("  \"$@\"", true), ("echo; ${x} y", true), ("if $x; then echo; fi", true),
            ("echo && \"$x\"", true), ("x=`$y`", true), ("x=$($y)", true), (". ./lib.sh", true),
            ("source lib.sh", true), ("eval x", true), ("", false),
            ("LC_ALL=C $x", true), ("a=1 b+=\"x y\" $x", true), (">\"$log\" $x", true), ("2> log $x y", true),
            ("a=\"$(echo \"b c\")\" $x", true), ("a[1]=x $y", true), ("a='b c' \"$x\"", true),
            ("a=\"$(LC_ALL=C $x)\"", true),
            ("LC_ALL=C sort $x", false), ("a=\"b $c\"; echo", false), ("a=\"$(echo \"b $c\")\"", false),
            ("> $log", false), ("a=$b c=$d echo $e", false), ("echo a=b $x", false), ("a='b $c' echo", false),
        ])
    func callable(text: String, isCalled: Bool) {
        #expect(ShellText(Array(text.utf8)).callable(of: ["curl"]) == (isCalled ? "curl" : nil), "\(text)")
    }

    @Test("A function by any name is found, and the one for missing commands is always called")
    func names() {
        #expect(ShellText(Array("if [ x ]; then echo; fi".utf8)).callable(of: ["none", "["]) == "[")
        #expect(ShellText([]).callable(of: ["none", "command_not_found_handle"]) == "command_not_found_handle")
        #expect(ShellText(Array("echo".utf8)).callable(of: []) == nil)
    }

    @Test(
        "What a shell runs to expand a prompt is told from what it only shows",
        arguments: [
            ("+ ", false), ("+${BASH_SOURCE##*/}:${LINENO}: ${FUNCNAME[0]:+${FUNCNAME[0]}(): }", false),
            ("$0 ${x-a} ${x:-b}", false), ("$(id)", true), ("`id`", true), ("${x[y]}", true), ("${x:y}", true),
            ("${!x}", true), ("${x@P}", true), ("$[x]", true), ("$((x))", true), ("${x:=${y[z]}}", true), ("${", true),
            ("${#a[x]}", true), ("${-:x}", true), ("$(\u{301}id)", true), ("`\u{301}id`", true), ("${\u{301}x", true),
        ])
    func expanded(text: String, runs: Bool) {
        #expect(ProgramEnvironment.isExpanded(Array(text.utf8)[...]) == runs, "\(text)")
    }
}
