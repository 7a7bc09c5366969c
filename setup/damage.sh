# ./x damage [N [COMMANDS]]: N profiles, schedules and symbolic traces (a million) that nobody wrote, a fourth of each kind: read or
# refused by name, without a panic and in no time; then so many commands (a 500th of N) that are given such files: each comes to a
# result or refuses them, with an exit code of the contract. The tests do the same with a few.

damage() {
    local inputs=${1:-1000000}
    local commands=${2:-$((inputs / 500))}
    DAMAGED_INPUTS=$((inputs / 4)) cargo test --profile soak -p symx-trace --test damage -- --nocapture --test-threads=1 ||
        fail "an input was not refused as it should be"
    DAMAGED_COMMANDS=$commands cargo test --profile soak -p symx --test damaged_files -- --nocapture ||
        fail "a command did not end as it should"
}
