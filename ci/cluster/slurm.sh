#!/usr/bin/env bash
# Workers on the nodes of a Slurm job, a server on the first one: sbatch --nodes 16 slurm.sh PROG [OPTION...]
# symx and nats-server are on PATH of all nodes, symx in the same build.
#SBATCH --job-name symx
#SBATCH --ntasks-per-node 1
#SBATCH --exclusive
set -euo pipefail

port=4222
# A token of this job's own: others on the network are not to hand programs to its workers.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
address="nats://$token@$(hostname):$port"
store=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; wait; rm -rf "$store"' EXIT

# The nodes are this job's alone, so that no one else sees the token among arguments.
nats-server --jetstream --addr "$(hostname)" --port "$port" --auth "$token" --store_dir "$store" >"$store/log" 2>&1 &
pids+=($!)
until symx cluster status "$address" >"$store/status" 2>&1; do
    kill -0 "${pids[0]}" 2>/dev/null || { cat "$store/log" >&2; exit 1; }
    sleep 0.5
done
# A step has one processor a task, unless it asks for more.
processors=${SLURM_CPUS_ON_NODE:-1}
srun --nodes "$SLURM_NNODES" --cpus-per-task "$processors" symx worker "$address" --jobs "$processors" &
pids+=($!)
symx run --cluster "$address" "$@"
