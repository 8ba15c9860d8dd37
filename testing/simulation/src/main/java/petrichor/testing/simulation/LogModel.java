package petrichor.testing.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.testing.simulation.LogGuard.Form;
import petrichor.testing.simulation.LogState.Client;
import petrichor.testing.simulation.LogState.Server;
import petrichor.testing.simulation.LogState.Store;
import petrichor.testing.simulation.LogState.Write;

/**
 * A small model of the commit log, in either form, with its checkpoint: applied slots are removed,
 * possibly while another process walks through the log. Processes are elected one after the other.
 * A replaced process may have crashed and never acts again, or may be paused and resume at any
 * time. Each client runs one transaction that reads a list, appends its own number to it, and
 * writes its own row. Responses of the store for records, seals and ends may be lost. Requests may
 * arrive late or never. The driver retries and may find its own first attempt. A record in transit
 * may be seen by one reader and not by the next.
 *
 * <p>Violations: a snapshot that lacks an acknowledged transaction, contains half of one, or
 * contains a refused one; a record that replaces another; a log that no process can take over
 * because a valid record is missing.
 *
 * <p>Simplifications: checking the lease takes no time, which represents perfect clocks; the rows
 * of one batch are applied in one step; a walker applies all that it found in one step.
 */
public final class LogModel implements Explorer.Model<LogState> {
    private final LogRules rules;

    /**
     * @param clients number of transactions, each tried once
     * @param processes number of processes, each elected once
     * @param takenBackMax maximum number of times that one of them takes back the log
     */
    public LogModel(Form form, Set<LogGuard> guards, int clients, int processes, int takenBackMax) {
        this.rules = new LogRules(form, guards, clients, processes, takenBackMax);
    }

    @Override
    public LogState initial() {
        return new LogState(
                0,
                0,
                Collections.nCopies(rules.processes(), Server.DOWN),
                Store.EMPTY,
                Set.of(),
                Collections.nCopies(rules.clients(), Client.IDLE),
                Set.of(),
                Set.of(),
                null);
    }

    // ---- what must not be

    @Override
    public @Nullable String violation(LogState state) {
        String wrong = state.wrong();
        for (int number = 0; wrong == null && number < rules.processes(); number++) {
            if (rules.handsOutSnapshots(state, number)) {
                wrong = wrongSnapshot(state, number);
            }
        }
        return wrong;
    }

    /** What a reader would observe as a violation in this state. */
    private @Nullable String wrongSnapshot(LogState state, int number) {
        Server process = state.processes().get(number);
        List<Integer> list = rules.list(state.store(), process);
        Set<Integer> marks = rules.marks(state.store(), process);
        String seen = "process " + number + " shows " + list + " with the rows of " + marks;
        if (!list.containsAll(state.acknowledged()) || !marks.containsAll(state.acknowledged())) {
            return seen + "; acknowledged as committed: " + state.acknowledged();
        }
        if (!marks.containsAll(list)) {
            return seen + ": half a transaction";
        }
        if (!Collections.disjoint(list, state.refused())) {
            return seen + "; reported as not committed: " + state.refused();
        }
        return null;
    }

    // ---- what can happen

    @Override
    public List<Explorer.Step<LogState>> steps(LogState state) {
        List<Explorer.Step<LogState>> steps = new ArrayList<>();
        if (state.elected() < rules.processes()) {
            LogDraft draft = new LogDraft(rules, state);
            LogDraft.ServerDraft next = draft.processes.get(draft.elected);
            next.nonce = draft.elected;
            next.walkFrom(state.store().note());
            draft.elected++;
            steps.add(
                    new Explorer.Step<>(
                            "process " + state.elected() + " is elected, and reads the note",
                            draft.state()));
        }
        for (int number = 0; number < state.elected(); number++) {
            new LogTurn(rules, steps, state, number).take();
        }
        for (Write write : state.writes()) {
            LogDraft draft = new LogDraft(rules, state);
            draft.writes.remove(write);
            draft.arrive(write);
            steps.add(new Explorer.Step<>("late: " + write, draft.state()));
        }
        return steps;
    }
}
