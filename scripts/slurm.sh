#!/usr/bin/env bash
# A real Slurm on this machine, of this user alone: munge, the accounting database, the controller and two nodes of four
# CPUs on loopback, everything under one folder. Needs no systemd.
#
#   scripts/slurm.sh start FOLDER   prints the environment of its users, as lines for `eval`
#   scripts/slurm.sh stop FOLDER    ends what was started there
#   scripts/slurm.sh packages       installs Debian's packages, where they are missing (root)
#
# Two partitions: `main`, and `urgent`: its jobs go first, and those of `main` that are in their way are requeued.
set -euo pipefail

PACKAGES="slurmctld slurmd slurm-client slurmdbd munge mariadb-server"
# A port for each daemon, from here on.
PORT=${TASKGEN_SLURM_PORT:-17810}
# Seconds that a daemon may take to answer.
PATIENCE=120

die() {
    echo "slurm: $*" >&2
    exit 2
}

# Debian starts a package's service when it is installed; these are started below, under other names.
packages() {
    local policy=/usr/sbin/policy-rc.d
    local command missing=""
    for command in slurmctld slurmd slurmdbd munged mariadbd sacct; do
        command -v $command >/dev/null 2>&1 || missing=yes
    done
    [ -n "$missing" ] || return 0
    [ "$(id -u)" = 0 ] || die "missing: Slurm (Debian/Ubuntu: apt-get install $PACKAGES)"
    if [ ! -e $policy ]; then
        # Whatever happens below: no service of this machine starts while it is there.
        trap 'rm -f /usr/sbin/policy-rc.d' EXIT
        printf '#!/bin/sh\nexit 101\n' > $policy
        chmod +x $policy
    fi
    apt-get update -qq >&2
    # shellcheck disable=SC2086 # several words
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $PACKAGES >&2
}

# until_it COMMAND…: waits until the command succeeds.
until_it() {
    local began=$SECONDS
    until "$@" >/dev/null 2>&1; do
        [ $((SECONDS - began)) -lt $PATIENCE ] || die "no answer in $PATIENCE s: $* (logs: $FOLDER/log)"
        sleep 0.2
    done
}

start_munge() {
    # 128 bytes that only this user may read.
    (umask 077 && head -c 128 /dev/urandom > "$FOLDER/munge.key")
    # Sockets and keys in a folder that others may write to are refused.
    chmod 755 "$FOLDER"
    munged --force --key-file="$FOLDER/munge.key" --socket="$FOLDER/munge.socket" \
        --pid-file="$FOLDER/munged.pid" --log-file="$FOLDER/log/munged.log" --seed-file="$FOLDER/munge.seed"
    until_it munge -n --socket="$FOLDER/munge.socket"
}

start_database() {
    local maria="--no-defaults --datadir=$FOLDER/maria --user=$(id -un)"
    # shellcheck disable=SC2086 # several words
    mariadb-install-db $maria --auth-root-authentication-method=normal --skip-test-db > "$FOLDER/log/maria-install.log" 2>&1
    # shellcheck disable=SC2086 # several words
    setsid mariadbd $maria --socket="$FOLDER/maria.socket" --bind-address=127.0.0.1 --port=$PORT --pid-file="$FOLDER/mariadbd.pid" \
        --innodb-buffer-pool-size=64M --innodb-lock-wait-timeout=900 > "$FOLDER/log/mariadbd.log" 2>&1 < /dev/null &
    until_it mariadb-admin --no-defaults --socket="$FOLDER/maria.socket" -u root ping
    mariadb --no-defaults --socket="$FOLDER/maria.socket" -u root \
        -e "create user slurm@localhost identified by 'slurm'; create user slurm@'127.0.0.1' identified by 'slurm';
            grant all on accounting.* to slurm@localhost; grant all on accounting.* to slurm@'127.0.0.1';"
}

start_accounting() {
    cat > "$FOLDER/slurmdbd.conf" << END
AuthType=auth/munge
AuthInfo=socket=$FOLDER/munge.socket
DbdHost=localhost
DbdPort=$((PORT + 1))
SlurmUser=$(id -un)
LogFile=$FOLDER/log/slurmdbd.log
PidFile=$FOLDER/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=$PORT
StorageUser=slurm
StoragePass=slurm
StorageLoc=accounting
END
    chmod 600 "$FOLDER/slurmdbd.conf"
    SLURM_CONF="$FOLDER/slurmdbd.conf" setsid slurmdbd -D > "$FOLDER/log/slurmdbd.out" 2>&1 < /dev/null &
    until_it sacctmgr -n show cluster
    until_it sacctmgr -i add cluster taskgen
}

configure() {
    cat > "$FOLDER/slurm.conf" << END
ClusterName=taskgen
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$((PORT + 2))
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
# A job that was requeued starts again after so many seconds, instead of two minutes.
AuthInfo=socket=$FOLDER/munge.socket,cred_expire=6
StateSaveLocation=$FOLDER/state
SlurmdSpoolDir=$FOLDER/spool-%n
SlurmctldPidFile=$FOLDER/slurmctld.pid
SlurmdPidFile=$FOLDER/slurmd-%n.pid
SlurmctldLogFile=$FOLDER/log/slurmctld.log
SlurmdLogFile=$FOLDER/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
ReturnToService=2
KillWait=5
MinJobAge=600
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePort=$((PORT + 1))
# With munge this is its socket.
AccountingStoragePass=$FOLDER/munge.socket
# Nodes have what is written here, not what the machine has.
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((PORT + 3)) CPUs=4 RealMemory=8000
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((PORT + 4)) CPUs=4 RealMemory=8000
PartitionName=main Nodes=n1,n2 Default=YES State=UP PriorityTier=1
PartitionName=urgent Nodes=n1,n2 State=UP PriorityTier=10 PreemptMode=OFF
END
    # No control groups: they are the system's, not this user's. Before 23.02 the first version's plugin does nothing unasked.
    case $(slurmd -V) in
    *" 2"[012].*) echo "CgroupPlugin=cgroup/v1" ;;
    *) echo "CgroupPlugin=disabled" ;;
    esac > "$FOLDER/cgroup.conf"
}

both_nodes_idle() {
    [ "$(sinfo -h -N -p main -t idle -o %N | sort -u | wc -l)" = 2 ]
}

start() {
    mkdir -p "$FOLDER/log" "$FOLDER/state"
    FOLDER=$(cd "$FOLDER" && pwd)
    start_munge
    start_database
    configure
    export SLURM_CONF="$FOLDER/slurm.conf"
    start_accounting
    setsid slurmctld -D > "$FOLDER/log/slurmctld.out" 2>&1 < /dev/null &
    until_it scontrol ping
    for node in n1 n2; do
        setsid slurmd -D -N $node > "$FOLDER/log/slurmd-$node.out" 2>&1 < /dev/null &
    done
    until_it both_nodes_idle
    printf 'export SLURM_CONF=%q\n' "$SLURM_CONF"
}

stop() {
    local name pid
    for name in slurmd-n1 slurmd-n2 slurmctld slurmdbd mariadbd munged; do
        pid=$(cat "$FOLDER/$name.pid" 2>/dev/null) || continue
        kill "$pid" 2>/dev/null || continue
        for _ in $(seq 50); do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.2
        done
        kill -9 "$pid" 2>/dev/null || true
    done
}

[ $# = 2 ] || [ "${1:-}" = packages ] || die "usage: scripts/slurm.sh start|stop FOLDER, or packages"
FOLDER=${2:-}
case $1 in
start) start ;;
stop) stop ;;
packages) packages ;;
*) die "unknown: $1" ;;
esac
