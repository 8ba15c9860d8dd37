package petrichor.bench.stores;

import java.io.PrintStream;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** {@link Findings} for a terminal: operations a second, and latencies, by store and clients. */
record TextTable(Findings findings, PrintStream out) {
    private static final int NAME_WIDTH = 24;
    private static final int UNIT_WIDTH = 12;
    private static final int CELL_WIDTH = 11;
    private static final int BREAKDOWN_WIDTH = 14;

    void print() {
        for (Findings.Loading loading : findings.loadings()) {
            out.printf(
                    Locale.ROOT,
                    "%s: %,d entities loaded in %.1f s, %,.0f a second%n",
                    loading.store(),
                    loading.entities(),
                    loading.seconds(),
                    loading.perSecond());
        }
        for (Plan.Task task : findings.tasks(findings.plan().clients().getFirst())) {
            operation(task);
        }
        if (!findings.breakdowns().isEmpty()) {
            breakdown();
        }
        findings.notes().forEach(note -> out.println("note: " + note));
    }

    private void operation(Plan.Task task) {
        StringBuilder head = new StringBuilder("\n" + left(task.title(), NAME_WIDTH + UNIT_WIDTH));
        for (int clients : findings.plan().clients()) {
            head.append(right(clients == 1 ? "1 client" : String.valueOf(clients)));
        }
        out.println(head);
        for (String store : findings.stores()) {
            line(store, store, "per second", task, Load.Result::perSecond);
            line(store, "", "p50 ms", task, result -> result.latencies().micros(0.5) / 1e3);
            line(store, "", "p99 ms", task, result -> result.latencies().micros(0.99) / 1e3);
        }
    }

    private void line(
            String store,
            String name,
            String unit,
            Plan.Task task,
            ToDoubleFunction<Load.Result> figure) {
        StringBuilder line =
                new StringBuilder(left("  " + name, NAME_WIDTH) + left(unit, UNIT_WIDTH));
        for (int clients : findings.plan().clients()) {
            line.append(
                    findings.point(store, task.with(clients))
                            .map(point -> right(Figures.text(figure.applyAsDouble(point.result()))))
                            .orElse(right("-")));
        }
        out.println(line);
    }

    private void breakdown() {
        out.println("\nthe steps of a put without a transaction, means in microseconds");
        for (String store : findings.stores()) {
            StringBuilder head = new StringBuilder(left("  " + store, NAME_WIDTH + UNIT_WIDTH));
            findings.breakdowns().stream()
                    .filter(one -> one.store().equals(store))
                    .forEach(
                            one ->
                                    head.append(
                                            padded(one.clients() + " client(s)", BREAKDOWN_WIDTH)));
            out.println(head);
            for (PutSteps.Step step : PutSteps.Step.values()) {
                StringBuilder line =
                        new StringBuilder(left("    " + step.title(), NAME_WIDTH + UNIT_WIDTH));
                findings.breakdowns().stream()
                        .filter(one -> one.store().equals(store))
                        .forEach(
                                one ->
                                        line.append(
                                                padded(
                                                        Figures.text(one.micros(step)),
                                                        BREAKDOWN_WIDTH)));
                out.println(line);
            }
        }
    }

    private static String left(String text, int width) {
        return text + " ".repeat(Math.max(1, width - text.length()));
    }

    private static String right(String text) {
        return padded(text, CELL_WIDTH);
    }

    private static String padded(String text, int width) {
        return " ".repeat(Math.max(1, width - text.length())) + text;
    }
}
