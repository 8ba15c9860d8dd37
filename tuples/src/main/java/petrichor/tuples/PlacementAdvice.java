package petrichor.tuples;

import java.util.List;
import java.util.Optional;
import petrichor.placement.advisor.Choice;
import petrichor.placement.advisor.Choice.Priced;
import petrichor.placement.advisor.Materialisation;

/**
 * What each option costs for the sampled operations of a collection.
 *
 * @param choice the options, cheapest first
 * @param materialised reads of several tuples replaced by copies that writes maintain; empty if no
 *     operation reads several tuples
 * @param sample what the estimates are based on
 */
public record PlacementAdvice(
        Choice<PlacementOption> choice, Optional<Materialisation> materialised, Sample sample) {
    /**
     * The basis of estimates.
     *
     * @param operations that the collection had since the server started
     * @param evaluated operations whose costs were estimated
     * @param tuples whose rows were evaluated
     * @param complete whether these are all tuples of the collection
     * @param nodes among which rows are divided
     */
    public record Sample(long operations, int evaluated, int tuples, boolean complete, int nodes) {}

    /** The option that pays off, if one does. */
    public Optional<Priced<PlacementOption>> better() {
        return choice.better();
    }

    /** The recommendation, for people. */
    public String text() {
        Priced<PlacementOption> current = choice.current();
        if (sample.evaluated() < Choice.OPERATIONS_MIN) {
            return "Only "
                    + sample.evaluated()
                    + " operations were sampled; at least "
                    + Choice.OPERATIONS_MIN
                    + " are needed. Use the collection, and ask again.";
        }
        return better().map(best -> change(current, best))
                .orElseGet(
                        () ->
                                "No change pays off: the best option, "
                                        + best().option().text()
                                        + ", costs "
                                        + percent(best().micros() / current.micros())
                                        + " of the present one, and a change moves every tuple.");
    }

    private Priced<PlacementOption> best() {
        return choice.ranked().getFirst();
    }

    private static String change(Priced<PlacementOption> current, Priced<PlacementOption> best) {
        return "Change to "
                + best.option().text()
                + ": an operation costs "
                + percent(best.micros() / current.micros())
                + " of now.";
    }

    private static String percent(double share) {
        return Math.round(100 * share) + " %";
    }

    /** All options, cheapest first. */
    public List<Priced<PlacementOption>> options() {
        return choice.ranked();
    }
}
