package petrichor.server;

import java.util.function.ToLongFunction;
import petrichor.base.MemoryBudget;

/** The memory budget in {@code /metrics}: a line for the whole and one for each share. */
final class MemoryFigures {
    private MemoryFigures() {}

    static void write(StringBuilder out, MemoryBudget memory) {
        family(
                out,
                "petrichor_memory_bytes",
                "gauge",
                "Memory reserved by requests, transactions, queues, responses and caches.",
                memory,
                MemoryBudget::bytesUsed);
        family(
                out,
                "petrichor_memory_bytes_max",
                "gauge",
                "Limit of each share of the memory budget.",
                memory,
                MemoryBudget::bytesMax);
        family(
                out,
                "petrichor_memory_refusals_total",
                "counter",
                "Reservations refused because memory was exhausted.",
                memory,
                MemoryBudget::refusals);
    }

    private static void family(
            StringBuilder out,
            String name,
            String type,
            String help,
            MemoryBudget memory,
            ToLongFunction<MemoryBudget> value) {
        out.append("# HELP ").append(name).append(' ').append(help).append('\n');
        out.append("# TYPE ").append(name).append(' ').append(type).append('\n');
        line(out, name, memory, value);
        for (MemoryBudget share : memory.shares()) {
            line(out, name, share, value);
        }
    }

    private static void line(
            StringBuilder out,
            String name,
            MemoryBudget budget,
            ToLongFunction<MemoryBudget> value) {
        out.append(name)
                .append("{share=\"")
                .append(budget.name())
                .append("\"} ")
                .append(value.applyAsLong(budget))
                .append('\n');
    }
}
