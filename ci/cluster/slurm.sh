#!/usr/bin/env bash
# Workers on the nodes of a Slurm job, a server on the first one: sbatch --nodes 16 slurm.sh PROG [OPTION...]
#SBATCH --job-name symx
#SBATCH --ntasks-per-node 1
#SBATCH --exclusive
set -euo pipefail

port=4222
# A token of this job's own: others on the network are not to hand programs to its workers.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
address="nats://$token@$(hostname):$port"
store=$(mktemp -d)
nats-server --jetstream --addr "$(hostname)" --port "$port" --auth "$token" --store_dir "$store" >"$store/log" 2>&1 &
server=$!
trap 'kill "$workers" "$server" 2>/dev/null || true; wait; rm -rf "$store"' EXIT
srun --nodes "$SLURM_NNODES" symx worker "$address" --jobs "${SLURM_CPUS_ON_NODE:-1}" &
workers=$!
symx run --cluster "$address" "$@"
