#!/usr/bin/env bash
# The command lines of the README and of the guide: every option is one that its verb has, and those
# that take no time run, one after the other as on the page.
# shellcheck source=tests/frame.bash
. "$(dirname "${BASH_SOURCE[0]}")/frame.bash"

# lines PAGE: the commands of its blocks of code, without their comments
lines() {
    awk '/^```/ { block = !block; next }
         block || /^    / {
             sub(/^ +/, "")
             text = text $0
             if (sub(/\\$/, " ", text)) next
             if (text ~ /^(ovoid|printf) /) { sub(/  +#.*/, "", text); print text }
             text = ""
         }' "$1"
}
known() { grep -qxF -- "$1" options; }

mkdir bin work && ln -s "$command" bin/ovoid && ln -s "$source_dir/data" work/data
count=0
ran=0
for page in README.md docs/guide/{pairs,models,motions,fits,simulation,touch}.md; do
    rm -f work/*.*
    while read -r line; do
        case_name="$page: $line"
        count=$((count + 1))
        read -r _ verb _ <<<"$line"
        if [ "${line%% *}" = ovoid ] && [[ $verb != --* ]]; then
            "$command" help --list options "$verb" >options 2>err
            check 'a verb' [ ! -s err ]
            for word in $line; do
                [[ $word != -[a-z-]* ]] || check "option $word" known "$word"
            done
        fi
        # fits and maps take seconds, a loop and the studio their time, and some files are the reader's
        [[ ! $line =~ ^ovoid\ (fit|touch|studio)|robot.urdf|smooth.urdf|ring.json ]] || continue
        ran=$((ran + 1))
        (cd work && PATH="$OLDPWD/bin:$PATH" bash -c "$line" >../out 2>../err </dev/null)
        status=$?
        # 1 is an answer: something collides
        check 'exit status 0 or 1' [ "$status" -le 1 ]
    done < <(lines "$source_dir/$page")
done
case_name='all pages'
check 'fifty lines' [ "$count" -ge 50 ]
check 'most of them run' [ "$ran" -ge 35 ]
printf 'guide: %d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
