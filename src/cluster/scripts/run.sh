
# Runs a command; `code` is its exit code. Slurm asks for an end by SIGTERM: before the time is up, for a job that goes first,
# or by `scancel --signal=TERM --batch`. The program is told, keeps what it has finished, and ends with 75.
stopped=""
child=""
trap 'stopped=yes; [ -z "$child" ] || kill -TERM "$child" 2>/dev/null' TERM

run() {
    code=75
    [ -z "$stopped" ] || return
    "$@" &
    child=$!
    [ -z "$stopped" ] || kill -TERM "$child" 2>/dev/null
    wait "$child"
    code=$?
    # A wait that a signal cuts short says nothing of the program.
    while kill -0 "$child" 2>/dev/null; do
        wait "$child"
        code=$?
    done
    child=""
    # It ended while the wait was cut short, or before it could hear a signal.
    if [ -n "$stopped" ] && [ "$code" = 143 ]; then code=75; fi
}

# Has Slurm start this job again. A job that was cancelled, or that Slurm itself starts again, is not running any more.
again() {
    [ "$(squeue --noheader --jobs="$job" --format=%T 2>/dev/null)" = RUNNING ] && scontrol requeue "$job"
}

# Ends the job. 75 goes on later. 0 to 6 and 130 are final: another try would end the same way (1: some recordings failed, and
# the job `collect` lists them). Everything else is a crash, or
# the machine's fault (74), and is tried again so often.
finish() {
    local crashes="tasks/cluster/log/$job.crashes"
    case $code in
    75)
        echo "stopped on request: what was finished is saved"
        # A time limit that is too short for a single window would start it again for ever.
        if [ "${SLURM_RESTART_COUNT:-0}" -lt 100 ]; then again; else echo "started 100 times: not again"; fi
        ;;
    [0-6] | 130) ;;
    *)
        local crash
        # Where the project's own disk is full, all starts are counted instead.
        if printf x 2>/dev/null >> "$crashes"; then
            crash=$(wc -c < "$crashes")
        else
            crash=$((${SLURM_RESTART_COUNT:-0} + 1))
        fi
        echo "crash number $crash: exit code $code"
        if [ "$crash" -le "$retries" ]; then again; fi
        ;;
    esac
    exit "$code"
}

cd "$folder" || exit 2
