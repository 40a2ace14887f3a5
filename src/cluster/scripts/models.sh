
job=$SLURM_JOB_ID
code=0
[ ${#models[@]} = 0 ] || run "$program" "${places[@]}" models pull "${models[@]}"
finish
