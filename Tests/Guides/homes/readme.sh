# An empty home, but for the files of the Azure CLI.
. "$HOMES/common.sh"
azure
