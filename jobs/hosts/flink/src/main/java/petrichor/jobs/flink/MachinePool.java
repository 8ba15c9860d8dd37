package petrichor.jobs.flink;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.cloud.Cloud;
import petrichor.cloud.Description;
import petrichor.cloud.InstanceState;
import petrichor.cloud.leasing.LeaseJournal;
import petrichor.cloud.leasing.Leased;
import petrichor.cloud.leasing.Leasing;
import petrichor.cloud.leasing.LeasingLoop;
import petrichor.cloud.leasing.Need;
import petrichor.cloud.leasing.StageDemand;
import petrichor.cloud.leasing.StageId;
import petrichor.cloud.leasing.Workers;
import petrichor.jobs.leased.ClusterMachines;

/**
 * A pool of machines that are requested and released one by one. The leasing layer sees every
 * request as a stage that needs one machine; one more stage, which never starts, keeps idle
 * machines until their paid period ends.
 *
 * <p>Opening the pool takes over the machines that an earlier process left leased in the same
 * folder, to be used or released. {@link #close} releases all machines. Safe for all threads;
 * tenants are called by the leasing thread, without a lock.
 */
final class MachinePool implements AutoCloseable {
    /** The requester of a machine. */
    interface Tenant {
        void granted(Leased machine);

        void waits(String reason);

        void gaveUp(String reason);

        void lost(String reason);

        /** Called periodically while the machine is granted, so that the tenant can check on it. */
        void poll();
    }

    private final Cloud cloud;
    private final LeaseJournal journal;
    private final Leasing leasing;
    private final LeasingLoop loop;
    private final int machinesMax;
    private final List<Request> requests = new ArrayList<>();
    private int next;

    private MachinePool(ClusterMachines machines, Cloud cloud, LeaseJournal journal) {
        this.cloud = cloud;
        this.journal = journal;
        this.next =
                1
                        + journal.lines().stream()
                                .flatMap(line -> line.stage().stream())
                                .mapToInt(StageId::number)
                                .max()
                                .orElse(0);
        this.machinesMax = machines.setting().machinesMax();
        this.leasing =
                new Leasing(
                        Leasing.Parts.of(cloud, ClusterMachines.OWNER, journal, new Booted(cloud)),
                        machines.limits());
        this.loop = LeasingLoop.start(leasing, InstantSource.system(), this::demands);
    }

    /**
     * @param cloud is closed with this pool
     */
    static MachinePool open(ClusterMachines machines, Cloud cloud) {
        LeaseJournal journal = machines.journal();
        try {
            return new MachinePool(machines, cloud, journal);
        } catch (RuntimeException e) {
            journal.close();
            throw e;
        }
    }

    Request request(Need.Wish machine, Tenant tenant) {
        Request request;
        synchronized (this) {
            request =
                    new Request(
                            new StageId(ClusterMachines.OWNER, next),
                            Need.of("task-manager", machine, 1),
                            tenant);
            next++;
            requests.add(request);
        }
        loop.wake();
        return request;
    }

    /** Releases the machine, or withdraws the request. Idempotent. */
    void release(Request request) {
        boolean there;
        synchronized (this) {
            there = requests.remove(request);
        }
        if (there) {
            loop.wake();
        }
    }

    private Collection<? extends StageDemand> demands() {
        List<StageDemand> all = new ArrayList<>();
        List<Request> now;
        synchronized (this) {
            now = List.copyOf(requests);
        }
        now.forEach(Request::poll);
        synchronized (this) {
            all.addAll(requests);
        }
        // An idle machine may be of the wrong type for a waiting request: leave capacity for
        // another one.
        if (all.size() < machinesMax) {
            all.add(new Reserve(machinesMax - all.size()));
        }
        return all;
    }

    @Override
    public void close() {
        synchronized (this) {
            requests.clear();
        }
        loop.close();
        try (journal;
                cloud) {
            ClusterMachines.giveBack(leasing);
        }
    }

    /** A request for one machine. */
    static final class Request implements StageDemand {
        private final StageId id;
        private final Need need;
        private final Tenant tenant;
        private volatile @Nullable Leased machine;

        Request(StageId id, Need need, Tenant tenant) {
            this.id = id;
            this.need = need;
            this.tenant = tenant;
        }

        private void poll() {
            if (machine != null) {
                tenant.poll();
            }
        }

        @Override
        public StageId id() {
            return id;
        }

        @Override
        public List<Need> needs() {
            return List.of(need);
        }

        @Override
        public Phase phase() {
            return Phase.WANTED;
        }

        @Override
        public void granted(Need of, List<Leased> machines) {
            machine = machines.getFirst();
            tenant.granted(machines.getFirst());
        }

        @Override
        public void waits(String reason) {
            tenant.waits(reason);
        }

        @Override
        public void gaveUp(String reason) {
            tenant.gaveUp(reason);
        }

        @Override
        public void lost(Leased gone, String reason) {
            machine = null;
            tenant.lost(reason);
        }
    }

    /** Possible future requests, for a machine of any type. */
    private record Reserve(int machines) implements StageDemand {
        @Override
        public StageId id() {
            return new StageId(ClusterMachines.OWNER, 0);
        }

        @Override
        public List<Need> needs() {
            return List.of(Need.of("reserve", new Need.Wish.AtLeast(1, 1, 0), machines));
        }

        @Override
        public Phase phase() {
            return Phase.PLANNED;
        }

        /** Larger machines are kept, too, while that costs nothing. */
        @Override
        public Optional<Duration> expected() {
            return Optional.of(Duration.ZERO);
        }

        @Override
        public void granted(Need need, List<Leased> machines) {}

        @Override
        public void waits(String reason) {}

        @Override
        public void gaveUp(String reason) {}

        @Override
        public void lost(Leased machine, String reason) {}
    }

    /** A machine is ready when its program has reported and is running. */
    private record Booted(Cloud cloud) implements Workers {
        @Override
        public boolean answers(String instance) {
            return cloud.describe(instance) instanceof Description.Known known
                    && known.instance().state() == InstanceState.RUNNING
                    && known.instance().address().isPresent();
        }

        @Override
        public boolean emptied(String instance, Instant by) {
            return true;
        }
    }

    /** The folder for a machine's files, in a local cloud. */
    static Path folder(ClusterMachines machines, Leased machine) {
        return machines.setting()
                .folder()
                .toAbsolutePath()
                .normalize()
                .resolve("machines")
                .resolve(machine.instance());
    }
}
