package petrichor.bench.cloud;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.cloud.leasing.Leased;
import petrichor.cloud.leasing.Need;
import petrichor.cloud.leasing.StageDemand;
import petrichor.cloud.leasing.StageId;
import petrichor.cloud.simulated.SimulatedCloud;

/** A simulated stage, which only takes time. */
final class ModelledStage implements StageDemand {
    private final StageId id;
    private final SortAggregate.Part part;
    private final double scale;
    private final InstantSource clock;
    private final SimulatedCloud cloud;
    private final List<String> machines = new ArrayList<>();
    private boolean wanted;
    private @Nullable Instant started;

    ModelledStage(
            StageId id,
            SortAggregate.Part part,
            double scale,
            InstantSource clock,
            SimulatedCloud cloud) {
        this.id = id;
        this.part = part;
        this.scale = scale;
        this.clock = clock;
        this.cloud = cloud;
    }

    void want() {
        wanted = true;
    }

    private Duration elapsed() {
        return started == null ? Duration.ZERO : Duration.between(started, clock.instant());
    }

    private boolean inFirstPhase() {
        return elapsed().compareTo(part.phase(scale)) < 0;
    }

    double busyCores() {
        if (started == null) {
            return 0;
        }
        return inFirstPhase() ? part.coresFirst() : part.coresThen();
    }

    /** Whether it has ended; then its machines are free. */
    boolean done() {
        if (started == null || elapsed().compareTo(part.work(scale)) < 0) {
            return false;
        }
        machines.forEach(cloud::idle);
        return true;
    }

    @Override
    public StageId id() {
        return id;
    }

    @Override
    public List<Need> needs() {
        return part.needs();
    }

    @Override
    public Phase phase() {
        return wanted ? Phase.WANTED : Phase.PLANNED;
    }

    @Override
    public Optional<Duration> expected() {
        return Optional.of(part.work(scale));
    }

    @Override
    public boolean reached(Need need) {
        return started != null && !inFirstPhase();
    }

    @Override
    public void granted(Need need, List<Leased> granted) {
        if (started == null) {
            started = clock.instant();
        }
        for (Leased machine : granted) {
            machines.add(machine.instance());
            cloud.use(machine.instance());
        }
    }

    @Override
    public void waits(String reason) {}

    @Override
    public void gaveUp(String reason) {
        throw new IllegalStateException(
                "a simulated cloud in calm weather has machines: " + reason);
    }

    @Override
    public void lost(Leased machine, String reason) {
        throw new IllegalStateException("lost in calm weather: " + machine + ", " + reason);
    }
}
