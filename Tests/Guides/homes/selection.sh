# A vault with accounts at Microsoft and at GitHub.
. "$HOMES/common.sh"
vault
microsoft
github
