package petrichor.jobs.leased;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.cloud.leasing.Leased;
import petrichor.cloud.leasing.Need;
import petrichor.cloud.leasing.StageDemand;
import petrichor.cloud.leasing.StageId;
import petrichor.jobs.engine.workers.JobWorkers.Gathered;

/**
 * One stage of a job: its machines, and the pending request for their workers. Safe for all
 * threads; the request completes without a lock held.
 */
final class LeasedStage implements StageDemand {
    private final StageId id;
    private final MachinePlan plan;
    private final WorkerRegistrationServer registrations;
    private final Consumer<String> messages;
    private final Map<String, List<Leased>> machines = new LinkedHashMap<>();
    private Phase phase = Phase.PLANNED;
    private @Nullable CompletableFuture<Gathered> waiting;

    LeasedStage(
            StageId id,
            MachinePlan plan,
            WorkerRegistrationServer registrations,
            Consumer<String> messages) {
        this.id = id;
        this.plan = plan;
        this.registrations = registrations;
        this.messages = messages;
        plan.needs().forEach(need -> machines.put(need.name(), new ArrayList<>()));
    }

    @Override
    public StageId id() {
        return id;
    }

    @Override
    public List<Need> needs() {
        return plan.needs();
    }

    @Override
    public synchronized Phase phase() {
        return phase;
    }

    /** Requests the workers when the stage starts, or restarts. */
    synchronized CompletableFuture<Gathered> want() {
        phase = Phase.WANTED;
        CompletableFuture<Gathered> fresh = new CompletableFuture<>();
        waiting = fresh;
        return fresh;
    }

    /** Cancels the request. */
    synchronized void forget() {
        waiting = null;
    }

    /** Completes the request if every machine is there and has an idle worker. */
    void form() {
        CompletableFuture<Gathered> open;
        Gathered gathered;
        synchronized (this) {
            open = waiting;
            gathered = open == null ? null : gathered();
            if (open == null || gathered == null) {
                return;
            }
            waiting = null;
        }
        open.complete(gathered);
    }

    private @Nullable Gathered gathered() {
        List<RegisteredWorker> workers = new ArrayList<>();
        List<Long> memory = new ArrayList<>();
        for (Need need : plan.needs()) {
            List<Leased> own = machines.getOrDefault(need.name(), List.of());
            if (own.size() < need.count()) {
                return null;
            }
            for (Leased machine : own) {
                RegisteredWorker worker = registrations.waiting(machine.instance());
                if (worker == null) {
                    return null;
                }
                workers.add(worker);
                memory.add(LocalMachines.sortingBytes(machine.type()));
            }
        }
        workers.forEach(RegisteredWorker::call);
        return new Gathered(List.copyOf(workers), plan.slots(), memory);
    }

    @Override
    public void granted(Need need, List<Leased> more) {
        synchronized (this) {
            machines.getOrDefault(need.name(), new ArrayList<>()).addAll(more);
        }
        messages.accept(
                "stage "
                        + (id.number() + 1)
                        + ": "
                        + more.size()
                        + (more.size() == 1 ? " machine " : " machines ")
                        + more.getFirst().type().name());
        form();
    }

    @Override
    public void waits(String reason) {
        messages.accept("stage " + (id.number() + 1) + " waits: " + reason);
    }

    @Override
    public void gaveUp(String reason) {
        CompletableFuture<Gathered> open;
        synchronized (this) {
            open = waiting;
            waiting = null;
        }
        if (open != null) {
            open.completeExceptionally(
                    PetrichorException.of(
                            ErrorCode.UNAVAILABLE,
                            "stage {subtask} got no machines, {reason}; allow fewer machines or"
                                    + " more time",
                            "subtask",
                            (id.number() + 1),
                            "reason",
                            reason));
        }
    }

    @Override
    public void lost(Leased machine, String reason) {
        boolean had;
        synchronized (this) {
            had = false;
            for (List<Leased> own : machines.values()) {
                had |= own.removeAll(List.of(machine));
            }
        }
        if (had) {
            registrations.leaves(machine.instance());
            messages.accept(
                    "stage " + (id.number() + 1) + " lost " + machine.instance() + ": " + reason);
        }
    }
}
