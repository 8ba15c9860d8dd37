package petrichor.bench.stores;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The results of a comparison; filled by {@link Comparison} while it runs. */
final class Findings {
    /** One operation with a number of clients on one store. */
    record Point(String store, Plan.Task task, Load.Result result) {}

    /**
     * The breakdown of a put's latency.
     *
     * @param micros of each {@link PutSteps.Step}, means
     */
    record PutBreakdown(
            String store, int clients, long samples, Map<PutSteps.Step, Double> micros) {
        PutBreakdown {
            micros = Map.copyOf(micros);
        }

        double micros(PutSteps.Step step) {
            return micros.getOrDefault(step, 0.0);
        }

        double totalMicros() {
            return micros.values().stream().mapToDouble(Double::doubleValue).sum();
        }
    }

    /** How a store was filled. */
    record Loading(String store, int entities, double seconds) {
        double perSecond() {
            return seconds == 0 ? 0 : entities / seconds;
        }
    }

    private final Plan plan;
    private final Instant began;
    private final List<String> stores;
    private final List<Loading> loadings = new ArrayList<>();
    private final List<Point> points = new ArrayList<>();
    private final List<PutBreakdown> breakdowns = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    Findings(Plan plan, Instant began, List<String> stores) {
        this.plan = plan;
        this.began = began;
        this.stores = List.copyOf(stores);
    }

    Plan plan() {
        return plan;
    }

    Instant began() {
        return began;
    }

    List<String> stores() {
        return stores;
    }

    List<Loading> loadings() {
        return loadings;
    }

    List<Point> points() {
        return points;
    }

    List<PutBreakdown> breakdowns() {
        return breakdowns;
    }

    /** Notes for the reader, above all about measurements that were impossible and why. */
    List<String> notes() {
        return notes;
    }

    Optional<Point> point(String store, Plan.Task task) {
        return points.stream()
                .filter(one -> one.store().equals(store) && one.task().equals(task))
                .findFirst();
    }

    /** The measured operations, with {@code clients} clients each. */
    List<Plan.Task> tasks(int clients) {
        return plan.tasks().stream().filter(task -> task.clients() == clients).toList();
    }
}
