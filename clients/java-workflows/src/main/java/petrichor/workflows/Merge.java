package petrichor.workflows;

import com.google.cloud.datastore.Datastore;
import com.google.cloud.datastore.Entity;
import com.google.cloud.datastore.Key;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;

/**
 * The pairs of a partition in the order of their keys: a merge of runs, with one block of each in memory. Its memory
 * depends on the number of runs and not on the number of pairs. Confined to one thread.
 */
final class Merge {
    private static final int RUNS_MAX = 2_000;
    private static final int READ_AT_ONCE = 100;

    /** What a later turn needs to continue after the last key: the block of each run that has not ended. */
    record Position(String last, List<Place> runs) {}

    record Place(int shard, int turn, int block) {}

    private final Datastore datastore;
    private final PriorityQueue<Open> runs =
            new PriorityQueue<>(
                    Comparator.comparing(Open::key)
                            .thenComparing(open -> open.run.shard())
                            .thenComparing(open -> open.run.turn()));
    private String last;

    private Merge(Datastore datastore, String last) {
        this.datastore = datastore;
        this.last = last;
    }

    static Position start(List<Integer> turnsOfShards) {
        List<Place> places = new ArrayList<>();
        for (int shard = 0; shard < turnsOfShards.size(); shard++) {
            for (int turn = 0; turn < turnsOfShards.get(shard); turn++) {
                places.add(new Place(shard, turn, 0));
            }
        }
        return new Position(null, places);
    }

    static Merge open(Datastore datastore, String job, int partition, Position position) {
        Merge merge = new Merge(datastore, position.last());
        for (int from = 0; from < position.runs().size(); from += READ_AT_ONCE) {
            List<Place> places = position.runs().subList(from, Math.min(position.runs().size(), from + READ_AT_ONCE));
            List<Blocks.Run> group =
                    places.stream().map(place -> new Blocks.Run(job, partition, place.shard(), place.turn())).toList();
            List<Key> keys = new ArrayList<>();
            for (int i = 0; i < group.size(); i++) {
                keys.add(group.get(i).key(datastore, places.get(i).block()));
            }
            List<Entity> entities = datastore.fetch(keys);
            for (int i = 0; i < group.size(); i++) {
                if (entities.get(i) != null) { // a turn may have no pairs for this partition
                    merge.add(merge.new Open(group.get(i), places.get(i).block(), entities.get(i)));
                }
            }
            if (merge.runs.size() > RUNS_MAX) {
                throw new Abort(
                        "the mappers took more than "
                                + RUNS_MAX
                                + " turns with output: run this MapReduce as a job");
            }
        }
        return merge;
    }

    private void add(Open run) {
        while (last != null && run.key().compareTo(last) <= 0) {
            if (!run.advance()) {
                return;
            }
        }
        runs.add(run);
    }

    boolean hasNext() {
        return !runs.isEmpty();
    }

    /** The next key. Read its values, then call {@link #endKey}. */
    String key() {
        return runs.element().key();
    }

    /** The values of the current key, which are read while they are iterated. */
    Iterator<JsonElement> values() {
        String key = key();
        Deque<JsonElement> read = new ArrayDeque<>();
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                while (read.isEmpty() && !runs.isEmpty() && runs.element().key().equals(key)) {
                    Open run = runs.remove();
                    run.values().forEach(read::add);
                    if (run.advance()) {
                        runs.add(run);
                    }
                }
                return !read.isEmpty();
            }

            @Override
            public JsonElement next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                return read.remove();
            }
        };
    }

    /** Skips what is left of the values of a key. */
    void endKey(String key, Iterator<JsonElement> values) {
        values.forEachRemaining(unused -> {});
        last = key;
    }

    Position position() {
        return new Position(
                last, runs.stream().map(open -> new Place(open.run.shard(), open.run.turn(), open.block)).toList());
    }

    /** A position in a run. */
    private final class Open {
        private final Blocks.Run run;
        private int block;
        private int index;
        private Blocks.Block content;

        Open(Blocks.Run run, int block, Entity entity) {
            this.run = run;
            this.block = block;
            this.content = Blocks.Block.of(entity);
        }

        private JsonArray pair() {
            return content.pairs().get(index).getAsJsonArray();
        }

        String key() {
            return pair().get(0).getAsString();
        }

        JsonArray values() {
            return pair().get(1).getAsJsonArray();
        }

        /** False at the end of the run. */
        boolean advance() {
            index++;
            if (index < content.pairs().size()) {
                return true;
            }
            if (!content.more()) {
                return false;
            }
            block++;
            index = 0;
            content = Blocks.Block.of(datastore.get(run.key(datastore, block)));
            return true;
        }
    }
}
