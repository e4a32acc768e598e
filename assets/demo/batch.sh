#!/bin/sh
# A job of sixty steps, one a second: progress to standard output, remarks to standard error.

step=1
while [ "$step" -le 60 ]; do
    printf 'step %d of 60\n' "$step"
    if [ $((step % 5)) -eq 0 ]; then
        printf 'slow: %d steps to go\n' $((60 - step)) >&2
    fi
    step=$((step + 1))
    sleep 1
done
