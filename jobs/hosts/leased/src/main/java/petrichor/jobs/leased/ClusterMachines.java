package petrichor.jobs.leased;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import petrichor.base.FileProblem;
import petrichor.cloud.Billing;
import petrichor.cloud.InstanceType;
import petrichor.cloud.leasing.CostReport;
import petrichor.cloud.leasing.LeaseJournal;
import petrichor.cloud.leasing.LeaseState;
import petrichor.cloud.leasing.Leasing;
import petrichor.cloud.leasing.LeasingLimits;
import petrichor.cloud.leasing.TypeCost;
import petrichor.cloud.leasing.Workers;
import petrichor.cloud.local.LocalCloud;
import petrichor.cloud.local.LocalSetting;

/**
 * The leased machines of a cluster that another engine runs: which types there are to lease, where
 * the leases are journaled, what they have cost. Data; the cluster's manager leases ({@link
 * LeaseJournal} lets only one process do so), any process may read the bill.
 *
 * @param setting its folder belongs to this cluster alone
 * @param early an idle machine is released at the latest this long before its next billing period
 */
public record ClusterMachines(LeaseSetting setting, Duration early) {
    /** The owner's name under which the leases of a cluster are journaled. */
    public static final String OWNER = "petrichor-cluster";

    private static final String LEASES = "leases";
    private static final Duration POLL_INTERVAL = Duration.ofMillis(250);
    private static final Duration LIST_EVERY = Duration.ofSeconds(5);
    private static final Duration CAPACITY_PAUSE = Duration.ofSeconds(2);
    private static final int BOOT_TIMES_MAX = 1;
    private static final int END_TRIES = 4;
    private static final Duration GIVE_BACK_MAX = Duration.ofSeconds(20);

    static final Workers NOBODY =
            new Workers() {
                @Override
                public boolean answers(String instance) {
                    return false;
                }

                @Override
                public boolean emptied(String instance, Instant by) {
                    return true;
                }
            };

    public static ClusterMachines of(LeaseSetting setting) {
        return new ClusterMachines(setting, Duration.ZERO);
    }

    public static ClusterMachines read(Path file) {
        Properties all = new Properties();
        try (Reader text = Files.newBufferedReader(file)) {
            all.load(text);
        } catch (IOException e) {
            throw FileProblem.of("cannot read " + file, e);
        }
        List<InstanceType> types = new ArrayList<>();
        for (String type : all.getProperty("types", "").split(" ", -1)) {
            types.add(LeaseSetting.type(type));
        }
        return new ClusterMachines(
                LeaseSetting.in(Path.of(all.getProperty("folder", "")))
                        .withTypes(types)
                        .withBilling(Billing.valueOf(all.getProperty("billing", "PER_SECOND")))
                        .withMachinesMax(Integer.parseInt(all.getProperty("machines", "1")))
                        .withWaitMax(
                                Duration.ofSeconds(
                                        Long.parseLong(all.getProperty("wait-seconds", "60")))),
                Duration.ofSeconds(Long.parseLong(all.getProperty("early-seconds", "0"))));
    }

    public void write(Path file) {
        Properties all = new Properties();
        all.setProperty("folder", setting.folder().toAbsolutePath().normalize().toString());
        all.setProperty(
                "types",
                String.join(
                        " ", setting.types().stream().map(ClusterMachines::displayName).toList()));
        all.setProperty("billing", setting.billing().name());
        all.setProperty("machines", Integer.toString(setting.machinesMax()));
        all.setProperty("early-seconds", Long.toString(early.toSeconds()));
        all.setProperty("wait-seconds", Long.toString(setting.waitMax().toSeconds()));
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            try (Writer text = Files.newBufferedWriter(file)) {
                all.store(text, "What the cluster leases; read when it starts.");
            }
        } catch (IOException e) {
            throw FileProblem.of("cannot write " + file, e);
        }
    }

    private static String displayName(InstanceType type) {
        return type.name()
                + ":"
                + type.cores()
                + ":"
                + (type.memoryBytes() >> 20)
                + ":"
                + type.pricePerHour().toString().substring(1);
    }

    /**
     * Opens the cloud.
     *
     * @param command the program of its machines
     */
    public LocalCloud cloud(Function<InstanceType, List<String>> command) {
        return LocalCloud.open(
                new LocalSetting(
                        setting.folder(),
                        setting.types(),
                        command,
                        setting.machinesMax(),
                        setting.billing()));
    }

    /** Takes over the existing leases; FAILED_PRECONDITION while another process leases. */
    public LeaseJournal journal() {
        return LeaseJournal.open(setting.folder().resolve(LEASES), Instant.now());
    }

    public LeasingLimits limits() {
        return new LeasingLimits(
                POLL_INTERVAL,
                LIST_EVERY,
                setting.waitMax(),
                early,
                setting.silentMax(),
                BOOT_TIMES_MAX,
                CAPACITY_PAUSE,
                END_TRIES);
    }

    /** The cost of all machines up to now, including machines still leased. */
    public CostReport cost() {
        try (LocalCloud cloud = cloud(_ -> List.of())) {
            return CostReport.of(
                    OWNER,
                    LeaseJournal.peek(setting.folder().resolve(LEASES)),
                    cloud,
                    Instant.now());
        }
    }

    /** The same, by machine type. */
    public List<TypeCost> types() {
        try (LocalCloud cloud = cloud(_ -> List.of())) {
            return TypeCost.of(
                    LeaseJournal.peek(setting.folder().resolve(LEASES)), cloud, Instant.now());
        }
    }

    /** Upper bound of the number of leased machines, from the journal. */
    public int leased() {
        Map<String, LeaseState> states = new HashMap<>();
        LeaseJournal.peek(setting.folder().resolve(LEASES))
                .forEach(line -> states.put(line.token(), line.state()));
        return (int) states.values().stream().filter(each -> each != LeaseState.ENDED).count();
    }

    /** Releases the machines that a failed manager left leased. */
    public void giveBack() {
        try (LocalCloud cloud = cloud(_ -> List.of());
                LeaseJournal journal = journal()) {
            giveBack(new Leasing(Leasing.Parts.of(cloud, OWNER, journal, NOBODY), limits()));
        }
    }

    /**
     * Ends all machines and waits for a while; the next process that leases takes over those left.
     */
    public static void giveBack(Leasing leasing) {
        long started = System.nanoTime();
        do {
            leasing.step(List.of());
            LockSupport.parkNanos(POLL_INTERVAL.toNanos() / 5);
        } while (!leasing.quiet() && System.nanoTime() - started < GIVE_BACK_MAX.toNanos());
    }
}
