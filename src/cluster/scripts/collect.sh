
job=$SLURM_JOB_ID
# Skips what the shards did, does what a shard left undone, and lists the recordings that fail.
run "$program" "${options[@]}" --offline --wait --verbose transcribe "${sound[@]}" -- "${recordings[@]}"
worst=$code
[ "$code" -le 1 ] || finish
