package petrichor.testing.simulation;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import petrichor.testing.simulation.LogDraft.ServerDraft;
import petrichor.testing.simulation.LogState.End;
import petrichor.testing.simulation.LogState.Entry;
import petrichor.testing.simulation.LogState.EpochGate;
import petrichor.testing.simulation.LogState.Phase;
import petrichor.testing.simulation.LogState.Server;
import petrichor.testing.simulation.LogState.Slot;
import petrichor.testing.simulation.LogState.Write;
import petrichor.testing.simulation.ProtocolState.Commit;

/**
 * Records are written plainly, and their owner then checks whether the gate of its epoch is still
 * open. A process that wants the next epoch closes the gate, reads the slots, and writes their
 * number once.
 */
record PlainTurn(LogRules rules, LogTurn turn, LogState state, Server process) implements SlotTurn {

    // ---- who walks through the log

    @Override
    public void read() {
        Slot at = process.at();
        End end = state.store().end(at.epoch());
        if (end == null && rules.has(LogGuard.END_BEFORE_READING)) {
            stop();
        } else if (end == null) {
            Entry entry = state.store().entry(at);
            Entry halfWritten = entry == null ? onItsWay(at) : null;
            if (entry != null) {
                walkOver(entry);
            } else {
                stop();
            }
            if (halfWritten != null) {
                walkOver(halfWritten);
            }
        } else {
            Entry entry = state.store().entry(at);
            boolean counts =
                    at.number() < end.slots()
                            || (entry != null && !rules.has(LogGuard.END_IS_OBEYED));
            if (!counts) {
                walkOver(new Entry(at, end.sealer(), Commit.NONE));
            } else if (entry != null) {
                walkOver(entry);
            } else {
                restart("finds slot " + at + " removed");
            }
        }
    }

    /** A record in some replicas only: one reader sees it, and the next one does not. */
    private @Nullable Entry onItsWay(Slot at) {
        for (Write write : state.writes()) {
            if (write instanceof Write.Append(Entry entry) && entry.at().equals(at)) {
                return entry;
            }
        }
        for (Server other : state.processes()) {
            Entry entry = other.pending();
            if (other.phase() == Phase.COMMITS && entry != null && entry.at().equals(at)) {
                return entry;
            }
        }
        return null;
    }

    private void walkOver(Entry entry) {
        LogDraft draft = new LogDraft(rules, state);
        turn.walkOver(draft, entry);
        turn.add("reads " + entry, draft);
    }

    private void stop() {
        LogDraft draft = new LogDraft(rules, state);
        turn.stopAtFreeSlot(draft);
        turn.add("finds slot " + process.at() + " free", draft);
    }

    private void restart(String why) {
        LogDraft draft = new LogDraft(rules, state);
        if (state.store().note().equals(process.from())) {
            draft.wrong(
                    "no process can take over the log: " + process.at() + " counts and is missing");
        }
        turn.in(draft).walkFrom(state.store().note());
        turn.add(why + " and starts over", draft);
    }

    // ---- who ends an epoch

    @Override
    public void seal() {
        switch (process.phase()) {
            case SEALS -> closeGate();
            case COUNTS -> count();
            case RECALLS -> readNote();
            case ENDS -> end();
            case DOWN, WALKS, CHECKS, SERVES, COMMITS, READS_GATE, SETTLES, RESIGNS, LOST ->
                    throw new IllegalStateException("ends no epoch: " + process);
        }
    }

    private void closeGate() {
        LogDraft draft = new LogDraft(rules, state);
        ServerDraft me = turn.in(draft);
        int epoch = process.at().epoch();
        if (epoch > rules.epochsMax()) {
            me.phase = Phase.DOWN;
            turn.add("gives up: others are always faster", draft);
            return;
        }
        if (state.store().end(epoch) != null) {
            me.walkFrom(state.store().note());
            turn.add("finds that another process has ended epoch " + epoch, draft);
            return;
        }
        if (rules.has(LogGuard.GATE_CLOSED_BEFORE_SLOTS)) {
            draft.store = draft.store.with(new EpochGate(epoch, false));
        }
        me.phase = Phase.COUNTS;
        me.count = process.at().number();
        turn.add("closes the gate of epoch " + epoch, draft);
    }

    private void count() {
        Slot slot = new Slot(process.at().epoch(), process.count());
        Entry entry = state.store().entry(slot);
        if (entry != null) {
            counted(entry);
            return;
        }
        Entry halfWritten = onItsWay(slot);
        if (halfWritten != null) {
            counted(halfWritten);
        }
        LogDraft draft = new LogDraft(rules, state);
        ServerDraft me = turn.in(draft);
        Entry last = process.seen();
        // A removed record does not return: it is older than the removal.
        if (last != null
                && rules.has(LogGuard.LAST_RECORD_PUT_AGAIN)
                && last.equals(onItsWay(last.at()))) {
            draft.append(last);
        }
        me.phase = rules.has(LogGuard.NOTE_READ_BEFORE_END) ? Phase.RECALLS : Phase.ENDS;
        me.seen = null;
        turn.add("has counted up to " + slot, draft);
    }

    private void counted(Entry entry) {
        LogDraft draft = new LogDraft(rules, state);
        ServerDraft me = turn.in(draft);
        me.count++;
        me.seen = entry;
        turn.add("counts " + entry, draft);
    }

    private void readNote() {
        LogDraft draft = new LogDraft(rules, state);
        ServerDraft me = turn.in(draft);
        if (state.store().note().equals(process.from())) {
            me.phase = Phase.ENDS;
            turn.add("finds the note as it was", draft);
        } else {
            me.count = 0;
            me.walkFrom(state.store().note());
            turn.add("finds that the note has moved", draft);
        }
    }

    private void end() {
        End end = new End(process.at().epoch(), process.count(), process.nonce());
        LogDraft written = new LogDraft(rules, state);
        if (!rules.has(LogGuard.GATE_CLOSED_BEFORE_SLOTS)) {
            written.store = written.store.with(new EpochGate(end.epoch(), false));
        }
        boolean first = written.end(end);
        if (first) {
            LogDraft unanswered = new LogDraft(rules, written.state());
            turn.in(unanswered).phase = Phase.DOWN;
            turn.add("writes " + end + " and gets no answer", unanswered);
            LogDraft late = new LogDraft(rules, state);
            late.writes.add(new Write.Ending(end));
            turn.in(late).phase = Phase.DOWN;
            turn.add("gives up waiting for " + end, late);
        }
        ServerDraft me = turn.in(written);
        me.phase = Phase.WALKS;
        me.count = 0;
        turn.add(first ? "writes " + end : "finds another end", written);
    }

    // ---- who owns the log

    @Override
    public void begin(LogDraft draft) {
        int epoch = process.at().epoch();
        if (!draft.store.isClosed(epoch) || !rules.has(LogGuard.GATE_STAYS_CLOSED)) {
            draft.store = draft.store.with(new EpochGate(epoch, true));
        }
    }

    @Override
    public Phase firstPhaseOfCommit() {
        return rules.has(LogGuard.GATE_READ_AFTER_RECORD) ? Phase.COMMITS : Phase.READS_GATE;
    }

    @Override
    public void append() {
        Entry record = Objects.requireNonNull(process.pending());
        switch (process.phase()) {
            case COMMITS -> put(record);
            case READS_GATE -> readGate(record);
            case SETTLES -> settle(record);
            case RESIGNS -> resign(record);
            case DOWN, WALKS, SEALS, COUNTS, RECALLS, ENDS, CHECKS, SERVES, LOST ->
                    throw new IllegalStateException("writes no record: " + process);
        }
    }

    private void put(Entry record) {
        LogDraft draft = new LogDraft(rules, state);
        draft.append(record);
        if (rules.has(LogGuard.GATE_READ_AFTER_RECORD)) {
            turn.in(draft).phase = Phase.READS_GATE;
        } else {
            turn.committed(draft, record);
        }
        turn.add("has written its record", draft);
        LogDraft late = new LogDraft(rules, state);
        late.writes.add(new Write.Append(record));
        giveUp(late);
    }

    private void readGate(Entry record) {
        LogDraft draft = new LogDraft(rules, state);
        boolean open = state.store().isOpen(record.at().epoch());
        boolean nothingWritten = !rules.has(LogGuard.GATE_READ_AFTER_RECORD);
        if (!open && (nothingWritten || !rules.has(LogGuard.CLOSED_IS_NOT_REFUSED))) {
            turn.fenced(draft, record);
        } else if (!open && rules.has(LogGuard.CLOSED_IS_NOT_COMMITTED)) {
            turn.in(draft).phase = Phase.SETTLES;
        } else if (nothingWritten) {
            turn.in(draft).phase = Phase.COMMITS;
        } else {
            turn.committed(draft, record);
        }
        turn.add("finds its gate " + (open ? "open" : "closed"), draft);
        giveUp(new LogDraft(rules, state));
    }

    private void settle(Entry record) {
        LogDraft draft = new LogDraft(rules, state);
        End end = state.store().end(record.at().epoch());
        if (end == null) {
            turn.in(draft).phase = Phase.RESIGNS;
            turn.add("finds no end of its epoch", draft);
        } else if (record.at().number() < end.slots()) {
            turn.committed(draft, record);
            turn.add("finds its record before the end", draft);
        } else {
            turn.fenced(draft, record);
            turn.add("finds its record behind the end", draft);
        }
        giveUp(new LogDraft(rules, state));
    }

    /** Ends its own epoch after its record. */
    private void resign(Entry record) {
        End end = new End(record.at().epoch(), record.at().number() + 1, End.NOBODY);
        LogDraft written = new LogDraft(rules, state);
        boolean first = written.end(end);
        if (first) {
            LogDraft unanswered = new LogDraft(rules, written.state());
            unknown(unanswered, record);
            turn.add("writes " + end + " and gets no answer", unanswered);
            LogDraft late = new LogDraft(rules, state);
            late.writes.add(new Write.Ending(end));
            unknown(late, record);
            turn.add("gives up waiting for " + end, late);
        }
        turn.in(written).phase = Phase.SETTLES;
        turn.add(first ? "writes " + end : "finds another end", written);
    }

    private void unknown(LogDraft draft, Entry record) {
        if (rules.has(LogGuard.KNOWN_END)) {
            turn.in(draft).phase = Phase.LOST;
        } else {
            turn.committed(draft, record);
        }
    }

    private void giveUp(LogDraft draft) {
        turn.in(draft).phase = Phase.LOST;
        turn.add("gives up waiting", draft);
    }
}
