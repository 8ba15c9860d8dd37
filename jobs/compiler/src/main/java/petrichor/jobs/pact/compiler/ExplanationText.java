package petrichor.jobs.pact.compiler;

import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An explanation as text for a terminal: a line per contract, its inputs below it.
 *
 * <pre>
 * 2 Aggregate "aggregates of words": hash aggregate partial results, 2 subtasks
 *     from 1 by hash(word), combined before
 *     emits 20,000 records, 0.6 MB, partitioned by hash(word)
 * </pre>
 */
final class ExplanationText {
    private ExplanationText() {}

    static String of(Explanation explanation) {
        var text = new StringBuilder();
        for (var contract : explanation.contracts()) {
            text.append(
                    "%d %s \"%s\": %s, %s%n"
                            .formatted(
                                    contract.id(),
                                    contract.contract(),
                                    contract.name(),
                                    contract.strategy(),
                                    subtasks(contract.parallelism())));
            contract.inputs()
                    .forEach(input -> text.append("    ").append(line(input)).append('\n'));
            text.append("    emits ")
                    .append(amount(contract))
                    .append(properties(contract))
                    .append('\n');
        }
        return text.toString();
    }

    private static String subtasks(int parallelism) {
        return parallelism == 1 ? "1 subtask" : parallelism + " subtasks";
    }

    /** "from 1 by hash(word), combined before, then sort(word)". */
    static String line(Explanation.Incoming input) {
        return "from "
                + input.from()
                + " by "
                + input.shipping()
                + (input.combined() ? ", combined before" : "")
                + (input.order().isEmpty() ? "" : ", then " + input.order());
    }

    private static String amount(Explanation.Explained contract) {
        return String.format(
                Locale.ROOT, "%,.0f records, %s", contract.records(), megabytes(contract.bytes()));
    }

    private static String megabytes(double bytes) {
        return String.format(Locale.ROOT, "%,.1f MB", bytes / 1e6);
    }

    private static String properties(Explanation.Explained contract) {
        var distribution =
                switch (contract.distribution()) {
                    case "any" -> "";
                    case "one subtask" -> ", in one subtask";
                    case String partitioning -> ", partitioned by " + partitioning;
                };
        return distribution
                + (contract.order().isEmpty() ? "" : ", in the order of " + contract.order());
    }

    /** For a drawing: everything about a contract in a few short lines. */
    static String label(Explanation.Explained contract, String newline) {
        return Stream.of(
                        contract.contract() + " \"" + contract.name() + "\"",
                        contract.strategy(),
                        subtasks(contract.parallelism()) + ", " + amount(contract))
                .collect(Collectors.joining(newline));
    }
}
