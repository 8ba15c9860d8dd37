package petrichor.cloud.local;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import petrichor.base.FileProblem;
import petrichor.base.LinuxProcesses;
import petrichor.cloud.Billing;
import petrichor.cloud.Cloud;
import petrichor.cloud.CloudLimits;
import petrichor.cloud.Description;
import petrichor.cloud.InstanceState;
import petrichor.cloud.InstanceType;
import petrichor.cloud.InterruptionNotice;
import petrichor.cloud.LaunchRequest;
import petrichor.cloud.LaunchResult;
import petrichor.cloud.Listing;
import petrichor.cloud.PricePoint;
import petrichor.cloud.Purchase;
import petrichor.cloud.TerminateResult;

/**
 * A cloud whose machines are processes on this host. A machine outlives the process that launched
 * it, and is found by its folder; it terminates with all of its descendants. Linux only.
 * Thread-safe, and safe for several processes with the same folder.
 */
public final class LocalCloud implements Cloud {
    /** Environment variable with the machine's id, set in every process of a machine. */
    public static final String MARK = "PETRICHOR_INSTANCE";

    /**
     * Heartbeat file in a machine's folder, which its program may write about every second. A
     * machine that exited is billed until its last heartbeat, regardless of when the exit is
     * noticed.
     */
    public static final String ALIVE = "alive";

    /**
     * Retention of terminated machines, during which their tokens cannot launch another machine.
     */
    static final Duration REMEMBERED = Duration.ofDays(1);

    private static final Duration KILL_MAX = Duration.ofSeconds(5);
    private static final long KILL_AGAIN_NANOS = 2_000_000;
    private static final int ID_BYTES = 8;

    /**
     * The first process of a machine. Ensures that only one exists per machine, and none after it
     * was stopped: it records its identity before it executes the machine's program.
     */
    private static final String FIRST =
            """
            mkdir started 2>/dev/null || exit 0
            n=$1; shift
            while [ "$n" -gt 0 ]; do echo $$ > "$1" || exit 71; shift; n=$((n - 1)); done
            stat=$(cat /proc/$$/stat); stat=${stat##*) }
            start=$(echo "$stat" | cut -d' ' -f20)
            echo "$$ $start" > pid.new && mv pid.new pid
            [ -e stopped ] && exit 0
            exec "$@"
            """;

    private final LocalSetting setting;
    private final Path machines;
    private final Fence fence;

    private LocalCloud(LocalSetting setting, Fence fence) {
        this.setting = setting;
        this.machines = setting.folder().resolve("machines");
        this.fence = fence;
    }

    public static LocalCloud open(LocalSetting setting) {
        return open(setting, Fence.find());
    }

    static LocalCloud open(LocalSetting setting, Fence fence) {
        LocalCloud cloud = new LocalCloud(setting, fence);
        try {
            Files.createDirectories(cloud.machines);
            cloud.forgetOldOnes();
        } catch (IOException e) {
            throw FileProblem.of("cannot open the machines in " + setting.folder(), e);
        }
        return cloud;
    }

    private void forgetOldOnes() throws IOException {
        Instant old = Instant.now().minus(REMEMBERED);
        for (MachineFolder machine : MachineFolder.all(machines)) {
            if (machine.launched().isBefore(old)
                    && machine.state(Instant.now()) == InstanceState.TERMINATED) {
                fence.remove(machine.id());
                remove(machine.path());
            }
        }
    }

    private static void remove(Path folder) throws IOException {
        try (var all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        }
    }

    /** Describes how cores and memory are limited on this host. */
    public String limiting() {
        return fence.how();
    }

    @Override
    public String name() {
        return "local";
    }

    @Override
    public CloudLimits limits() {
        return new CloudLimits(
                Duration.ZERO,
                Duration.ofSeconds(5),
                KILL_MAX,
                Duration.ZERO,
                setting.instancesMax());
    }

    @Override
    public Billing billing() {
        return setting.billing();
    }

    @Override
    public List<InstanceType> types() {
        return setting.types();
    }

    @Override
    public synchronized LaunchResult launch(LaunchRequest request) {
        Optional<InstanceType> type =
                setting.types().stream().filter(t -> t.name().equals(request.type())).findFirst();
        if (type.isEmpty()) {
            return new LaunchResult.Refused("there is no instance type " + request.type());
        }
        if (request.purchase() == Purchase.SPOT) {
            Optional<String> reason = setting.spot().refusal(request, Instant.now());
            if (reason.isPresent()) {
                return new LaunchResult.NoCapacity(reason.get());
            }
        }
        try {
            Path folder = machines.resolve(id(request.token()));
            if (MachineFolder.open(folder).isEmpty()) {
                int there = alive();
                if (there >= setting.instancesMax()) {
                    return new LaunchResult.NoCapacity(
                            "all " + setting.instancesMax() + " machines are in use");
                }
                MachineFolder.create(folder, request, Instant.now());
            }
            MachineFolder machine = MachineFolder.open(folder).orElseThrow();
            // The creator of the folder may have been killed before it started a process.
            if (!machine.started() && !machine.stopped()) {
                start(machine, type.get());
            }
            return new LaunchResult.Launched(machine.instance(Instant.now()));
        } catch (IOException e) {
            return new LaunchResult.Unknown(FileProblem.reason(e));
        }
    }

    private int alive() throws IOException {
        int alive = 0;
        for (MachineFolder machine : MachineFolder.all(machines)) {
            alive += machine.state(Instant.now()) == InstanceState.TERMINATED ? 0 : 1;
        }
        return alive;
    }

    private void start(MachineFolder machine, InstanceType type) throws IOException {
        fence.raise(machine.id(), type);
        List<Path> gates = fence.gates(machine.id());
        List<String> command = new ArrayList<>(List.of("setsid", "sh", "-c", FIRST, "machine"));
        command.add(Integer.toString(gates.size()));
        gates.forEach(gate -> command.add(gate.toString()));
        command.addAll(fence.prefix(type));
        command.addAll(setting.command().apply(type));
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(machine.path().toFile())
                        .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                        .redirectErrorStream(true)
                        .redirectOutput(
                                ProcessBuilder.Redirect.appendTo(
                                        machine.path().resolve("out").toFile()));
        builder.environment().put(MARK, machine.id());
        builder.start();
    }

    private String id(String token) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            sha.update(setting.folder().toString().getBytes(StandardCharsets.UTF_8));
            byte[] digest = sha.digest(token.getBytes(StandardCharsets.UTF_8));
            return "local-" + HexFormat.of().formatHex(digest, 0, ID_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public synchronized TerminateResult terminate(String instance) {
        try {
            Optional<MachineFolder> machine = find(instance);
            if (machine.isEmpty()) {
                return new TerminateResult.Gone();
            }
            boolean first = !machine.get().stopped();
            machine.get().stop();
            long started = System.nanoTime();
            List<Long> members = machine.get().members();
            Optional<Instant> seen = machine.get().seen();
            boolean endedByItself = members.isEmpty() && seen.isPresent();
            // A process may have forked while the others were examined.
            while (!members.isEmpty() && System.nanoTime() - started < KILL_MAX.toNanos()) {
                members.forEach(LinuxProcesses::kill);
                LockSupport.parkNanos(KILL_AGAIN_NANOS);
                members = machine.get().members();
            }
            if (members.isEmpty()) {
                fence.remove(instance);
            }
            if (!members.isEmpty() || (first && !endedByItself)) {
                return new TerminateResult.Accepted();
            }
            return new TerminateResult.Gone(seen);
        } catch (IOException e) {
            return new TerminateResult.Unknown(FileProblem.reason(e));
        }
    }

    private Optional<MachineFolder> find(String instance) throws IOException {
        return instance.matches("local-[0-9a-f]+")
                ? MachineFolder.open(machines.resolve(instance))
                : Optional.empty();
    }

    @Override
    public synchronized Listing list(String owner) {
        List<Listing.Row> rows = new ArrayList<>();
        try {
            for (MachineFolder machine : MachineFolder.all(machines)) {
                if (machine.owner().equals(owner)) {
                    rows.add(row(machine));
                }
            }
        } catch (IOException e) {
            return new Listing.NotNow(FileProblem.reason(e));
        }
        return new Listing.Rows(rows, true);
    }

    private static Listing.Row row(MachineFolder machine) {
        try {
            return new Listing.Row.Seen(machine.instance(Instant.now()));
        } catch (IOException e) {
            return new Listing.Row.Garbled(machine.id(), FileProblem.reason(e));
        }
    }

    @Override
    public synchronized Description describe(String instance) {
        try {
            Optional<MachineFolder> machine = find(instance);
            return machine.isEmpty()
                    ? new Description.Missing()
                    : new Description.Known(machine.get().instance(Instant.now()));
        } catch (IOException e) {
            return new Description.NotNow(FileProblem.reason(e));
        }
    }

    @Override
    public List<PricePoint> spotPrices(String type, Instant from, Instant to) {
        return setting.spot().of(type).map(trace -> trace.between(from, to)).orElse(List.of());
    }

    /** Terminates machines whose notice has expired. */
    @Override
    public synchronized List<InterruptionNotice> interruptions() {
        List<InterruptionNotice> notices = new ArrayList<>();
        Instant now = Instant.now();
        try {
            for (MachineFolder machine : MachineFolder.notStopped(machines)) {
                if (isLost(machine, now)) {
                    machine.take(now.plus(setting.spot().notice()), "its price rose above the bid");
                }
                Optional<InterruptionNotice> notice = machine.taken();
                if (notice.isPresent() && machine.state(now).alive()) {
                    notices.add(notice.get());
                }
            }
        } catch (IOException e) {
            throw FileProblem.of("cannot list the machines in " + machines, e);
        }
        for (InterruptionNotice notice : notices) {
            if (!now.isBefore(notice.endsAt())) {
                terminate(notice.instance());
            }
        }
        return notices;
    }

    private boolean isLost(MachineFolder machine, Instant now) {
        return machine.purchase() == Purchase.SPOT
                && machine.bid()
                        .filter(bid -> setting.spot().isLost(machine.type(), bid, now))
                        .isPresent();
    }

    /** All processes of a machine, including detached ones. */
    public List<Long> processes(String instance) {
        return LinuxProcesses.marked(MARK + "=" + instance);
    }

    /**
     * Reclaims a machine as if its price had risen, with a notice to its lessee.
     *
     * @param endsAt time of termination
     */
    public synchronized void interrupt(String instance, Instant endsAt, String reason) {
        try {
            Optional<MachineFolder> machine = find(instance);
            if (machine.isPresent()) {
                machine.get().take(endsAt, reason);
            }
        } catch (IOException e) {
            throw FileProblem.of("cannot reclaim the machine " + instance, e);
        }
    }

    /** Machines keep running. */
    @Override
    public void close() {}
}
