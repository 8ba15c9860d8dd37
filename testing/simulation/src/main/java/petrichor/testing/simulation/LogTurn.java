package petrichor.testing.simulation;

import java.util.ArrayList;
import java.util.List;
import petrichor.testing.simulation.LogDraft.ServerDraft;
import petrichor.testing.simulation.LogGuard.Form;
import petrichor.testing.simulation.LogState.Client;
import petrichor.testing.simulation.LogState.Entry;
import petrichor.testing.simulation.LogState.Note;
import petrichor.testing.simulation.LogState.Phase;
import petrichor.testing.simulation.LogState.Server;
import petrichor.testing.simulation.LogState.Slot;
import petrichor.testing.simulation.LogState.Write;
import petrichor.testing.simulation.ProtocolState.Commit;

/**
 * All possible steps of one process in a state, except those on slots, which are in {@link
 * SlotTurn}.
 */
final class LogTurn {
    private final LogRules rules;
    private final List<Explorer.Step<LogState>> steps;
    private final LogState state;
    private final int number;
    private final Server process;
    private final SlotTurn slots;

    LogTurn(LogRules rules, List<Explorer.Step<LogState>> steps, LogState state, int number) {
        this.rules = rules;
        this.steps = steps;
        this.state = state;
        this.number = number;
        this.process = state.processes().get(number);
        this.slots =
                switch (rules.form()) {
                    case CONDITIONAL -> new ConditionalTurn(rules, this, state, process);
                    case PLAIN -> new PlainTurn(rules, this, state, process);
                };
    }

    void add(String what, LogDraft next) {
        steps.add(new Explorer.Step<>("process " + number + " " + what, next.state()));
    }

    ServerDraft in(LogDraft draft) {
        return draft.processes.get(number);
    }

    private boolean leased() {
        return state.leased(number);
    }

    void take() {
        switch (process.phase()) {
            case DOWN -> {}
            case WALKS -> slots.read();
            case SEALS, COUNTS, RECALLS, ENDS -> slots.seal();
            case CHECKS -> readNoteAgain();
            case SERVES -> serve();
            case COMMITS, READS_GATE, SETTLES, RESIGNS -> slots.append();
            case LOST -> takeBack();
        }
        if (process.phase().isServing()) {
            beAsked();
            work();
        }
    }

    /** Requests in transit when a process ends or restarts. */
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

    /** Continues after reading a slot. */
    void walkOver(LogDraft draft, Entry entry) {
        ServerDraft me = in(draft);
        if (entry.isSeal()) {
            me.ours = entry.nonce() == process.nonce() || !rules.has(LogGuard.OWN_SEAL);
            me.at = process.at().ofNextEpoch();
            if (!rules.has(LogGuard.SEALS_STAY) && rules.form() == Form.CONDITIONAL) {
                me.walked.add(entry);
            }
        } else {
            me.ours = false;
            me.at = process.at().next();
            me.walked.add(entry);
            if (rules.has(LogGuard.VERSIONS_ABOVE_WALKED)) {
                me.last = new Note(me.at, entry.at().epoch(), entry.commit().version());
            }
        }
    }

    /** Handles a free slot: the end of the log, if the epoch is its own. */
    void stopAtFreeSlot(LogDraft draft) {
        in(draft).phase = process.ours() ? Phase.CHECKS : Phase.SEALS;
        if (process.ours() && rules.has(LogGuard.REPLAY)) {
            process.walked().stream()
                    .filter(entry -> !entry.isSeal())
                    .forEach(entry -> draft.apply(entry.commit()));
        }
    }

    private void readNoteAgain() {
        LogDraft draft = new LogDraft(rules, state);
        Note now = state.store().note();
        if (rules.has(LogGuard.NOTE_READ_AGAIN) && !now.equals(process.from())) {
            in(draft).walkFrom(now);
            add("finds that the note has moved", draft);
            return;
        }
        ServerDraft me = in(draft);
        slots.begin(draft);
        if (rules.has(LogGuard.LEASE_AFTER_TAKING) && !leased()) {
            me.phase = Phase.DOWN;
            add("has the log, and no lease", draft);
            return;
        }
        if (rules.has(LogGuard.FATE_AFTER_TAKING)) {
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

    /** Determines the outcome of the lost record from the last record in the log. */
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
        for (int client = 0; client < rules.clients(); client++) {
            Client one = state.clients().get(client);
            if (client > 0 && !state.clients().get(client - 1).started()) {
                // Clients are interchangeable: the first that has not started represents the
                // others.
                return;
            }
            LogDraft draft = new LogDraft(rules, state);
            if (!one.started()) {
                if (rules.handsOutSnapshots(state, number)) {
                    int version = process.last().version();
                    draft.clients.set(
                            client,
                            new Client(true, version, rules.list(state.store(), process), false));
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
            commitFirst(new LogDraft(rules, state), "");
        }
    }

    private void commitFirst(LogDraft draft, String asked) {
        ServerDraft me = in(draft);
        int client = me.queue.removeFirst();
        Client one = state.clients().get(client);
        if (rules.has(LogGuard.VALIDATION)
                && !one.list().equals(rules.list(state.store(), process))) {
            draft.refused.add(client);
            add(asked + "refuses transaction " + client, draft);
            return;
        }
        List<Integer> list = new ArrayList<>(one.list());
        list.add(client);
        Commit commit = new Commit(client, process.last().version() + 1, List.copyOf(list));
        me.pending = new Entry(process.at(), process.nonce(), commit);
        me.phase = slots.firstPhaseOfCommit();
        if (!rules.has(LogGuard.ACK_AFTER_DURABLE)) {
            draft.acknowledged.add(client);
        }
        add(asked + "writes " + me.pending, draft);
    }

    void committed(LogDraft draft, Entry record) {
        ServerDraft me = in(draft);
        me.phase = Phase.SERVES;
        me.memory.add(record);
        me.at = record.at().next();
        me.last = new Note(me.at, record.at().epoch(), record.commit().version());
        me.pending = null;
        draft.acknowledged.add(record.commit().client());
    }

    void fenced(LogDraft draft, Entry record) {
        draft.refused.add(record.commit().client());
        leaveBehind(draft);
        // Nothing of that record is in transit.
        draft.writes.remove(new Write.Append(record));
        in(draft).phase = Phase.DOWN;
    }

    private void takeBack() {
        LogDraft draft = new LogDraft(rules, state);
        ServerDraft me = in(draft);
        if (!rules.has(LogGuard.STOP_ON_UNKNOWN)) {
            me.phase = Phase.SERVES;
            me.at = process.at().next();
            me.pending = null;
            add("continues with the next slot", draft);
        } else if (state.takenBack() < rules.takenBackMax()
                && (leased() || !rules.has(LogGuard.LEASE_AFTER_TAKING))) {
            leaveBehind(draft);
            if (!rules.has(LogGuard.FATE_AFTER_TAKING)) {
                Entry lost = process.pending();
                if (lost != null && state.store().entry(lost.at()) == null) {
                    draft.refused.add(lost.commit().client());
                }
                me.pending = null;
            }
            me.memory.clear();
            draft.takenBack++;
            me.walkFrom(state.store().note());
            me.nonce = rules.processes() + state.takenBack();
            me.applied.clear();
            me.reached = Note.NONE;
            me.noted = true;
            add("takes the log back", draft);
        }
    }

    // ---- behind the commits

    private void work() {
        if (!process.memory().isEmpty()) {
            LogDraft draft = new LogDraft(rules, state);
            ServerDraft me = in(draft);
            Entry first = me.memory.removeFirst();
            draft.apply(first.commit());
            me.applied.add(first.at());
            me.reached = new Note(first.at().next(), first.at().epoch(), first.commit().version());
            me.noted = false;
            add("applies " + first, draft);
        }
        boolean ahead = !rules.has(LogGuard.NOTE_ONLY_APPLIED) && !process.memory().isEmpty();
        if (!process.noted() || ahead) {
            LogDraft draft = new LogDraft(rules, state);
            in(draft).noted = true;
            draft.note(rules.has(LogGuard.NOTE_ONLY_APPLIED) ? process.reached() : process.last());
            add("notes how far it is", draft);
        }
        boolean tooMuch = !rules.has(LogGuard.REMOVE_ONLY_APPLIED) && !process.memory().isEmpty();
        if ((!process.applied().isEmpty() || tooMuch)
                && (process.noted() || !rules.has(LogGuard.NOTE_BEFORE_REMOVAL))) {
            LogDraft draft = new LogDraft(rules, state);
            List<Slot> removed = new ArrayList<>(process.applied());
            if (!rules.has(LogGuard.REMOVE_ONLY_APPLIED)) {
                process.memory().forEach(entry -> removed.add(entry.at()));
            }
            draft.remove(removed);
            in(draft).applied.clear();
            add("removes " + removed, draft);
        }
    }
}
