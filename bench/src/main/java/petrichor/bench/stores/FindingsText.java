package petrichor.bench.stores;

import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import petrichor.base.TextTable;

/**
 * {@link Findings} for a terminal: operations per second, and latencies, by store and number of
 * clients.
 */
record FindingsText(Findings findings, PrintStream out) {
    void print() {
        for (Findings.Loading loading : findings.loadings()) {
            out.printf(
                    Locale.ROOT,
                    "%s: %,d entities loaded in %.1f s, %,.0f per second%n",
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
        out.println();
        TextTable table = TextTable.metrics(out);
        for (String store : findings.stores()) {
            table.row(row(store, store, "per second", task, Load.Result::perSecond));
            table.row(
                    row(store, "", "p50 ms", task, result -> result.latencies().micros(0.5) / 1e3));
            table.row(
                    row(
                            store,
                            "",
                            "p99 ms",
                            task,
                            result -> result.latencies().micros(0.99) / 1e3));
        }
        table.end();
    }

    private Map<String, String> row(
            String store,
            String name,
            String unit,
            Plan.Task task,
            ToDoubleFunction<Load.Result> metric) {
        Map<String, String> row = new LinkedHashMap<>();
        row.put(task.title(), name);
        row.put("", unit);
        for (int clients : findings.plan().clients()) {
            row.put(
                    clients(clients),
                    findings.point(store, task.with(clients))
                            .map(point -> NumberFormat.text(metric.applyAsDouble(point.result())))
                            .orElse("-"));
        }
        return row;
    }

    private static String clients(int clients) {
        return clients == 1 ? "1 client" : clients + " clients";
    }

    private void breakdown() {
        out.println("\nthe steps of a put without a transaction, means in microseconds");
        TextTable table = TextTable.metrics(out);
        for (String store : findings.stores()) {
            for (PutSteps.Step step : PutSteps.Step.values()) {
                Map<String, String> row = new LinkedHashMap<>();
                row.put("store", store);
                row.put("step", step.title());
                findings.breakdowns().stream()
                        .filter(one -> one.store().equals(store))
                        .forEach(
                                one ->
                                        row.put(
                                                clients(one.clients()),
                                                NumberFormat.text(one.micros(step))));
                table.row(row);
            }
        }
        table.end();
    }
}
