#!/bin/sh
# Shows what a terminal can show, and ends.

printf 'The sixteen:  '
for n in 0 1 2 3 4 5 6 7; do printf '\033[4%dm  \033[0m' "$n"; done
for n in 0 1 2 3 4 5 6 7; do printf '\033[10%dm  \033[0m' "$n"; done
printf '\n\nThe palette:\n'
awk 'BEGIN {
    for (n = 16; n < 232; n++) printf "\033[48;5;%dm  \033[0m%s", n, (n - 15) % 36 ? "" : "\n"
    printf "\nTrue colour:\n"
    for (n = 0; n < 72; n++) {
        red = 255 - n * 255 / 71; green = n < 36 ? n * 7 : (71 - n) * 7; blue = n * 255 / 71
        printf "\033[48;2;%d;%d;%dm \033[0m", red, green, blue
    }
    printf "\n\n"
}'
printf '\033[1mbold\033[0m \033[2mdim\033[0m \033[3mitalic\033[0m \033[4munderline\033[0m \033[7mreverse\033[0m \033[9mstrike\033[0m\n'
printf 'Wide: 漢字 かな 한글 🚀   Lines: ┌─┬─┐ ╔═╦═╗ ▁▂▃▄▅▆▇█\n'
