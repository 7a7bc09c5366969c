# ./x damage [N]: N profiles, schedules and symbolic traces (a million) that nobody wrote, a fourth of each kind: read or refused
# by name, without a panic and in no time. The tests do the same with a few thousand.

damage() {
    local inputs=${1:-1000000}
    DAMAGED_INPUTS=$((inputs / 4)) cargo test --release -p symx-trace --test damage -- --nocapture --test-threads=1 ||
        fail "an input was not refused as it should be"
}
