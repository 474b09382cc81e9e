# A vault with accounts at Microsoft and at GitHub, a template for inject, and a mail program's file.
. "$HOMES/common.sh"
vault
microsoft
github
printf "machine api.github.com login ada password keyfob://ada@github.com/repo\n" >~/netrc.template
printf 'account work\nhost smtp.office365.com\nport 587\nfrom ada@contoso.example\n' >~/.msmtprc
