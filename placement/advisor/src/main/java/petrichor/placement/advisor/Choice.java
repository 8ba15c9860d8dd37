package petrichor.placement.advisor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Options in the order of their costs, and whether one of them pays off.
 *
 * @param <T> the options
 * @param current what is used now
 * @param ranked all options and the current one, cheapest first
 */
public record Choice<T>(Priced<T> current, List<Priced<T>> ranked) {
    /** A change moves every tuple: it pays off if it saves at least this share of the cost. */
    public static final double SAVING_MIN = 0.1;

    /** Fewer operations say too little. */
    public static final int OPERATIONS_MIN = 50;

    /**
     * An option and what it costs.
     *
     * @param micros of all nodes per operation
     */
    public record Priced<T>(T option, Estimate estimate, double micros) {
        public static <T> Priced<T> of(T option, Estimate estimate, NodeTime time) {
            return new Priced<>(option, estimate, time.micros(estimate.cost()));
        }
    }

    public Choice {
        ranked = List.copyOf(ranked);
    }

    /** Equal costs keep the order of the options; the current one comes first. */
    public static <T> Choice<T> of(Priced<T> current, List<Priced<T>> others) {
        List<Priced<T>> ranked = new ArrayList<>();
        ranked.add(current);
        ranked.addAll(others);
        ranked.sort(Comparator.comparingDouble(Priced::micros));
        return new Choice<>(current, ranked);
    }

    /** The cheapest option, if a change to it pays off and enough operations were evaluated. */
    public Optional<Priced<T>> better() {
        Priced<T> best = ranked.getFirst();
        return current.estimate().operations() >= OPERATIONS_MIN
                        && best.micros() < current.micros() * (1 - SAVING_MIN)
                ? Optional.of(best)
                : Optional.empty();
    }
}
