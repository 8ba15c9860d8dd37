package petrichor.jobs.engine.operators;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.JobControl;
import petrichor.jobs.engine.exchange.TaskMembership;
import petrichor.jobs.engine.exchange.TaskMetrics;
import petrichor.jobs.jobgraph.Source;

/** Reads split after split, until no unassigned split is left. */
final class ReadDriver implements Driver {
    private final Source source;
    private final Splits splits;
    private final JobControl control;
    private final List<Trial> trials;
    private final TaskMetrics metrics;
    private final TaskMembership.@Nullable Participant participant;
    private Source.@Nullable Split split;

    /** Bytes of the splits before this one. */
    private long bytesBefore;

    private Source.@Nullable SplitReader reader;

    /**
     * @param participant membership in its task, under live scaling
     */
    ReadDriver(
            Source source,
            Splits splits,
            JobControl control,
            TaskMetrics metrics,
            List<Trial> trials,
            TaskMembership.@Nullable Participant participant) {
        this.participant = participant;
        this.metrics = metrics;
        this.source = source;
        this.splits = splits;
        this.control = control;
        this.trials = List.copyOf(trials);
    }

    @Override
    public void run(ChainedOperator next) {
        for (Trial trial : trials) {
            // A trial is not counted, since its records are read again.
            CountedOperator sample =
                    new CountedOperator(trial.chain(), control, new TaskMetrics(false));
            ChainCollector out = new ChainCollector(source.type(), sample);
            try (ChainedOperator chain = trial.chain()) {
                for (Source.Split s : trial.splits()) {
                    read(s, out, sample, 1);
                }
                chain.finish();
            }
            trial.stage().sampled();
        }
        CountedOperator counted = new CountedOperator(next, control, metrics);
        ChainCollector out = new ChainCollector(source.type(), counted);
        while (!isSurplus() && !next.isDone()) {
            Source.Split taken = splits.take();
            if (taken == null) {
                break;
            }
            read(taken, out, counted, Integer.MAX_VALUE);
            bytesBefore += taken.bytes();
            metrics.readOfSource(bytesBefore);
        }
    }

    /** Checked before it takes a split, because a split that was taken must be read. */
    private boolean isSurplus() {
        return participant != null && participant.isSurplus();
    }

    private void read(Source.Split of, ChainCollector out, CountedOperator counted, int batches) {
        split = of;
        try (Source.SplitReader opened = source.open(of)) {
            reader = opened;
            boolean more = true;
            for (int i = 0; more && i < batches && !out.next().isDone(); i++) {
                control.check();
                more = opened.read(out);
                counted.tell();
                metrics.readOfSource(bytesBefore + opened.bytesRead());
            }
        } catch (IOException e) {
            throw new OperationFailure("cannot read " + source.name(), e);
        }
        reader = null;
        split = null;
    }

    @Override
    public String position() {
        if (split == null) {
            return "";
        }
        return "in " + split + (reader == null ? "" : " at " + reader.position());
    }
}
