#!/bin/sh
# Does not end on SIGTERM, SIGHUP or SIGINT. Its child ignores them as well and has a session of its own, where a signal to the process
# group or a hang-up of the terminal would not find it.

trap 'echo "SIGTERM? I heard it, and I stay."' TERM
trap 'echo "SIGHUP? I stay all the same."' HUP
trap 'echo "Ctrl-C? No."' INT

stay='trap "" TERM HUP INT; while :; do sleep 5; done'
if command -v setsid >/dev/null; then
    setsid sh -c "$stay" &
else
    sh -c "$stay" &
fi
echo "I am $$, my child in a session of its own is $!. Stop us if you can."
while :; do
    sleep 1
done
