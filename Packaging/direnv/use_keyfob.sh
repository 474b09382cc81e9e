# For direnv: link this file into ~/.config/direnv/lib, and write 'use keyfob ACCOUNT' in an .envrc. It sets
# KEYFOB_ACCOUNT and no token; options are those of 'keyfob env'.
use_keyfob() {
    local lines
    lines=$(keyfob env "$@") || return
    eval "$lines"
}
