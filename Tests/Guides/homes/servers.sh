# A vault with the accounts of the Azure CLI.
. "$HOMES/common.sh"
vault
microsoft
