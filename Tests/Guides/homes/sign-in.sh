# A vault with the accounts of the Azure CLI, but for Ada's, who signs in herself.
. "$HOMES/common.sh"
vault
