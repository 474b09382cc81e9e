# A vault with accounts at Microsoft and at GitHub, of which one is the default, and a group for a job.
. "$HOMES/common.sh"
vault
microsoft
github
keyfob use --quiet ada
keyfob group create --quiet ci
printf secret-token | keyfob add --quiet deploy@git.example --scope repo --group ci
keyfob group grant --quiet ci key-file --new ~/ci.key
keyfob setup git --quiet --force
