# What homes are made of: `. "$HOMES/common.sh"`, and then some of these.

# The token cache that Azure's command line keeps, with Ada's sign-in and Ben's.
azure() {
    mkdir -p ~/.azure
    jq 'del(.AccessToken[] | select(.expires_on == "tomorrow"))' "$SAMPLES/msal_token_cache.json" |
        sed 's/0a0a0a0a-0000-4000-8000-000000000001/11111111-2222-4333-8444-555555555555/g
            s/aaaaaaaa-0000-4000-8000-00000000c0de/7b1c0a94-3d0e-4a57-9c1f-2f1d5f6a0e11/g
            s/00000000-1111-4222-8333-444444444444/04b07795-8ddb-461a-bbee-02f9e1bf7b46/g' >~/.azure/msal_token_cache.json
    sed 's/aaaaaaaa-0000-4000-8000-00000000c0de/7b1c0a94-3d0e-4a57-9c1f-2f1d5f6a0e11/g' "$SAMPLES/azureProfile.json" >~/.azure/azureProfile.json
    chmod 600 ~/.azure/*.json
}

# A vault that a key file opens, without a question.
vault() {
    mkdir -p ~/.config
    head -c 32 /dev/urandom >~/.config/keyfob.key
    chmod 600 ~/.config/keyfob.key
    export KEYFOB_KEY_FILE=~/.config/keyfob.key
    keyfob init --quiet --recovery-file ~/keyfob-recovery.txt
}

# Accounts of Microsoft's, from that cache.
microsoft() {
    azure
    keyfob import --quiet ~/.azure/msal_token_cache.json
}

# Two accounts of GitHub's, with the tokens that internet.py knows.
github() {
    printf 'gho_%036d' 1 | keyfob add --quiet --account ada --host github.com --label private --scope repo
    printf 'gho_%036d' 2 | keyfob add --quiet --account ada-contoso --host github.com --label work --scope repo
}
