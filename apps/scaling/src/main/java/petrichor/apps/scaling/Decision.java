package petrichor.apps.scaling;

import java.util.List;
import java.util.Locale;

/**
 * How many instances a version should have, and why.
 *
 * @param instances ready and starting ones
 * @param rules that changed the number, in the order in which they were applied; the last one
 *     determined it
 * @param load that the rules are about
 */
public record Decision(int instances, List<Rule> rules, Load load) {
    /** A rule, and the number of instances after it. */
    public record Rule(ScalingReason reason, int instances) {}

    /**
     * What was measured.
     *
     * @param stable requests in progress or waiting, on average over the stable window; with basic
     *     and manual scaling those of the observation
     * @param panic the same, over the panic window
     * @param target requests of an instance
     */
    public record Load(double stable, double panic, double target) {}

    public Decision {
        rules = List.copyOf(rules);
    }

    /** The rule that determined the number. */
    public ScalingReason reason() {
        return rules.getLast().reason();
    }

    /**
     * Why there is this one of the instances: the first rule that needs so many.
     *
     * @param number counted from 1, at most {@link #instances}
     */
    public ScalingReason reasonOf(int number) {
        return rules.stream()
                .filter(rule -> rule.instances() >= number)
                .findFirst()
                .map(Rule::reason)
                .orElseGet(this::reason);
    }

    /** One line for {@code app explain}. */
    public String explanation() {
        StringBuilder text = new StringBuilder();
        text.append(instances).append(instances == 1 ? " instance: " : " instances: ");
        text.append(reason().text());
        text.append(
                String.format(
                        Locale.ROOT,
                        " (%.1f requests on average, %.1f in the last seconds, %.1f per instance",
                        load.stable(),
                        load.panic(),
                        load.target()));
        for (Rule rule : rules.subList(0, rules.size() - 1)) {
            text.append("; ").append(rule.instances()).append(": ").append(rule.reason().text());
        }
        return text.append(')').toString();
    }
}
