
for step in "${steps[@]}"; do
    run "$program" "${options[@]}" "${asking[@]}" --wait "$step"
    [ "$code" -le "$worst" ] || worst=$code
    # Some items failed, or have no verdict: the next step works on the others.
    case $code in 0 | 1 | 4) ;; *) finish ;; esac
done
code=$worst
