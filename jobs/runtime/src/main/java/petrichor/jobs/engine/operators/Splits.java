package petrichor.jobs.engine.operators;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.Source;

/** The splits of a source, each assigned to one subtask on request. Safe for all threads. */
public final class Splits {
    private final List<? extends Source.Split> all;
    private final AtomicInteger next = new AtomicInteger();

    public Splits(List<? extends Source.Split> all) {
        this.all = all;
    }

    public List<? extends Source.Split> all() {
        return all;
    }

    Source.@Nullable Split take() {
        int number = next.getAndIncrement();
        return number < all.size() ? all.get(number) : null;
    }
}
