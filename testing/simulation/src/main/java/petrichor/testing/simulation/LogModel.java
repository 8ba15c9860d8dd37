package petrichor.testing.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.testing.simulation.LogDraft.ServerDraft;
import petrichor.testing.simulation.LogState.Client;
import petrichor.testing.simulation.LogState.Entry;
import petrichor.testing.simulation.LogState.Note;
import petrichor.testing.simulation.LogState.Phase;
import petrichor.testing.simulation.LogState.Server;
import petrichor.testing.simulation.LogState.Slot;
import petrichor.testing.simulation.LogState.Store;
import petrichor.testing.simulation.LogState.Write;
import petrichor.testing.simulation.ProtocolState.Commit;

/**
 * The commit log in miniature, with its note and what the note is for: slots that are applied are
 * removed, under the eyes of whoever walks through the log. Processes are elected one after the
 * other. One that was replaced may have crashed, and never does anything again; or it stood still,
 * and goes on where it was, at any time. Clients each run one transaction that reads a list and
 * appends its own number to it, and makes a row of its own. The store's answers are lost, for
 * records and for seals; what was sent arrives later, or never; its driver tries again and meets
 * its own first attempt.
 *
 * <p>Broken promises: a snapshot that lacks an acknowledged transaction, or has half of one, or one
 * that was refused; a record that replaces another.
 *
 * <p>Simplified: to look at the lease costs no time, which stands for clocks that all can trust;
 * the rows of one batch are put in one step; a walker applies all that it found in one step.
 */
public final class LogModel implements Explorer.Model<LogState> {
    /**
     * Two who walk at the same time can seal each other's epochs, in turn and without end. Here
     * they do so not much more often than there are attempts.
     */
    private static final int DUEL_EPOCHS_MAX = 1;

    private final Set<LogGuard> guards;
    private final int clients;
    private final int processes;
    private final int takenBackMax;

    /**
     * @param clients transactions that are tried, each once
     * @param processes that are elected, each once
     * @param takenBackMax how often one of them takes the log back
     */
    public LogModel(Set<LogGuard> guards, int clients, int processes, int takenBackMax) {
        this.guards = guards.isEmpty() ? EnumSet.noneOf(LogGuard.class) : EnumSet.copyOf(guards);
        this.clients = clients;
        this.processes = processes;
        this.takenBackMax = takenBackMax;
    }

    @Override
    public LogState initial() {
        return new LogState(
                0,
                0,
                Collections.nCopies(processes, Server.DOWN),
                Store.EMPTY,
                Set.of(),
                Collections.nCopies(clients, Client.IDLE),
                Set.of(),
                Set.of(),
                null);
    }

    // ---- what must not be

    @Override
    public @Nullable String violation(LogState state) {
        String wrong = state.wrong();
        for (int number = 0; wrong == null && number < processes; number++) {
            if (handsOutSnapshots(state, number)) {
                wrong = wrongSnapshot(state, number);
            }
        }
        return wrong;
    }

    private boolean handsOutSnapshots(LogState state, int number) {
        Phase phase = state.processes().get(number).phase();
        return (phase == Phase.SERVES || phase == Phase.COMMITS)
                && (state.leased(number) || !has(LogGuard.LEASE_ON_READ));
    }

    /** What a reader would complain about if it came now. */
    private @Nullable String wrongSnapshot(LogState state, int number) {
        Server process = state.processes().get(number);
        List<Integer> list = list(state.store(), process);
        Set<Integer> marks = marks(state.store(), process);
        String seen = "process " + number + " shows " + list + " with the rows of " + marks;
        if (!list.containsAll(state.acknowledged()) || !marks.containsAll(state.acknowledged())) {
            return seen + "; told as committed: " + state.acknowledged();
        }
        if (!marks.containsAll(list)) {
            return seen + ": half a transaction";
        }
        if (!Collections.disjoint(list, state.refused())) {
            return seen + "; told as not committed: " + state.refused();
        }
        return null;
    }

    /** The list as a process shows it, at the newest version that it knows. */
    private List<Integer> list(Store store, Server process) {
        return has(LogGuard.MEMORY) && !process.memory().isEmpty()
                ? process.memory().getLast().commit().list()
                : store.list().read(process.last().version());
    }

    private Set<Integer> marks(Store store, Server process) {
        Set<Integer> marks = new HashSet<>(store.marks());
        if (has(LogGuard.MEMORY)) {
            process.memory().forEach(entry -> marks.add(entry.commit().client()));
        }
        return marks;
    }

    // ---- what can happen

    @Override
    public List<Explorer.Step<LogState>> steps(LogState state) {
        List<Explorer.Step<LogState>> steps = new ArrayList<>();
        if (state.elected() < processes) {
            LogDraft draft = new LogDraft(state);
            ServerDraft next = draft.processes.get(draft.elected);
            next.nonce = draft.elected;
            walkFrom(next, state.store().note());
            draft.elected++;
            add(steps, "process " + state.elected() + " is elected, and reads the note", draft);
        }
        for (int number = 0; number < state.elected(); number++) {
            new Turn(steps, state, number).take();
        }
        for (Write write : state.writes()) {
            LogDraft draft = new LogDraft(state);
            draft.writes.remove(write);
            arrive(draft, write);
            add(steps, "late: " + write, draft);
        }
        return steps;
    }

    private void arrive(LogDraft draft, Write write) {
        switch (write) {
            case Write.Append(Entry entry) -> append(draft, entry);
            case Write.Apply(Commit commit) ->
                    draft.store = draft.store.with(commit, has(LogGuard.PUT_IF_NEWER));
            case Write.Noting(Note note) -> note(draft, note);
            case Write.Removal(List<Slot> slots) -> draft.store = draft.store.without(slots);
        }
    }

    /** False if the slot is taken. */
    private boolean append(LogDraft draft, Entry entry) {
        Entry there = draft.store.entry(entry.at());
        if (there != null && has(LogGuard.SLOT_IF_ABSENT)) {
            return false;
        }
        if (there != null) {
            draft.wrong(entry + " replaces " + there);
        }
        draft.store = draft.store.with(entry);
        return true;
    }

    private void note(LogDraft draft, Note note) {
        if (!has(LogGuard.NOTE_IF_NEWER) || note.version() > draft.store.note().version()) {
            draft.store = draft.store.with(note);
        }
    }

    private static void walkFrom(ServerDraft process, Note note) {
        process.phase = Phase.WALKS;
        process.from = note;
        process.at = note.next();
        process.ours = false;
        process.last = note;
        process.walked.clear();
    }

    private boolean has(LogGuard guard) {
        return guards.contains(guard);
    }

    private void add(List<Explorer.Step<LogState>> steps, String name, LogDraft next) {
        next.writes.removeIf(write -> changesNothing(next.store, write));
        steps.add(new Explorer.Step<>(name, next.state()));
    }

    /** Neither now nor later, since versions only grow: to know of it makes no other state. */
    private boolean changesNothing(Store store, Write write) {
        return switch (write) {
            case Write.Apply(Commit commit) ->
                    has(LogGuard.PUT_IF_NEWER)
                            && commit.version() <= store.list().current().version()
                            && store.marks().contains(commit.client());
            case Write.Noting(Note note) ->
                    has(LogGuard.NOTE_IF_NEWER) && note.version() <= store.note().version();
            case Write.Append _, Write.Removal _ -> false;
        };
    }

    /** All that one process can do in one state. */
    private final class Turn {
        private final List<Explorer.Step<LogState>> steps;
        private final LogState state;
        private final int number;
        private final Server process;

        Turn(List<Explorer.Step<LogState>> steps, LogState state, int number) {
            this.steps = steps;
            this.state = state;
            this.number = number;
            this.process = state.processes().get(number);
        }

        private void add(String what, LogDraft next) {
            LogModel.this.add(steps, "process " + number + " " + what, next);
        }

        private ServerDraft in(LogDraft draft) {
            return draft.processes.get(number);
        }

        private boolean leased() {
            return state.leased(number);
        }

        void take() {
            switch (process.phase()) {
                case DOWN -> {}
                case WALKS -> readSlot();
                case SEALS -> seal();
                case CHECKS -> readNoteAgain();
                case SERVES -> serve();
                case COMMITS -> awaitRecord();
                case LOST -> takeBack();
            }
            if (process.phase().isServing()) {
                beAsked();
                work();
            }
        }

        /** What a process may have sent when it ends, or begins anew. */
        private void leaveBehind(LogDraft draft) {
            if (process.phase() == Phase.COMMITS && process.pending() != null) {
                draft.writes.add(new Write.Append(process.pending()));
            }
            if (!process.memory().isEmpty()) {
                draft.writes.add(new Write.Apply(process.memory().getFirst().commit()));
            }
            if (!process.noted()) {
                draft.writes.add(new Write.Noting(process.reached()));
            } else if (!process.applied().isEmpty()) {
                draft.writes.add(new Write.Removal(process.applied()));
            }
        }

        // ---- taking the log

        private void readSlot() {
            LogDraft draft = new LogDraft(state);
            ServerDraft me = in(draft);
            Entry entry = state.store().entry(process.at());
            if (entry == null) {
                me.phase = process.ours() ? Phase.CHECKS : Phase.SEALS;
                if (process.ours()) {
                    applyWalked(draft);
                }
            } else if (entry.isSeal()) {
                me.ours = entry.nonce() == process.nonce() || !has(LogGuard.OWN_SEAL);
                me.at = process.at().ofNextEpoch();
                if (!has(LogGuard.SEALS_STAY)) {
                    me.walked.add(entry);
                }
            } else {
                me.ours = false;
                me.at = process.at().next();
                me.walked.add(entry);
                if (has(LogGuard.VERSIONS_ABOVE_WALKED)) {
                    me.last = new Note(me.at, entry.at().epoch(), entry.commit().version());
                }
            }
            add("reads slot " + process.at(), draft);
        }

        private void applyWalked(LogDraft draft) {
            for (Entry entry : process.walked()) {
                if (has(LogGuard.REPLAY) && !entry.isSeal()) {
                    draft.store = draft.store.with(entry.commit(), has(LogGuard.PUT_IF_NEWER));
                }
            }
        }

        private void seal() {
            if (process.at().epoch() > processes + takenBackMax + DUEL_EPOCHS_MAX) {
                LogDraft draft = new LogDraft(state);
                in(draft).phase = Phase.DOWN;
                add("gives up: others are always faster", draft);
                return;
            }
            Entry seal = new Entry(process.at(), process.nonce(), Commit.NONE);
            if (!has(LogGuard.SEAL)) {
                LogDraft draft = new LogDraft(state);
                sealed(draft);
                add("seals nothing", draft);
                return;
            }
            LogDraft written = new LogDraft(state);
            boolean free = append(written, seal);
            if (!free) {
                in(written).phase = Phase.WALKS;
                add("finds the slot taken", written);
                return;
            }
            LogDraft unanswered = new LogDraft(written.state());
            sealed(written);
            add("seals slot " + process.at(), written);
            unknown(unanswered);
            add("seals slot " + process.at() + " and is not told", unanswered);
            LogDraft lost = new LogDraft(state);
            unknown(lost);
            add("is not told that its seal was lost", lost);
        }

        private void sealed(LogDraft draft) {
            ServerDraft me = in(draft);
            me.phase = Phase.WALKS;
            me.ours = true;
            me.at = process.at().ofNextEpoch();
        }

        private void unknown(LogDraft draft) {
            if (has(LogGuard.KNOWN_SEAL)) {
                in(draft).phase = Phase.DOWN;
            } else {
                sealed(draft);
            }
        }

        private void readNoteAgain() {
            LogDraft draft = new LogDraft(state);
            Note now = state.store().note();
            if (has(LogGuard.NOTE_READ_AGAIN) && !now.equals(process.from())) {
                walkFrom(in(draft), now);
                add("finds that the note has moved", draft);
                return;
            }
            ServerDraft me = in(draft);
            if (has(LogGuard.LEASE_AFTER_TAKING) && !leased()) {
                me.phase = Phase.DOWN;
                add("has the log, and no lease", draft);
                return;
            }
            if (has(LogGuard.FATE_AFTER_TAKING)) {
                tellFate(draft, process.last());
            }
            me.phase = Phase.SERVES;
            me.applied.addAll(process.walked().stream().map(Entry::at).toList());
            me.reached = new Note(process.at(), process.last().epoch(), process.last().version());
            me.noted = process.walked().isEmpty();
            me.from = Note.NONE;
            me.walked.clear();
            me.ours = false;
            me.pending = null;
            add("owns the log from slot " + process.at() + " on", draft);
        }

        /** What became of the record that was lost, by the last one in the log. */
        private void tellFate(LogDraft draft, Note last) {
            Entry lost = process.pending();
            if (lost == null) {
                return;
            }
            int version = lost.commit().version();
            if (last.epoch() == lost.at().epoch() && last.version() >= version) {
                draft.acknowledged.add(lost.commit().client());
            } else if (last.epoch() <= lost.at().epoch() && last.version() < version) {
                draft.refused.add(lost.commit().client());
            }
        }

        // ---- owning it

        private void beAsked() {
            for (int client = 0; client < clients; client++) {
                Client one = state.clients().get(client);
                if (client > 0 && !state.clients().get(client - 1).begun()) {
                    // They are all alike: the first that has not begun stands for the others.
                    return;
                }
                LogDraft draft = new LogDraft(state);
                if (!one.begun()) {
                    if (handsOutSnapshots(state, number)) {
                        int version = process.last().version();
                        draft.clients.set(
                                client,
                                new Client(true, version, list(state.store(), process), false));
                        add("shows version " + version + " to transaction " + client, draft);
                    }
                } else if (!one.asked() && leased()) {
                    draft.clients.set(client, new Client(true, one.base(), one.list(), true));
                    in(draft).queue.add(client);
                    String asked = "is asked to commit transaction " + client;
                    if (process.phase() == Phase.SERVES && process.queue().isEmpty()) {
                        commitFirst(draft, asked + " and ");
                    } else {
                        add(asked, draft);
                    }
                }
            }
        }

        private void serve() {
            if (!process.queue().isEmpty()) {
                commitFirst(new LogDraft(state), "");
            }
        }

        private void commitFirst(LogDraft draft, String asked) {
            ServerDraft me = in(draft);
            int client = me.queue.removeFirst();
            Client one = state.clients().get(client);
            if (has(LogGuard.VALIDATION) && !one.list().equals(list(state.store(), process))) {
                draft.refused.add(client);
                add(asked + "refuses transaction " + client, draft);
                return;
            }
            List<Integer> list = new ArrayList<>(one.list());
            list.add(client);
            Commit commit = new Commit(client, process.last().version() + 1, List.copyOf(list));
            me.pending = new Entry(process.at(), process.nonce(), commit);
            me.phase = Phase.COMMITS;
            if (!has(LogGuard.ACK_AFTER_DURABLE)) {
                draft.acknowledged.add(client);
            }
            add(asked + "writes " + me.pending, draft);
        }

        private void awaitRecord() {
            Entry record = process.pending();
            if (record == null) {
                return;
            }
            LogDraft answered = new LogDraft(state);
            boolean free = append(answered, record);
            if (free) {
                LogDraft unanswered = new LogDraft(answered.state());
                in(unanswered).phase = Phase.LOST;
                add("is not told that its record is written", unanswered);
                LogDraft repeated = new LogDraft(answered.state());
                if (has(LogGuard.OWN_RECORD)) {
                    committed(repeated, record);
                } else {
                    fenced(repeated, record);
                }
                add("finds its own record in the slot", repeated);
                committed(answered, record);
                add("has written its record", answered);
            } else {
                fenced(answered, record);
                add("finds the slot taken", answered);
            }
            LogDraft late = new LogDraft(state);
            late.writes.add(new Write.Append(record));
            in(late).phase = Phase.LOST;
            add("gives up waiting", late);
        }

        private void committed(LogDraft draft, Entry record) {
            ServerDraft me = in(draft);
            me.phase = Phase.SERVES;
            me.memory.add(record);
            me.at = record.at().next();
            me.last = new Note(me.at, record.at().epoch(), record.commit().version());
            me.pending = null;
            draft.acknowledged.add(record.commit().client());
        }

        private void fenced(LogDraft draft, Entry record) {
            draft.refused.add(record.commit().client());
            leaveBehind(draft);
            // Of that record nothing is on its way.
            draft.writes.remove(new Write.Append(record));
            in(draft).phase = Phase.DOWN;
        }

        private void takeBack() {
            LogDraft draft = new LogDraft(state);
            ServerDraft me = in(draft);
            if (!has(LogGuard.STOP_ON_UNKNOWN)) {
                me.phase = Phase.SERVES;
                me.at = process.at().next();
                me.pending = null;
                add("goes on with the next slot", draft);
            } else if (state.takenBack() < takenBackMax
                    && (leased() || !has(LogGuard.LEASE_AFTER_TAKING))) {
                leaveBehind(draft);
                if (!has(LogGuard.FATE_AFTER_TAKING)) {
                    Entry lost = process.pending();
                    if (lost != null && state.store().entry(lost.at()) == null) {
                        draft.refused.add(lost.commit().client());
                    }
                    me.pending = null;
                }
                me.memory.clear();
                draft.takenBack++;
                walkFrom(me, state.store().note());
                me.nonce = processes + state.takenBack();
                me.applied.clear();
                me.reached = Note.NONE;
                me.noted = true;
                add("takes the log back", draft);
            }
        }

        // ---- behind the commits

        private void work() {
            if (!process.memory().isEmpty()) {
                LogDraft draft = new LogDraft(state);
                ServerDraft me = in(draft);
                Entry first = me.memory.removeFirst();
                draft.store = draft.store.with(first.commit(), has(LogGuard.PUT_IF_NEWER));
                me.applied.add(first.at());
                me.reached =
                        new Note(first.at().next(), first.at().epoch(), first.commit().version());
                me.noted = false;
                add("applies " + first, draft);
            }
            boolean ahead = !has(LogGuard.NOTE_ONLY_APPLIED) && !process.memory().isEmpty();
            if (!process.noted() || ahead) {
                LogDraft draft = new LogDraft(state);
                in(draft).noted = true;
                note(draft, has(LogGuard.NOTE_ONLY_APPLIED) ? process.reached() : process.last());
                add("notes how far it is", draft);
            }
            boolean tooMuch = !has(LogGuard.REMOVE_ONLY_APPLIED) && !process.memory().isEmpty();
            if ((!process.applied().isEmpty() || tooMuch)
                    && (process.noted() || !has(LogGuard.NOTE_BEFORE_REMOVAL))) {
                LogDraft draft = new LogDraft(state);
                List<Slot> slots = new ArrayList<>(process.applied());
                if (!has(LogGuard.REMOVE_ONLY_APPLIED)) {
                    process.memory().forEach(entry -> slots.add(entry.at()));
                }
                draft.store = draft.store.without(slots);
                in(draft).applied.clear();
                add("removes " + slots, draft);
            }
        }
    }
}
