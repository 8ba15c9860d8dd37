# Third stage: starts the app, forwards SIGTERM to all its processes, and exits with its status.
# $1: "namespace" if this is the first process of a namespace, "group" otherwise.
# The app needs a parent: the first process of a namespace ignores signals without a handler, and
# must collect processes whose parents have ended.
set -u
scope=$1
shift
exec 3<&0 </dev/null
"$@" <&3 3<&- &
app=$!
exec 3<&-
if [ "$scope" = namespace ]; then
  trap 'kill -s TERM -- -1 2>/dev/null' TERM
else
  trap 'kill -s TERM -- "-$app" 2>/dev/null' TERM
fi
while :; do
  wait "$app"
  status=$?
  # wait also returns after a signal to this process.
  kill -s 0 "$app" 2>/dev/null || exit "$status"
done
