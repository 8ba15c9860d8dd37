package petrichor.workflows;

import com.google.cloud.datastore.FullEntity;
import com.google.gson.JsonElement;
import com.google.gson.reflect.TypeToken;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * MapReduce as a pipeline: splits, mappers, reducers, and the removal of what is between them. Start it with {@link
 * Plan#call}; its output is a {@link Counts}.
 */
public final class MapReduce implements Pipeline {
    private static final int SHARDS_MAX = 500;

    /** A request has ten minutes; a lost turn is repeated. */
    private static final Duration TURN = Duration.ofSeconds(10);

    private static final int ITEMS_PER_TURN = 20_000;
    private static final Retries SOON = new Retries(3, Duration.ofSeconds(1), 2);

    /**
     * @param reducer null if the mapper stores entities only
     * @param combiner null, or applied to the pairs of each turn of a mapper
     */
    @SuppressWarnings("rawtypes")
    public record Plan(
            Source source,
            Class<? extends Mapper> mapper,
            Class<? extends Reducer> reducer,
            Class<? extends Reducer> combiner,
            int shards,
            int partitions) {
        private static final int SHARDS = 8;
        private static final int PARTITIONS = 4;

        public static Plan of(Source source, Class<? extends Mapper> mapper, Class<? extends Reducer> reducer) {
            return new Plan(source, mapper, reducer, null, SHARDS, PARTITIONS);
        }

        public Plan combiner(Class<? extends Reducer> function) {
            return new Plan(source, mapper, reducer, function, shards, partitions);
        }

        public Plan sharded(int number, int reducers) {
            return new Plan(source, mapper, reducer, combiner, number, reducers);
        }

        public Call call() {
            return Call.of(MapReduce.class, this);
        }
    }

    /** How many items were read, pairs reached reducers, and keys were reduced. */
    public record Counts(long items, long pairs, long keys) {}

    @Override
    public Outcome run(Step step) {
        Plan plan = step.argument(0, Plan.class);
        if (Math.min(plan.shards(), plan.partitions()) < 1 || Math.max(plan.shards(), plan.partitions()) > SHARDS_MAX) {
            throw new Abort("a MapReduce has 1 to " + SHARDS_MAX + " shards and partitions");
        }
        Future splits = step.child(Split.class, plan);
        Future mapped = step.child(MapAll.class, step.id(), plan, splits);
        Future reduced = step.child(ReduceAll.class, step.id(), plan, mapped);
        Future cleaned = step.child(Call.of(Clean.class, step.id()).after(reduced));
        step.child(Call.of(Summary.class, mapped, reduced).after(cleaned));
        return null;
    }

    /** Divides the source. */
    public static final class Split implements Pipeline {
        @Override
        public Outcome run(Step step) {
            Plan plan = step.argument(0, Plan.class);
            var splits = SourceReader.of(plan.source(), step).splits(plan.shards(), step.progress(JsonElement.class));
            return splits.found().isPresent()
                    ? Outcome.output(splits.found().get())
                    : Outcome.proceed(splits.progress().orElseThrow());
        }
    }

    /** A mapper for each split. */
    public static final class MapAll implements Pipeline {
        @Override
        public Outcome run(Step step) {
            List<JsonElement> splits = step.argument(2, new TypeToken<List<JsonElement>>() {}.getType());
            List<Future> shards = new ArrayList<>();
            for (int shard = 0; shard < splits.size(); shard++) {
                shards.add(
                        step.child(
                                MapShard.class,
                                step.argument(0, String.class),
                                step.argument(1, Plan.class),
                                shard,
                                splits.get(shard)));
            }
            return Outcome.output(shards);
        }
    }

    /** What a mapper has done. */
    record Mapped(JsonElement position, int turns, long items, long pairs) {}

    /** A turn reads items until it has enough output, and stores the output together with its position. */
    public static final class MapShard implements Pipeline {
        @Override
        public Retries retries() {
            return SOON;
        }

        @Override
        @SuppressWarnings("unchecked")
        public Outcome run(Step step) throws Exception {
            String job = step.argument(0, String.class);
            Plan plan = step.argument(1, Plan.class);
            int shard = step.argument(2, Integer.class);
            Mapped before = step.progress(Mapped.class).orElse(new Mapped(null, 0, 0, 0));
            Emitted emitted = new Emitted(plan.reducer() == null ? 0 : plan.partitions());
            Mapper<Object> mapper = Instances.of(plan.mapper(), Mapper.class);
            Turn turn = new Turn(Optional.ofNullable(before.position()).filter(position -> !position.isJsonNull()));
            boolean ended =
                    SourceReader.of(plan.source(), step)
                            .read(
                                    step.argument(3, JsonElement.class),
                                    turn.position,
                                    (item, position) -> {
                                        mapper.map(item, emitted);
                                        return turn.goesOn(position) && !emitted.isFull();
                                    });
            Emitted output =
                    plan.combiner() == null
                            ? emitted
                            : emitted.combined(Instances.of(plan.combiner(), Reducer.class));
            List<FullEntity<?>> entities = new ArrayList<>(output.entities());
            for (int partition = 0; partition < output.partitions().size(); partition++) {
                Blocks.Run run = new Blocks.Run(job, partition, shard, before.turns());
                entities.addAll(Blocks.of(step.datastore(), run, output.partitions().get(partition)));
            }
            Mapped now =
                    new Mapped(
                            turn.position.orElse(null),
                            before.turns() + 1,
                            before.items() + turn.items,
                            before.pairs() + output.pairs());
            return ended ? new Outcome.Finish(now, entities) : new Outcome.Continue(now, entities, Duration.ZERO);
        }
    }

    /** The bounds of a turn. */
    private static final class Turn {
        private final long endNanos = System.nanoTime() + TURN.toNanos();
        private Optional<JsonElement> position;
        private long items;

        Turn(Optional<JsonElement> position) {
            this.position = position;
        }

        boolean goesOn(JsonElement next) {
            position = Optional.of(next);
            items++;
            return hasTime() && items < ITEMS_PER_TURN;
        }

        boolean hasTime() {
            return System.nanoTime() < endNanos;
        }
    }

    /** A reducer for each partition. */
    public static final class ReduceAll implements Pipeline {
        @Override
        public Outcome run(Step step) {
            Plan plan = step.argument(1, Plan.class);
            List<Mapped> mapped = step.argument(2, new TypeToken<List<Mapped>>() {}.getType());
            List<Integer> turns = mapped.stream().map(Mapped::turns).toList();
            List<Future> keys = new ArrayList<>();
            for (int partition = 0; plan.reducer() != null && partition < plan.partitions(); partition++) {
                keys.add(
                        step.child(
                                ReducePartition.class,
                                step.argument(0, String.class),
                                plan.reducer(),
                                turns,
                                partition));
            }
            return Outcome.output(keys);
        }
    }

    /** What a reducer has done. */
    record Reduced(Merge.Position merge, long keys) {}

    /**
     * A turn reduces keys until it has enough output, and stores the output together with the
     * position of the merge.
     */
    public static final class ReducePartition implements Pipeline {
        @Override
        public Retries retries() {
            return SOON;
        }

        @Override
        public Outcome run(Step step) throws Exception {
            List<Integer> turns = step.argument(2, new TypeToken<List<Integer>>() {}.getType());
            Reduced before = step.progress(Reduced.class).orElseGet(() -> new Reduced(Merge.start(turns), 0));
            Merge merge =
                    Merge.open(
                            step.datastore(),
                            step.argument(0, String.class),
                            step.argument(3, Integer.class),
                            before.merge());
            Reducer reducer = Instances.of(step.argument(1, Class.class), Reducer.class);
            Emitted output = new Emitted(0);
            Turn turn = new Turn(Optional.empty());
            long keys = before.keys();
            while (merge.hasNext() && turn.hasTime() && !output.isFull()) {
                String key = merge.key();
                Iterator<JsonElement> values = merge.values();
                reducer.reduce(key, values, output);
                merge.endKey(key, values);
                keys++;
            }
            return merge.hasNext()
                    ? new Outcome.Continue(new Reduced(merge.position(), keys), output.entities(), Duration.ZERO)
                    : new Outcome.Finish(keys, output.entities());
        }
    }

    /** Removes the pairs. */
    public static final class Clean implements Pipeline {
        @Override
        public Outcome run(Step step) {
            return Blocks.deleteSome(step.datastore(), step.argument(0, String.class))
                    ? Outcome.proceed(null)
                    : Outcome.output(null);
        }
    }

    /** The output. */
    public static final class Summary implements Pipeline {
        @Override
        public Outcome run(Step step) {
            List<Mapped> mapped = step.argument(0, new TypeToken<List<Mapped>>() {}.getType());
            List<Long> keys = step.argument(1, new TypeToken<List<Long>>() {}.getType());
            return Outcome.output(
                    new Counts(
                            mapped.stream().mapToLong(Mapped::items).sum(),
                            mapped.stream().mapToLong(Mapped::pairs).sum(),
                            keys.stream().mapToLong(Long::longValue).sum()));
        }
    }
}
