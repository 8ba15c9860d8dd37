package petrichor.jobs.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.Scaling;

/** Requests random numbers of subtasks. Belongs to one thread. */
public final class RandomScaling implements Scaling {
    private static final int SUBTASKS_MAX = 12;

    private final Random random;

    public RandomScaling(long seed) {
        this.random = new Random(seed);
    }

    @Override
    public Duration every() {
        return Duration.ZERO;
    }

    @Override
    public List<Wish> wishes(
            ExecutionGraph image, Map<Integer, Integer> present, Duration elapsed) {
        List<Wish> wishes = new ArrayList<>();
        for (int vertex : present.keySet()) {
            if (random.nextBoolean()) {
                wishes.add(new Wish(vertex, 1 + random.nextInt(SUBTASKS_MAX), "at random"));
            }
        }
        return wishes;
    }
}
