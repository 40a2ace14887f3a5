
# A server for the steps below, on this node alone, which ends with this job. Users of the same node can reach it, too.
port=$((20000 + SLURM_JOB_ID % 20000))
# Another's server at that port would be taken for ours.
while { exec 3<> "/dev/tcp/127.0.0.1/$port"; } 2>/dev/null; do
    exec 3<&-
    port=$((port + 1))
done
# Whether it says at this address that it is ready.
ready_at() {
    local status
    { exec 3<> "/dev/tcp/127.0.0.1/$port"; } 2>/dev/null || return 1
    printf 'GET %s HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n' "$1" >&3
    read -r -t 20 _ status _ <&3
    exec 3<&-
    [ "$status" = "$2" ]
}
# A server without `/health` lists its models as soon as it can answer.
ready() {
    kill -0 "$server_process" 2>/dev/null || return 1
    ready_at /health 200 || { ready_at /health 404 && ready_at /v1/models 200; } || return 1
    # The answer may be another's, where ours is about to end since the port was taken meanwhile.
    sleep 1
    kill -0 "$server_process" 2>/dev/null
}
"${server[@]}" --host 127.0.0.1 --port "$port" >> tasks/cluster/log/server.out 2>&1 &
server_process=$!
trap 'kill "$server_process" 2>/dev/null; wait "$server_process" 2>/dev/null' EXIT
SECONDS=0
until ready; do
    code=75
    [ -z "$stopped" ] || finish
    if [ "$SECONDS" -ge "$patience" ] || ! kill -0 "$server_process" 2>/dev/null; then
        echo "the model server does not answer after $SECONDS s: see tasks/cluster/log/server.out" >&2
        code=3
        finish
    fi
    sleep 1
done
echo "the model server answers after $SECONDS s"
# The steps ask the provider `vllm`, which reads this.
export VLLM_BASE_URL="http://127.0.0.1:$port/v1"
