#!/bin/sh
# A full-screen program in plain sh: comets that bounce off the edges of the terminal. It draws on the alternate screen, follows a
# resize, and takes keys: space pauses, + and - change the number of comets, q leaves. Per step it starts one small process.

saved=$(stty -g) || exit 1
restore() {
    stty "$saved"
    printf '\033[0m\033[?25h\033[?1049l'
}
trap restore EXIT
trap 'exit 143' TERM
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'resized=yes' WINCH

# No echo, no lines; a read waits at most a tenth of a second, which is what paces the picture.
stty -echo -icanon min 0 time 1
printf '\033[?1049h\033[?25l'

repeat() { # repeat TEXT COUNT: sets $repeated
    repeated=
    n=$2
    while [ "$n" -gt 0 ]; do
        repeated=$repeated$1
        n=$((n - 1))
    done
}

frame() { # Draws the edges anew, for the size that the terminal has now.
    set -- $(stty size)
    rows=${1:-24} cols=${2:-80}
    printf '\033[0m\033[2J'
    right=$((cols - 2)) bottom=$((rows - 3))
    if [ "$right" -lt 8 ] || [ "$bottom" -lt 3 ]; then
        printf '\033[Htoo small'
        return
    fi
    repeat ─ "$right"
    printf '\033[H\033[34m╭%s╮' "$repeated"
    n_row=2
    while [ "$n_row" -lt $((rows - 1)) ]; do
        printf '\033[%d;1H│\033[%d;%dH│' "$n_row" "$n_row" "$cols"
        n_row=$((n_row + 1))
    done
    printf '\033[%d;1H╰%s╯\033[0m' $((rows - 1)) "$repeated"
    i=1
    while [ "$i" -le 12 ]; do
        # Where a comet is, counted from 0 inside the edges; its speed; and the three places behind it.
        eval "x$i=$((i * 37 % right)) y$i=$((i * 11 % bottom)) dx$i=$((i % 3 + 1)) dy$i=$(( (i % 2) * 2 - 1 ))"
        eval "t1_$i= t2_$i= t3_$i="
        i=$((i + 1))
    done
}

move() { # move I: one step of one comet
    eval "x=\$x$1 y=\$y$1 dx=\$dx$1 dy=\$dy$1 t1=\$t1_$1 t2=\$t2_$1 t3=\$t3_$1"
    x=$((x + dx)) y=$((y + dy))
    if [ "$x" -lt 0 ]; then x=$((-x)) dx=$((-dx)); fi
    if [ "$x" -ge "$right" ]; then x=$((2 * right - 2 - x)) dx=$((-dx)); fi
    if [ "$y" -lt 0 ]; then y=$((-y)) dy=$((-dy)); fi
    if [ "$y" -ge "$bottom" ]; then y=$((2 * bottom - 2 - y)) dy=$((-dy)); fi
    colour=$((31 + $1 % 6))
    if [ -n "$t3" ]; then picture=$picture"\033[${t3}H "; fi
    if [ -n "$t2" ]; then picture=$picture"\033[${t2}H\033[0;2;${colour}m·"; fi
    if [ -n "$t1" ]; then picture=$picture"\033[${t1}H\033[0;${colour}m•"; fi
    here="$((y + 2));$((x + 2))"
    picture=$picture"\033[${here}H\033[0;1;${colour}m●"
    eval "x$1=$x y$1=$y dx$1=$dx dy$1=$dy t3_$1=\$t2_$1 t2_$1=\$t1_$1 t1_$1='$here'"
}

comets=5 step=0 paused= resized=yes
while :; do
    if [ -n "$resized" ]; then
        resized=
        frame
    fi
    if [ -z "$paused" ] && [ "$right" -ge 8 ] && [ "$bottom" -ge 3 ]; then
        step=$((step + 1))
        picture=
        i=1
        while [ "$i" -le "$comets" ]; do
            move "$i"
            i=$((i + 1))
        done
        printf '%b' "$picture"
    fi
    status=" ${cols}x$rows  step $step  space pause  + - comets  q quit"
    printf '\033[%d;1H\033[0;7m%-*.*s\033[0m' "$rows" $((cols - 1)) $((cols - 1)) "$status"
    key=$(dd bs=8 count=1 2>/dev/null) || exit 1
    case $key in
        q) exit 0 ;;
        ' ' | p) if [ -n "$paused" ]; then paused=; else paused=yes; fi ;;
        +) if [ "$comets" -lt 12 ]; then comets=$((comets + 1)); fi ;;
        -) if [ "$comets" -gt 1 ]; then comets=$((comets - 1)) resized=yes; fi ;;
    esac
done
