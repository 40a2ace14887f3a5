
job=$SLURM_JOB_ID
# Who cancels a shard, or all, wants no more work: this job neither does theirs nor has models asked about a part of the talks.
# The argument is the number of the array. Where nothing is accounted, the controller is asked, which forgets a shard some
# minutes after its end.
cancelled() {
    sacct --allocations --noheader --parsable2 --format=State --jobs="$1" 2>/dev/null | grep -q '^CANCELLED' ||
        scontrol show job --oneliner "$1" 2>/dev/null | grep -q ' JobState=CANCELLED'
}
if [ $# -gt 0 ] && cancelled "$1"; then
    echo "shards were cancelled, or never began since the models could not be fetched: nothing is collected (to collect what there is, in the project's folder: sbatch tasks/cluster/collect.sh)"
    code=130
    finish
fi
# Skips what the shards did, does what a shard left undone, and lists the recordings that fail.
run "$program" "${options[@]}" --offline --wait --verbose transcribe "${sound[@]}" -- "${recordings[@]}"
worst=$code
[ "$code" -le 1 ] || finish
