package petrichor.jobs.engine.operators;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.JobControl;
import petrichor.jobs.engine.exchange.TaskFigures;
import petrichor.jobs.engine.exchange.TaskMembership;
import petrichor.jobs.jobgraph.Source;

/** Reads split after split, until no unassigned split is left. */
final class ReadDriver implements Driver {
    private final Source source;
    private final Splits splits;
    private final JobControl control;
    private final List<Trial> trials;
    private final TaskFigures figures;
    private final TaskMembership.@Nullable Place place;
    private Source.@Nullable Split split;

    /** Bytes of the splits before this one. */
    private long bytesBefore;

    private Source.@Nullable SplitReader reader;

    /**
     * @param place membership in its task, under live scaling
     */
    ReadDriver(
            Source source,
            Splits splits,
            JobControl control,
            TaskFigures figures,
            List<Trial> trials,
            TaskMembership.@Nullable Place place) {
        this.place = place;
        this.figures = figures;
        this.source = source;
        this.splits = splits;
        this.control = control;
        this.trials = List.copyOf(trials);
    }

    @Override
    public void run(Stage next) {
        for (Trial trial : trials) {
            // A trial is not counted, since its records are read again.
            CountedStage sample = new CountedStage(trial.chain(), control, new TaskFigures(false));
            StageOut out = new StageOut(source.type(), sample);
            try (Stage chain = trial.chain()) {
                for (Source.Split s : trial.splits()) {
                    read(s, out, sample, 1);
                }
                chain.finish();
            }
            trial.stage().sampled();
        }
        CountedStage counted = new CountedStage(next, control, figures);
        StageOut out = new StageOut(source.type(), counted);
        while (!isSurplus() && !next.enough()) {
            Source.Split taken = splits.take();
            if (taken == null) {
                break;
            }
            read(taken, out, counted, Integer.MAX_VALUE);
            bytesBefore += taken.bytes();
            figures.readOfSource(bytesBefore);
        }
    }

    /** Checked before it takes a split, because a split that was taken must be read. */
    private boolean isSurplus() {
        return place != null && place.isSurplus();
    }

    private void read(Source.Split of, StageOut out, CountedStage counted, int batches) {
        split = of;
        try (Source.SplitReader opened = source.open(of)) {
            reader = opened;
            boolean more = true;
            for (int i = 0; more && i < batches && !out.next().enough(); i++) {
                control.check();
                more = opened.read(out);
                counted.tell();
                figures.readOfSource(bytesBefore + opened.bytesRead());
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
