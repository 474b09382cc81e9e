# A vault with accounts at Microsoft and at GitHub, and a template for inject.
. "$HOMES/common.sh"
vault
microsoft
github
printf "machine api.github.com login ada password keyfob://ada@github.com/repo\n" >~/netrc.template
