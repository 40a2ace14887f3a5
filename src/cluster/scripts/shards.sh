
job="${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
echo "shard $SLURM_ARRAY_TASK_ID of $shards on $SLURMD_NODENAME, start number $((${SLURM_RESTART_COUNT:-0} + 1))"
# `$shards` and not Slurm's own count, so that `sbatch --array=3 …` does the third of all again.
run "$program" "${options[@]}" --offline --wait --verbose transcribe --shard "$SLURM_ARRAY_TASK_ID/$shards" "${sound[@]}" -- "${recordings[@]}"
finish
