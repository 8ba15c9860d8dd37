package petrichor.testing.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.testing.simulation.LogGuard.Form;
import petrichor.testing.simulation.LogState.Client;
import petrichor.testing.simulation.LogState.Entry;
import petrichor.testing.simulation.LogState.Note;
import petrichor.testing.simulation.LogState.Phase;
import petrichor.testing.simulation.LogState.Server;
import petrichor.testing.simulation.LogState.Slot;
import petrichor.testing.simulation.LogState.Store;
import petrichor.testing.simulation.LogState.Write;
import petrichor.testing.simulation.ProtocolState.Commit;

/** A mutable {@link LogState} under construction. Confined to one thread. */
final class LogDraft {
    private final LogRules rules;
    int elected;
    int takenBack;
    final List<ServerDraft> processes = new ArrayList<>();
    Store store;
    final Set<Write> writes;
    final List<Client> clients;
    final Set<Integer> acknowledged;
    final Set<Integer> refused;
    @Nullable String wrong;

    LogDraft(LogRules rules, LogState from) {
        this.rules = rules;
        elected = from.elected();
        takenBack = from.takenBack();
        from.processes().forEach(process -> processes.add(new ServerDraft(process)));
        store = from.store();
        writes = new HashSet<>(from.writes());
        clients = new ArrayList<>(from.clients());
        acknowledged = new HashSet<>(from.acknowledged());
        refused = new HashSet<>(from.refused());
        wrong = from.wrong();
    }

    void wrong(String what) {
        if (wrong == null) {
            wrong = what;
        }
    }

    /** Applies a write, immediately or late. */
    void arrive(Write write) {
        switch (write) {
            case Write.Append(Entry entry) -> append(entry);
            case Write.Apply(Commit commit) -> apply(commit);
            case Write.Noting(Note note) -> note(note);
            case Write.Removal(List<Slot> slots) -> remove(slots);
            case Write.Ending(LogState.End end) -> end(end);
        }
    }

    /** False if the slot is taken. */
    boolean append(Entry entry) {
        Entry there = store.entry(entry.at());
        if (rules.form() == Form.CONDITIONAL
                && there != null
                && rules.has(LogGuard.SLOT_IF_ABSENT)) {
            return false;
        }
        if (there != null && (rules.form() == Form.CONDITIONAL || !there.equals(entry))) {
            wrong(entry + " replaces " + there);
        }
        store = store.with(entry);
        return true;
    }

    void apply(Commit commit) {
        store = store.with(commit, rules.has(LogGuard.PUT_IF_NEWER));
    }

    void note(Note note) {
        if (!rules.has(LogGuard.NOTE_IF_NEWER) || note.version() > store.note().version()) {
            store = store.with(note);
        }
    }

    void remove(List<Slot> slots) {
        store = store.without(slots);
        if (rules.form() == Form.PLAIN) {
            // Ranges are deleted at a version: later records of those slots are older.
            writes.removeIf(
                    write -> write instanceof Write.Append(Entry e) && slots.contains(e.at()));
            if (!rules.has(LogGuard.GATES_AND_ENDS_STAY)) {
                store = store.withoutEndsBefore(store.note().next().epoch());
            }
        }
    }

    /** False if the epoch already has an end. */
    boolean end(LogState.End end) {
        if (store.end(end.epoch()) != null && rules.has(LogGuard.END_IF_ABSENT)) {
            return false;
        }
        store = store.with(end);
        return true;
    }

    LogState state() {
        writes.removeIf(write -> rules.changesNothing(store, write));
        return new LogState(
                elected,
                takenBack,
                processes.stream().map(ServerDraft::process).toList(),
                store,
                Set.copyOf(writes),
                List.copyOf(clients),
                Set.copyOf(acknowledged),
                Set.copyOf(refused),
                wrong);
    }

    /** A mutable {@link Server}. */
    static final class ServerDraft {
        Phase phase;
        int nonce;
        Note from;
        Slot at;
        boolean ours;
        Note last;
        int count;
        @Nullable Entry seen;
        List<Entry> walked;
        List<Entry> memory;
        List<Slot> applied;
        Note reached;
        boolean noted;
        List<Integer> queue;
        @Nullable Entry pending;

        ServerDraft(Server process) {
            phase = process.phase();
            nonce = process.nonce();
            from = process.from();
            at = process.at();
            ours = process.ours();
            last = process.last();
            count = process.count();
            seen = process.seen();
            walked = new ArrayList<>(process.walked());
            memory = new ArrayList<>(process.memory());
            applied = new ArrayList<>(process.applied());
            reached = process.reached();
            noted = process.noted();
            queue = new ArrayList<>(process.queue());
            pending = process.pending();
        }

        void walkFrom(Note note) {
            phase = Phase.WALKS;
            from = note;
            at = note.next();
            ours = false;
            last = note;
            walked.clear();
        }

        Server process() {
            return phase == Phase.DOWN
                    ? Server.DOWN
                    : new Server(
                            phase,
                            nonce,
                            from,
                            at,
                            ours,
                            last,
                            count,
                            seen,
                            List.copyOf(walked),
                            List.copyOf(memory),
                            List.copyOf(applied),
                            reached,
                            noted,
                            List.copyOf(queue),
                            pending);
        }
    }
}
