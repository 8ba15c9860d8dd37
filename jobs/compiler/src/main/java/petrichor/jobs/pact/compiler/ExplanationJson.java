package petrichor.jobs.pact.compiler;

import java.util.Locale;
import java.util.stream.Collectors;

/** An explanation as a JSON object; see the record for the meaning of its members. */
final class ExplanationJson {
    private ExplanationJson() {}

    static String of(Explanation explanation) {
        return "{\"plan\":%s,\"nanos\":%s,\"contracts\":[%s]}"
                .formatted(
                        quoted(explanation.plan()),
                        number(explanation.nanos()),
                        explanation.contracts().stream()
                                .map(ExplanationJson::contract)
                                .collect(Collectors.joining(",")));
    }

    private static String contract(Explanation.Explained contract) {
        return "{\"id\":%d,\"contract\":%s,\"name\":%s,\"strategy\":%s,\"parallelism\":%d,\"inputs\":[%s],"
                        .formatted(
                                contract.id(),
                                quoted(contract.contract()),
                                quoted(contract.name()),
                                quoted(contract.strategy()),
                                contract.parallelism(),
                                contract.inputs().stream()
                                        .map(ExplanationJson::input)
                                        .collect(Collectors.joining(",")))
                + "\"records\":%s,\"bytes\":%s,\"cost\":{\"networkBytes\":%s,\"diskBytes\":%s,\"cpuNanos\":%s},"
                        .formatted(
                                number(contract.records()),
                                number(contract.bytes()),
                                number(contract.cost().networkBytes()),
                                number(contract.cost().diskBytes()),
                                number(contract.cost().cpuNanos()))
                + "\"distribution\":%s,\"order\":%s}"
                        .formatted(quoted(contract.distribution()), quoted(contract.order()));
    }

    private static String input(Explanation.Incoming input) {
        return "{\"from\":%d,\"shipping\":%s,\"order\":%s,\"combined\":%s}"
                .formatted(
                        input.from(),
                        quoted(input.shipping()),
                        quoted(input.order()),
                        input.combined());
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.0f", value);
    }

    static String quoted(String text) {
        var quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ') {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
