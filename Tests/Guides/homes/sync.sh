# A vault with accounts at Microsoft.
. "$HOMES/common.sh"
vault
microsoft
