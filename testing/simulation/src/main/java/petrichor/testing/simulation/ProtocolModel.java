package petrichor.testing.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.testing.simulation.Guard.Tier;
import petrichor.testing.simulation.ProtocolState.Client;
import petrichor.testing.simulation.ProtocolState.Commit;
import petrichor.testing.simulation.ProtocolState.Fence;
import petrichor.testing.simulation.ProtocolState.LogRow;
import petrichor.testing.simulation.ProtocolState.Message;
import petrichor.testing.simulation.ProtocolState.Message.Kind;
import petrichor.testing.simulation.ProtocolState.Owner;
import petrichor.testing.simulation.ProtocolState.Phase;
import petrichor.testing.simulation.ProtocolState.Row;
import petrichor.testing.simulation.ProtocolState.Sealed;
import petrichor.testing.simulation.ProtocolState.Store;
import petrichor.testing.simulation.ProtocolState.Work;

/**
 * A small model of the commit protocol. Two processes compete for the lease of one database. Each
 * client runs one transaction that reads two rows and appends its own number to both. Requests to
 * the store may arrive at any later time, even after their sender has died or was replaced.
 * Processes crash, leases expire unnoticed, the power fails.
 *
 * <p>Violations: a snapshot that contains half a transaction or lacks an acknowledged one, two
 * processes that commit under one fence, versions that do not increase, an acknowledged commit that
 * is not in the rows.
 *
 * <p>Simplifications: a new owner replays its log in one step (it is idempotent), and checking the
 * lease takes no time, which represents a perfect clock; see {@link Guard#LEASE_ON_COMMIT}.
 */
public final class ProtocolModel implements Explorer.Model<ProtocolState> {
    private static final int PROCESSES = 2;

    private final Tier tier;
    private final Set<Guard> guards;
    private final int clients;
    private final int epochsMax;

    /**
     * @param clients number of transactions, each tried once
     * @param epochsMax number of elections
     */
    public ProtocolModel(Tier tier, Set<Guard> guards, int clients, int epochsMax) {
        this.tier = tier;
        this.guards = guards.isEmpty() ? EnumSet.noneOf(Guard.class) : EnumSet.copyOf(guards);
        this.clients = clients;
        this.epochsMax = epochsMax;
    }

    @Override
    public ProtocolState initial() {
        return new ProtocolState(
                0,
                0,
                Collections.nCopies(PROCESSES, Owner.DOWN),
                Store.EMPTY,
                null,
                Set.of(),
                Collections.nCopies(clients, Client.IDLE),
                Set.of(),
                null);
    }

    @Override
    public @Nullable String violation(ProtocolState state) {
        String wrong = state.wrong();
        for (int process = 0; wrong == null && process < PROCESSES; process++) {
            Owner owner = state.owners().get(process);
            if (handsOutSnapshots(state, owner)) {
                wrong = wrongSnapshot(state, process, owner.published());
            }
        }
        return wrong;
    }

    private boolean handsOutSnapshots(ProtocolState state, Owner owner) {
        return owner.phase() == Phase.SERVING
                && (state.lease() == owner.epoch() || !has(Guard.LEASE_ON_READ));
    }

    /** What a reader would observe as a violation in this state. */
    private static @Nullable String wrongSnapshot(ProtocolState state, int process, int version) {
        List<Integer> x = state.store().x().read(version);
        List<Integer> y = state.store().y().read(version);
        if (!x.equals(y)) {
            return "process " + process + " shows half a transaction: " + x + " and " + y;
        }
        if (!x.containsAll(state.acknowledged())) {
            return "process " + process + " shows " + x + "; acknowledged: " + state.acknowledged();
        }
        return null;
    }

    @Override
    public List<Explorer.Step<ProtocolState>> steps(ProtocolState state) {
        List<Explorer.Step<ProtocolState>> steps = new ArrayList<>();
        if (state.lease() != 0) {
            add(steps, "the lease runs out", draft(state).lease(0));
        }
        for (int process = 0; process < PROCESSES; process++) {
            ownerSteps(steps, state, process);
        }
        for (Message message : state.messages()) {
            arrive(steps, state, message);
        }
        Store durable = state.durable();
        if (durable != null) {
            add(steps, "the store syncs", draft(state).synced());
            ProtocolDraft off = draft(state);
            off.store = durable;
            off.durable = null;
            off.messages.clear();
            Collections.fill(off.owners, Owner.DOWN);
            add(steps, "the power fails", off);
        }
        return steps;
    }

    private void ownerSteps(
            List<Explorer.Step<ProtocolState>> steps, ProtocolState state, int process) {
        Owner owner = state.owners().get(process);
        String name = "process " + process;
        if (owner.phase() != Phase.DOWN) {
            add(steps, name + " crashes", draft(state).owner(process, Owner.DOWN));
        }
        switch (owner.phase()) {
            case DOWN -> {
                if (state.lease() == 0 && state.epochs() < epochsMax) {
                    int epoch = state.epochs() + 1;
                    ProtocolDraft draft = draft(state).lease(epoch);
                    draft.epochs = epoch;
                    draft.owner(process, new Owner(Phase.ELECTED, epoch, 0, 0, 0, 1, Work.NONE));
                    add(steps, name + " is elected for epoch " + epoch, draft);
                }
            }
            case ELECTED -> takeOver(steps, state, process, owner);
            case HASTY -> takeFence(steps, state, process, owner, Phase.SERVING);
            case TAKEN -> add(steps, name + " recovers and serves", recovered(state, process));
            case SERVING -> serve(steps, state, process, owner);
        }
    }

    private void takeOver(
            List<Explorer.Step<ProtocolState>> steps,
            ProtocolState state,
            int process,
            Owner owner) {
        String name = "process " + process;
        Store store = state.store();
        switch (tier) {
            case A -> {
                if (has(Guard.FENCE_BEFORE_RECOVERY)) {
                    takeFence(steps, state, process, owner, Phase.TAKEN);
                } else {
                    ProtocolDraft draft = recovered(state, process);
                    Owner early = draft.owners.get(process);
                    if (early.phase() == Phase.SERVING) {
                        draft.owner(process, early.as(Phase.HASTY));
                    }
                    add(steps, name + " recovers before it fences", draft);
                }
            }
            case B -> {
                int slot = store.contiguous(0) + 1;
                ProtocolDraft draft =
                        draft(state).owner(process, owner.behind(slot, has(Guard.SEAL)));
                if (has(Guard.SEAL)) {
                    draft.write(store.withLog(LogRow.seal(slot, owner.epoch())));
                }
                add(steps, name + " reads the log up to slot " + slot + " and seals", draft);
            }
            case C -> {
                ProtocolDraft draft = draft(state).owner(process, owner.as(Phase.TAKEN));
                if (has(Guard.SEAL)) {
                    Store sealed = store;
                    for (int epoch = 1; epoch < owner.epoch(); epoch++) {
                        if (store.sealOf(epoch) == null) {
                            sealed = sealed.withSealed(new Sealed(epoch, store.contiguous(epoch)));
                        }
                    }
                    draft.write(sealed);
                }
                add(steps, name + " seals the logs of former epochs", draft);
            }
        }
    }

    private void takeFence(
            List<Explorer.Step<ProtocolState>> steps,
            ProtocolState state,
            int process,
            Owner owner,
            Phase next) {
        Store store = state.store();
        ProtocolDraft draft = draft(state);
        int fence = store.fence() + 1;
        draft.owner(process, owner.withFence(fence).as(next));
        draft.write(store.withFence(fence));
        add(steps, "process " + process + " takes the fence", draft);
    }

    /** Reads the state to continue from, and starts to serve. */
    private ProtocolDraft recovered(ProtocolState state, int process) {
        ProtocolDraft draft = draft(state);
        Owner owner = state.owners().get(process);
        if (tier != Tier.C && has(Guard.LEASE_AFTER_TAKING) && state.lease() != owner.epoch()) {
            return draft.owner(process, Owner.DOWN);
        }
        int newest = state.store().x().current().version();
        if (tier != Tier.A) {
            List<Commit> log = committedLog(draft, owner);
            if (has(Guard.REPLAY)) {
                Row x = state.store().x();
                Row y = state.store().y();
                for (Commit commit : log) {
                    x = x.put(commit, has(Guard.PUT_IF_NEWER));
                    y = y.put(commit, has(Guard.PUT_IF_NEWER));
                }
                draft.write(state.store().withRows(x, y));
            }
            for (Commit commit : log) {
                newest = Math.max(newest, commit.version());
            }
        }
        int last = has(Guard.VERSIONS_ABOVE_RECOVERED) ? newest : 0;
        return draft.owner(
                process,
                new Owner(
                        Phase.SERVING,
                        owner.epoch(),
                        owner.fence(),
                        last,
                        newest,
                        owner.slot(),
                        Work.NONE));
    }

    /** The valid commits in order. */
    private List<Commit> committedLog(ProtocolDraft draft, Owner owner) {
        List<Commit> commits = new ArrayList<>();
        int firstEpoch = tier == Tier.B ? 0 : 1;
        int lastEpoch = tier == Tier.B ? 0 : owner.epoch() - 1;
        for (int epoch = firstEpoch; epoch <= lastEpoch; epoch++) {
            Sealed seal = draft.store.sealOf(epoch);
            int rows =
                    tier == Tier.B
                            ? owner.slot() - 1
                            : seal == null ? draft.store.contiguous(epoch) : seal.rows();
            for (int slot = 1; slot <= rows; slot++) {
                LogRow row = draft.store.logRow(epoch, slot);
                if (row != null && !row.isSeal()) {
                    commits.add(row.commit());
                }
            }
        }
        for (int at = 1; at < commits.size(); at++) {
            if (commits.get(at).version() <= commits.get(at - 1).version()) {
                draft.wrong("versions in the log do not increase");
            }
        }
        return commits;
    }

    private void serve(
            List<Explorer.Step<ProtocolState>> steps,
            ProtocolState state,
            int process,
            Owner owner) {
        String name = "process " + process;
        if (owner.work().busy()) {
            Owner next = has(Guard.STOP_ON_UNKNOWN) ? Owner.DOWN : owner.ignoring();
            add(steps, name + " gives up waiting for the store", draft(state).owner(process, next));
        }
        for (int number = 0; number < clients; number++) {
            Client client = state.clients().get(number);
            if (!client.started()) {
                if (handsOutSnapshots(state, owner)) {
                    begin(steps, state, process, owner, number);
                }
            } else if (!client.asked() && !owner.work().busy()) {
                ask(steps, state, process, owner, number);
            }
        }
    }

    private void begin(
            List<Explorer.Step<ProtocolState>> steps,
            ProtocolState state,
            int process,
            Owner owner,
            int number) {
        int version = owner.published();
        ProtocolDraft draft = draft(state);
        draft.clients.set(
                number, new Client(true, version, state.store().x().read(version), false));
        add(
                steps,
                "transaction " + number + " reads at " + version + " of process " + process,
                draft);
    }

    private void ask(
            List<Explorer.Step<ProtocolState>> steps,
            ProtocolState state,
            int process,
            Owner owner,
            int number) {
        Client client = state.clients().get(number);
        ProtocolDraft draft = draft(state);
        Client asked = new Client(true, client.base(), client.list(), true);
        draft.clients.set(number, asked);
        String what = "transaction " + number + " asks process " + process + " to commit";
        if (client.base() != owner.published() && has(Guard.VALIDATION)) {
            add(steps, what + " and is refused", draft);
            return;
        }
        List<Integer> list = new ArrayList<>(client.list());
        list.add(number);
        Commit commit = new Commit(number, owner.last() + 1, List.copyOf(list));
        draft.owner(process, owner.working(new Work(commit, 2)));
        Kind kind = tier == Tier.A ? Kind.BATCH : Kind.LOG;
        draft.messages.add(
                new Message(kind, process, owner.epoch(), owner.fence(), owner.slot(), commit));
        if (!has(Guard.ACK_AFTER_DURABLE)) {
            draft.acknowledged.add(number);
        }
        add(steps, what + " and gets version " + commit.version(), draft);
    }

    private void arrive(
            List<Explorer.Step<ProtocolState>> steps, ProtocolState state, Message message) {
        ProtocolDraft draft = draft(state);
        draft.messages.remove(message);
        Store store = state.store();
        Commit commit = message.commit();
        Owner owner = state.owners().get(message.process());
        boolean awaited =
                owner.phase() == Phase.SERVING
                        && owner.epoch() == message.epoch()
                        && owner.work().commit().equals(commit);
        switch (message.kind()) {
            case BATCH -> {
                if (message.fence() != store.fence() && has(Guard.FENCE_CHECK)) {
                    draft.messages.add(message.as(Kind.FENCED));
                } else {
                    landBatch(draft, message);
                }
            }
            case LOG -> landLog(draft, message);
            case APPLY_X, APPLY_Y -> {
                boolean onlyIfNewer = has(Guard.PUT_IF_NEWER) && tier != Tier.A;
                boolean isX = message.kind() == Kind.APPLY_X;
                draft.write(
                        store.withRows(
                                isX ? store.x().put(commit, onlyIfNewer) : store.x(),
                                isX ? store.y() : store.y().put(commit, onlyIfNewer)));
                if (awaited) {
                    applied(draft, message, owner);
                }
            }
            case DONE -> {
                if (awaited) {
                    answered(draft, message, owner);
                }
            }
            case FENCED -> {
                if (awaited) {
                    draft.owner(message.process(), Owner.DOWN);
                }
            }
        }
        add(
                steps,
                message.kind()
                        + " of transaction "
                        + commit.client()
                        + ", version "
                        + commit.version()
                        + ", epoch "
                        + message.epoch()
                        + " arrives",
                draft);
    }

    private void landBatch(ProtocolDraft draft, Message message) {
        Store store = draft.store;
        Commit commit = message.commit();
        Fence committer = new Fence(message.fence(), message.process());
        for (Fence other : store.fencedBy()) {
            if (other.number() == committer.number() && other.process() != committer.process()) {
                draft.wrong("two processes commit under fence " + committer.number());
            }
        }
        if (commit.version() <= store.x().current().version()) {
            draft.wrong("version " + commit.version() + " comes after a higher one");
        }
        store = store.withCommitter(committer);
        if (has(Guard.ATOMIC_ROWS)) {
            draft.write(store.withRows(store.x().put(commit, false), store.y().put(commit, false)));
            draft.messages.add(message.as(Kind.DONE));
        } else {
            draft.write(store);
            draft.messages.add(message.as(Kind.APPLY_X));
            draft.messages.add(message.as(Kind.APPLY_Y));
        }
    }

    private void landLog(ProtocolDraft draft, Message message) {
        int epoch = tier == Tier.B ? 0 : message.epoch();
        LogRow there = draft.store.logRow(epoch, message.slot());
        if (there != null && has(Guard.SLOT_IF_ABSENT) && tier == Tier.B) {
            draft.messages.add(message.as(Kind.FENCED));
            return;
        }
        if (tier == Tier.B) {
            for (LogRow row : draft.store.log()) {
                if (row.slot() < message.slot()
                        && row.commit().version() >= message.commit().version()) {
                    draft.wrong("version " + message.commit().version() + " follows a higher one");
                }
            }
        }
        draft.write(draft.store.withLog(new LogRow(epoch, message.slot(), message.commit())));
        draft.messages.add(message.as(Kind.DONE));
    }

    /** Handles the response of the commit point: tier A is done, the others apply the rows now. */
    private void answered(ProtocolDraft draft, Message message, Owner owner) {
        if (tier == Tier.A) {
            publish(draft, message, owner);
        } else if (tier == Tier.C && has(Guard.LEASE_ON_COMMIT) && draft.lease != owner.epoch()) {
            draft.owner(message.process(), Owner.DOWN);
        } else {
            draft.messages.add(message.as(Kind.APPLY_X));
            draft.messages.add(message.as(Kind.APPLY_Y));
        }
    }

    private void applied(ProtocolDraft draft, Message message, Owner owner) {
        int left = owner.work().rowsToApply() - 1;
        if (left == 0) {
            publish(draft, message, owner);
        } else {
            draft.owner(message.process(), owner.working(new Work(owner.work().commit(), left)));
        }
    }

    private void publish(ProtocolDraft draft, Message message, Owner owner) {
        draft.owner(message.process(), owner.published(message.commit().version()));
        draft.acknowledged.add(message.commit().client());
        if (draft.store.x().read(Integer.MAX_VALUE).size() < draft.acknowledged.size()) {
            draft.wrong(
                    "acknowledged "
                            + draft.acknowledged
                            + " but the rows hold "
                            + draft.store.x().read(Integer.MAX_VALUE));
        }
    }

    private ProtocolDraft draft(ProtocolState state) {
        return new ProtocolDraft(state, has(Guard.SYNC));
    }

    private boolean has(Guard guard) {
        return guards.contains(guard);
    }

    private void add(List<Explorer.Step<ProtocolState>> steps, String name, ProtocolDraft next) {
        steps.add(new Explorer.Step<>(name, next.state()));
    }
}
