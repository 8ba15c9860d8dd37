package petrichor.bench.apps;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The figures of a run, each with all of its rounds. Belongs to one thread. */
final class AppFigures {
    private final List<Figure> figures = new ArrayList<>();

    /** What a figure should be. */
    sealed interface Target {
        record None() implements Target {}

        record AtMost(double value) implements Target {}

        record AtLeast(double value) implements Target {}
    }

    static final Target NONE = new Target.None();

    /**
     * @param part of the benchmark
     * @param rounds in their order
     */
    record Figure(String part, String name, String unit, Target target, List<Double> rounds) {
        Figure {
            rounds = List.copyOf(rounds);
            if (rounds.isEmpty()) {
                throw new IllegalArgumentException("no round of " + name);
            }
        }

        /** The lower one of two in the middle. */
        double median() {
            return rounds.stream().sorted().toList().get((rounds.size() - 1) / 2);
        }

        boolean met() {
            return switch (target) {
                case Target.None _ -> true;
                case Target.AtMost(double most) -> median() <= most;
                case Target.AtLeast(double least) -> median() >= least;
            };
        }

        private String verdict() {
            String said =
                    switch (target) {
                        case Target.None _ -> "";
                        case Target.AtMost(double most) -> "at most " + number(most);
                        case Target.AtLeast(double least) -> "at least " + number(least);
                    };
            return said.isEmpty() ? "" : "target " + said + (met() ? ": met" : ": MISSED");
        }

        private JsonObject json() {
            JsonObject json = new JsonObject();
            json.addProperty("part", part);
            json.addProperty("name", name);
            json.addProperty("unit", unit);
            json.addProperty("median", median());
            switch (target) {
                case Target.None _ -> {}
                case Target.AtMost(double most) -> json.addProperty("at_most", most);
                case Target.AtLeast(double least) -> json.addProperty("at_least", least);
            }
            json.addProperty("met", met());
            JsonArray all = new JsonArray();
            rounds.forEach(all::add);
            json.add("rounds", all);
            return json;
        }
    }

    void add(Figure figure) {
        figures.add(figure);
    }

    boolean allMet() {
        return figures.stream().allMatch(Figure::met);
    }

    void print(PrintStream out) {
        for (Figure figure : figures) {
            List<Double> sorted = figure.rounds().stream().sorted().toList();
            out.printf(
                    Locale.ROOT,
                    "%-12s %-56s %10s %-10s (%s to %s) %s%n",
                    figure.part(),
                    figure.name(),
                    number(figure.median()),
                    figure.unit(),
                    number(sorted.getFirst()),
                    number(sorted.getLast()),
                    figure.verdict());
        }
    }

    private static String number(double value) {
        double size = Math.abs(value);
        return String.format(Locale.ROOT, size == 0 || size >= 100 ? "%.0f" : "%.2f", value);
    }

    String json() {
        JsonArray all = new JsonArray();
        figures.forEach(figure -> all.add(figure.json()));
        JsonObject json = new JsonObject();
        json.add("figures", all);
        return new GsonBuilder().setPrettyPrinting().create().toJson(json) + "\n";
    }
}
