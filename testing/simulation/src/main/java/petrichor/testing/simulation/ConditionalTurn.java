package petrichor.testing.simulation;

import java.util.Objects;
import petrichor.testing.simulation.LogDraft.ServerDraft;
import petrichor.testing.simulation.LogState.Entry;
import petrichor.testing.simulation.LogState.Phase;
import petrichor.testing.simulation.LogState.Server;
import petrichor.testing.simulation.LogState.Write;
import petrichor.testing.simulation.ProtocolState.Commit;

/** Slots are written conditionally, records as well as seals. */
record ConditionalTurn(LogRules rules, LogTurn turn, LogState state, Server process)
        implements SlotTurn {
    @Override
    public void read() {
        LogDraft draft = new LogDraft(rules, state);
        Entry entry = state.store().entry(process.at());
        if (entry == null) {
            turn.stopAtFreeSlot(draft);
        } else {
            turn.walkOver(draft, entry);
        }
        turn.add("reads slot " + process.at(), draft);
    }

    @Override
    public void seal() {
        if (process.at().epoch() > rules.epochsMax()) {
            LogDraft draft = new LogDraft(rules, state);
            turn.in(draft).phase = Phase.DOWN;
            turn.add("gives up: others are always faster", draft);
            return;
        }
        Entry seal = new Entry(process.at(), process.nonce(), Commit.NONE);
        if (!rules.has(LogGuard.SEAL)) {
            LogDraft draft = new LogDraft(rules, state);
            sealed(draft);
            turn.add("seals nothing", draft);
            return;
        }
        LogDraft written = new LogDraft(rules, state);
        if (!written.append(seal)) {
            turn.in(written).phase = Phase.WALKS;
            turn.add("finds the slot taken", written);
            return;
        }
        LogDraft unanswered = new LogDraft(rules, written.state());
        sealed(written);
        turn.add("seals slot " + process.at(), written);
        unknown(unanswered);
        turn.add("seals slot " + process.at() + " and gets no answer", unanswered);
        LogDraft lost = new LogDraft(rules, state);
        unknown(lost);
        turn.add("gets no answer that its seal was lost", lost);
    }

    private void sealed(LogDraft draft) {
        ServerDraft me = turn.in(draft);
        me.phase = Phase.WALKS;
        me.ours = true;
        me.at = process.at().ofNextEpoch();
    }

    private void unknown(LogDraft draft) {
        if (rules.has(LogGuard.KNOWN_SEAL)) {
            turn.in(draft).phase = Phase.DOWN;
        } else {
            sealed(draft);
        }
    }

    @Override
    public void begin(LogDraft draft) {}

    @Override
    public Phase firstPhaseOfCommit() {
        return Phase.COMMITS;
    }

    @Override
    public void append() {
        Entry record = Objects.requireNonNull(process.pending());
        LogDraft answered = new LogDraft(rules, state);
        if (answered.append(record)) {
            LogDraft unanswered = new LogDraft(rules, answered.state());
            turn.in(unanswered).phase = Phase.LOST;
            turn.add("gets no answer that its record is written", unanswered);
            LogDraft repeated = new LogDraft(rules, answered.state());
            if (rules.has(LogGuard.OWN_RECORD)) {
                turn.committed(repeated, record);
            } else {
                turn.fenced(repeated, record);
            }
            turn.add("finds its own record in the slot", repeated);
            turn.committed(answered, record);
            turn.add("has written its record", answered);
        } else {
            turn.fenced(answered, record);
            turn.add("finds the slot taken", answered);
        }
        LogDraft late = new LogDraft(rules, state);
        late.writes.add(new Write.Append(record));
        turn.in(late).phase = Phase.LOST;
        turn.add("gives up waiting", late);
    }
}
