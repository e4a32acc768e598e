#!/bin/sh
# Prints log lines in colour, two or three a second, until it is stopped.

seed=${1:-42}
count=0
paths='/ /login /api/items /api/items/17 /static/app.css /health /search?q=terminal'

random() { # random LIMIT: sets $picked to 0 … LIMIT-1
    seed=$(( (seed * 1103515245 + 12345) & 2147483647 ))
    picked=$(( seed / 65536 % $1 ))
}

printf '\033[1mserver\033[0m listening on \033[4mhttp://localhost:8080\033[0m\n'
while :; do
    count=$((count + 1))
    random 7
    set -- $paths
    shift "$picked"
    path=$1
    random 400
    millis=$((picked + 3))
    random 20
    case $picked in
        0) level='\033[31mERROR\033[0m' status='\033[31m500\033[0m' ;;
        1 | 2) level='\033[33mWARN \033[0m' status='\033[33m404\033[0m' ;;
        *) level='\033[32mINFO \033[0m' status='\033[32m200\033[0m' ;;
    esac
    printf "\033[2m%s\033[0m $level $status \033[36m%-22s\033[0m \033[2m%4d ms  #%d\033[0m\n" \
        "$(date +%H:%M:%S)" "$path" "$millis" "$count"
    sleep 0.4
done
