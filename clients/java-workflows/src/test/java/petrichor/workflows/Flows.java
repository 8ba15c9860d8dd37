package petrichor.workflows;

import com.google.cloud.datastore.Entity;
import com.google.cloud.datastore.FullEntity;
import com.google.cloud.datastore.IncompleteKey;
import com.google.cloud.datastore.Key;
import com.google.gson.JsonElement;
import com.google.gson.reflect.TypeToken;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** The pipelines of the tests. */
public final class Flows {
    private Flows() {}

    /** How often a step has run, by a name; counted outside of its transaction. */
    static long count(Step step, String name) {
        Key key = step.datastore().newKeyFactory().setKind("Ran").newKey(name);
        var transaction = step.datastore().newTransaction();
        try {
            Entity ran = transaction.get(key);
            long times = (ran == null ? 0 : ran.getLong("times")) + 1;
            transaction.put(Entity.newBuilder(key).set("times", times).build());
            transaction.commit();
            return times;
        } finally {
            if (transaction.isActive()) {
                transaction.rollback();
            }
        }
    }

    /** The square of a number. */
    public static final class Square implements Pipeline {
        @Override
        public Outcome run(Step step) {
            long number = step.argument(0, Long.class);
            return Outcome.output(number * number);
        }
    }

    /** The sum of numbers. */
    public static final class Sum implements Pipeline {
        @Override
        public Outcome run(Step step) {
            List<Long> numbers = step.argument(0, new TypeToken<List<Long>>() {}.getType());
            return Outcome.output(numbers.stream().mapToLong(Long::longValue).sum());
        }
    }

    /** Fan-out and fan-in. */
    public static final class SumOfSquares implements Pipeline {
        @Override
        public Outcome run(Step step) {
            List<Future> squares = new ArrayList<>();
            for (long number = 0; number < step.argument(0, Long.class); number++) {
                squares.add(step.child(Square.class, number));
            }
            Future sum = step.child(Sum.class, squares);
            return Outcome.output(Map.of("sum", sum, "parts", squares.size()));
        }
    }

    /** An item of another output, and nested generators. */
    public static final class Nested implements Pipeline {
        @Override
        public Outcome run(Step step) {
            Future inner = step.child(SumOfSquares.class, 4);
            step.child(Square.class, inner.get("sum"));
            return null;
        }
    }

    /** Appends its name to a log. */
    public static final class Log implements Pipeline {
        @Override
        public Outcome run(Step step) {
            String name = step.argument(1, String.class);
            IncompleteKey key = step.datastore().newKeyFactory().setKind("Log").newKey();
            return Outcome.output(
                    name,
                    FullEntity.newBuilder(key)
                            .set("log", step.argument(0, String.class))
                            .set("name", name)
                            .set("at", System.nanoTime())
                            .build());
        }
    }

    /** Steps in an order, without values. */
    public static final class InOrder implements Pipeline {
        @Override
        public Outcome run(Step step) {
            String log = step.argument(0, String.class);
            Future first = step.child(Log.class, log, "first");
            Future second = step.child(Call.of(Log.class, log, "second").after(first));
            step.child(Call.of(Log.class, log, "third").after(first, second));
            return null;
        }
    }

    /** Fails a number of times. */
    public static final class Flaky implements Pipeline {
        @Override
        public Retries retries() {
            return new Retries(3, Duration.ofMillis(10), 1);
        }

        @Override
        public Outcome run(Step step) {
            long times = count(step, step.argument(0, String.class));
            if (times <= step.argument(1, Long.class)) {
                throw new IllegalStateException("attempt " + times);
            }
            return Outcome.output(times);
        }
    }

    /** A sum with a part that fails: the others keep their outputs. */
    public static final class PartlyFlaky implements Pipeline {
        @Override
        public Outcome run(Step step) {
            String name = step.argument(0, String.class);
            Future once = step.child(Flaky.class, name + "-good", 0);
            Future flaky = step.child(Call.of(Flaky.class, name + "-bad", 4).after(once));
            step.child(Sum.class, List.of(once, flaky));
            return null;
        }
    }

    /** Aborts. */
    public static final class Aborts implements Pipeline {
        @Override
        public Outcome run(Step step) {
            count(step, step.argument(0, String.class));
            throw new Abort("no way");
        }
    }

    /** Counts to a number, in a turn for each, and stores an entity in each turn. */
    public static final class Turns implements Pipeline {
        @Override
        public Outcome run(Step step) {
            int turn = step.progress(Integer.class).orElse(0);
            if (turn == step.argument(1, Integer.class)) {
                return Outcome.output(turn);
            }
            IncompleteKey key = step.datastore().newKeyFactory().setKind("Turn").newKey();
            return Outcome.proceed(
                    turn + 1,
                    FullEntity.newBuilder(key)
                            .set("of", step.argument(0, String.class))
                            .set("turn", turn)
                            .build());
        }
    }

    // --- MapReduce

    /** Words of the property {@code text}. */
    public static final class Words implements Mapper<Entity> {
        @Override
        public void map(Entity entity, Emitter emitter) {
            for (String word : entity.getString("text").split(" ")) {
                emitter.emit(word, 1);
            }
        }
    }

    /** Words of a line. */
    public static final class LineWords implements Mapper<Line> {
        @Override
        public void map(Line line, Emitter emitter) {
            for (String word : line.text().split(" ")) {
                emitter.emit(word, 1);
            }
        }
    }

    /** Stores an entity for each item. */
    public static final class Copies implements Mapper<JsonElement> {
        @Override
        public void map(JsonElement item, Emitter emitter) {
            Key key = Key.newBuilder(App.PROJECT, "Copy", item.getAsString()).build();
            emitter.store(Entity.newBuilder(key).build());
        }
    }

    private static long sum(Iterator<JsonElement> values) {
        long sum = 0;
        while (values.hasNext()) {
            sum += values.next().getAsLong();
        }
        return sum;
    }

    /** A combiner. */
    public static final class Add implements Reducer {
        @Override
        public void reduce(String key, Iterator<JsonElement> values, Emitter emitter) {
            emitter.emit(key, sum(values));
        }
    }

    /** Stores totals without names, so that one that is stored twice is found. */
    public static final class Totals implements Reducer {
        @Override
        public void reduce(String key, Iterator<JsonElement> values, Emitter emitter) {
            IncompleteKey total = IncompleteKey.newBuilder(App.PROJECT, "Total").build();
            emitter.store(
                    FullEntity.newBuilder(total)
                            .set("word", key)
                            .set("count", sum(values))
                            .build());
        }
    }

    // --- machines

    /** Halves or triples until 1, in parallel for each number; adds the numbers of transitions. */
    public static final class Collatz implements Machine {
        record Context(long number, long steps) {}

        @Override
        public String first() {
            return "start";
        }

        @Override
        public Map<String, State> states() {
            return Map.of(
                    "start",
                    State.of(contexts -> Transition.end(total(contexts)), Map.of())
                            .divided(Collatz::parts, "step"),
                    "step",
                    State.of(Collatz::step, Map.of("again", "step")));
        }

        private static List<Context> parts(JsonElement numbers) {
            return numbers.getAsJsonArray().asList().stream()
                    .map(number -> new Context(number.getAsLong(), 0))
                    .toList();
        }

        private static Transition step(JsonElement context) {
            Context at = Values.decode(context, Context.class);
            if (at.number() == 1) {
                return Transition.end(at);
            }
            long next = at.number() % 2 == 0 ? at.number() / 2 : 3 * at.number() + 1;
            return new Transition("again", new Context(next, at.steps() + 1));
        }

        private static long total(JsonElement contexts) {
            return contexts.getAsJsonArray().asList().stream()
                    .mapToLong(each -> Values.<Context>decode(each, Context.class).steps())
                    .sum();
        }
    }
}
