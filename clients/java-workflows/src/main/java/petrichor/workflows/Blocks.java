package petrichor.workflows;

import com.google.cloud.datastore.Blob;
import com.google.cloud.datastore.BlobValue;
import com.google.cloud.datastore.BooleanValue;
import com.google.cloud.datastore.Datastore;
import com.google.cloud.datastore.Entity;
import com.google.cloud.datastore.FullEntity;
import com.google.cloud.datastore.Key;
import com.google.cloud.datastore.Query;
import com.google.cloud.datastore.QueryResults;
import com.google.cloud.datastore.StructuredQuery.CompositeFilter;
import com.google.cloud.datastore.StructuredQuery.PropertyFilter;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.zip.CRC32;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * Sorted pairs between mappers and reducers, as entities. A turn of a mapper writes a run of blocks for each partition;
 * blocks have the keys and the format of those of the Python library.
 */
final class Blocks {
    private static final String KIND = "PetrichorWorkflowBlock";
    private static final String PAIRS = "pairs";
    private static final String MORE = "more";
    private static final int BYTES_MAX = 64 << 10;
    private static final int PAIR_BYTES = 8;
    private static final int DELETED_AT_ONCE = 200;

    private Blocks() {}

    /**
     * A run: the output of one turn of a shard for one partition.
     *
     * @param job the id of the step of the MapReduce
     */
    record Run(String job, int partition, int shard, int turn) {
        Key key(Datastore datastore, int block) {
            String name =
                    String.format("%s-%05d-%05d-%06d-%05d", job, partition, shard, turn, block);
            return datastore.newKeyFactory().setKind(KIND).newKey(name);
        }
    }

    /** One block: keys in order, each with an array of values. */
    record Block(JsonArray pairs, boolean more) {
        static Block of(Entity entity) {
            byte[] bytes = entity.getBlob(PAIRS).toByteArray();
            try (InflaterInputStream in = new InflaterInputStream(new ByteArrayInputStream(bytes))) {
                String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                return new Block(Values.parse(text).getAsJsonArray(), entity.getBoolean(MORE));
            } catch (IOException damaged) {
                throw new UncheckedIOException(
                        "a block of pairs is damaged: " + entity.getKey().getName(), damaged);
            }
        }
    }

    static int partition(String key, int partitions) {
        CRC32 crc = new CRC32();
        crc.update(key.getBytes(StandardCharsets.UTF_8));
        return (int) (crc.getValue() % partitions);
    }

    static int size(String key, JsonElement value) {
        return key.length() + value.toString().length() + PAIR_BYTES;
    }

    /** The entities of a run. */
    static List<FullEntity<?>> of(Datastore datastore, Run run, SortedMap<String, List<JsonElement>> pairs) {
        List<JsonArray> blocks = new ArrayList<>();
        int size = BYTES_MAX;
        JsonArray last = null; // the key that was written last, and its values
        for (Map.Entry<String, List<JsonElement>> pair : pairs.entrySet()) {
            last = null;
            for (JsonElement value : pair.getValue()) {
                int more = size(pair.getKey(), value);
                if (size + more > BYTES_MAX) {
                    blocks.add(new JsonArray());
                    size = 0;
                    last = null;
                }
                if (last == null) {
                    last = new JsonArray();
                    last.add(pair.getKey());
                    last.add(new JsonArray());
                    blocks.get(blocks.size() - 1).add(last);
                }
                last.get(1).getAsJsonArray().add(value);
                size += more;
            }
        }
        List<FullEntity<?>> entities = new ArrayList<>();
        for (int number = 0; number < blocks.size(); number++) {
            boolean more = number + 1 < blocks.size();
            entities.add(
                    Entity.newBuilder(run.key(datastore, number))
                            .set(
                                    PAIRS,
                                    BlobValue.newBuilder(compressed(blocks.get(number)))
                                            .setExcludeFromIndexes(true)
                                            .build())
                            .set(
                                    MORE,
                                    BooleanValue.newBuilder(more)
                                            .setExcludeFromIndexes(true)
                                            .build())
                            .build());
        }
        return entities;
    }

    private static Blob compressed(JsonArray pairs) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DeflaterOutputStream out = new DeflaterOutputStream(bytes)) {
            out.write(pairs.toString().getBytes(StandardCharsets.UTF_8));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return Blob.copyFrom(bytes.toByteArray());
    }

    /** Deletes blocks of a job, or of all jobs of a workflow; false when there are none left. */
    static boolean deleteSome(Datastore datastore, String job) {
        var keys = datastore.newKeyFactory().setKind(KIND);
        QueryResults<Key> found =
                datastore.run(
                        Query.newKeyQueryBuilder()
                                .setKind(KIND)
                                .setFilter(
                                        CompositeFilter.and(
                                                PropertyFilter.gt(
                                                        "__key__", keys.newKey(job + "-")),
                                                PropertyFilter.lt(
                                                        "__key__", keys.newKey(job + "."))))
                                .setLimit(DELETED_AT_ONCE)
                                .build());
        List<Key> some = new ArrayList<>();
        found.forEachRemaining(some::add);
        datastore.delete(some.toArray(Key[]::new));
        return some.size() == DELETED_AT_ONCE;
    }
}
