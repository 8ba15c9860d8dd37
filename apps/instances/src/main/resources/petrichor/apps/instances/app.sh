# Last stage, as the user of the instance: receives the environment as a script on standard input,
# because a command line is visible to other processes, and becomes the app.
# $1: the working folder.
cd -- "$1" || exit 126
shift
environment=$(cat) || exit 126
eval "unset environment PWD OLDPWD SHLVL
$environment" || exit 126
[ -w "$TMPDIR" ] || {
  echo "the temporary folder $TMPDIR is not accessible for this user" >&2
  exit 126
}
exec "$@" </dev/null
