/// What a shell loads so that it can complete a command line: it asks `keyfob` for each word.
///
/// Nothing that comes back is expanded by the shell: a label or a user name may hold whatever its writer likes.
enum CompletionScript {
    static let bash = #"""
        # Completions of keyfob for bash. The words come from keyfob itself, which asks nobody for a passphrase.
        _keyfob() {
            local line kind='' cur="${COMP_LINE:0:COMP_POINT}"
            local -a values=()
            while IFS= read -r line; do
                if [[ -z $kind ]]; then kind=$line; else values+=("${line%%$'\t'*}"); fi
            done < <(keyfob ---complete line "$cur" 2>/dev/null </dev/null)
            COMPREPLY=()
            case $kind in
            files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$2") ;;
            folders) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$2") ;;
            commands) mapfile -t COMPREPLY < <(compgen -c -- "$2") ;;
            words)
                # readline replaces only what stands behind an at sign, a colon or an equals sign.
                local own=${cur##*[[:space:]]} cut=''
                own=${own#[\'\"]}
                [[ $own == *[@:=]* && $own == *"$2" ]] && cut=${own%"$2"}
                for line in "${values[@]}"; do
                    if [[ -n $cut && $line == "$cut"* ]]; then line=${line#"$cut"}; fi
                    if [[ ${cur##*[[:space:]]} != [\'\"]* ]]; then printf -v line %q "$line"; fi
                    COMPREPLY+=("$line")
                done
                ;;
            esac
        }
        complete -F _keyfob keyfob
        """#

    static let zsh = #"""
        #compdef keyfob
        # Completions of keyfob for zsh. The words come from keyfob itself, which asks nobody for a passphrase.
        _keyfob() {
            local line kind
            local -a before lines values shown
            (( CURRENT > 2 )) && before=("${(@Q)words[2,CURRENT-1]}")
            lines=("${(@f)$(keyfob ---complete words "${before[@]}" "${(Q)PREFIX}" 2>/dev/null </dev/null)}")
            kind=${lines[1]}
            case $kind in
            files) _files ;;
            folders) _files -/ ;;
            commands) _command_names -e ;;
            words)
                for line in "${(@)lines[2,-1]}"; do
                    [[ -n $line ]] || continue
                    values+=("${line%%$'\t'*}")
                    if [[ $line == *$'\t'* ]]; then shown+=("${line%%$'\t'*}  -- ${line#*$'\t'}"); else shown+=("$line"); fi
                done
                (( ${#values} )) && compadd -l -d shown -a -- values
                ;;
            esac
        }
        if [[ ${funcstack[1]} == _keyfob ]]; then _keyfob "$@"; else compdef _keyfob keyfob; fi
        """#

    static let fish = #"""
        # Completions of keyfob for fish. The words come from keyfob itself, which asks nobody for a passphrase.
        function __keyfob_complete
            set -l before (commandline -opc)
            set -e before[1]
            set -l current (commandline -ct)
            set -l lines (keyfob ---complete words $before (string unescape -- "$current"; or echo "$current") 2>/dev/null </dev/null)
            switch "$lines[1]"
                case files
                    __fish_complete_path "$current"
                case folders
                    __fish_complete_directories "$current"
                case commands
                    __fish_complete_command
                case words
                    set -e lines[1]
                    printf '%s\n' $lines
            end
        end
        complete -c keyfob -f -a '(__keyfob_complete)'
        """#
}
