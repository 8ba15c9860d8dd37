package petrichor.movement.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Writes commits of the change feed to a topic: a record per changed entity, with the key of the
 * entity as its key, so that the changes of an entity stay in order. Exactly once for readers with
 * {@code isolation.level=read_committed}: a Kafka transaction has whole commits, and the position
 * after them as the metadata of a group offset. A second sink of the same name fences the first
 * (transactional id).
 *
 * <p>Thread-safe. After a failure every call fails with the first one; open a new sink.
 */
public final class KafkaSink implements AutoCloseable {
    /** Records of a transaction, after which it is committed. */
    private static final int RECORDS_MAX = 1_000;

    /** A record has an entity before and after a change, of up to 1 MiB each, in JSON. */
    private static final int RECORD_BYTES_MAX = 8 << 20;

    private static final long COMMIT_DELAY_MS = 100;
    private static final Duration CLOSE_MAX = Duration.ofSeconds(10);
    private static final Duration BLOCK_MAX = Duration.ofSeconds(30);
    private static final String POSITION = "petrichor-position";
    private static final String INDEX = "petrichor-index";
    private static final String COUNT = "petrichor-count";

    private final KafkaTarget target;
    private final String group;
    private final KafkaProducer<byte[], byte[]> producer;

    /** Never polls: only names the group for the producer. */
    private final KafkaConsumer<byte[], byte[]> member;

    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofVirtual().name("kafka-sink").factory());

    private int open;
    private String last = "";
    private String committed;
    private @Nullable PetrichorException failure;

    private KafkaSink(KafkaTarget target, String group, Properties settings, String committed) {
        this.target = target;
        this.group = group;
        this.committed = committed;
        this.member =
                new KafkaConsumer<>(
                        Map.of(
                                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                                target.brokers(),
                                ConsumerConfig.GROUP_ID_CONFIG,
                                group),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer());
        this.producer = new KafkaProducer<>(settings);
    }

    /**
     * Connects, and ends the transaction of an earlier sink of this name. UNAVAILABLE if no broker
     * answers.
     *
     * @param name of the consumer; one sink per name and topic writes at a time
     */
    public static KafkaSink open(KafkaTarget target, String name) {
        String group = "petrichor-" + name + "-" + target.topic();
        Properties settings = new Properties();
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, target.brokers());
        settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, group);
        settings.put(ProducerConfig.ACKS_CONFIG, "all");
        settings.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "zstd");
        settings.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, RECORD_BYTES_MAX);
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, (int) BLOCK_MAX.toMillis());
        settings.put(
                ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
        settings.put(
                ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
        KafkaSink sink;
        try {
            sink = new KafkaSink(target, group, settings, "");
        } catch (KafkaException e) {
            throw failed(target, e);
        }
        try {
            sink.producer.initTransactions();
            synchronized (sink) {
                sink.committed = sink.storedPosition();
                sink.last = sink.committed;
            }
            var _ =
                    sink.clock.scheduleWithFixedDelay(
                            sink::tick, COMMIT_DELAY_MS, COMMIT_DELAY_MS, TimeUnit.MILLISECONDS);
            return sink;
        } catch (KafkaException e) {
            sink.close();
            throw failed(target, e);
        } catch (RuntimeException e) {
            sink.close();
            throw e;
        }
    }

    private static PetrichorException failed(KafkaTarget target, Throwable reason) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                reason,
                "cannot write to the Kafka topic {topic} at {brokers}: {reason}",
                "topic",
                target.topic(),
                "brokers",
                target.brokers(),
                "reason",
                String.valueOf(reason.getMessage()));
    }

    private TopicPartition place() {
        return new TopicPartition(target.topic(), 0);
    }

    private String storedPosition() {
        Map<String, Object> settings = new HashMap<>();
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, target.brokers());
        try (Admin admin = Admin.create(settings)) {
            OffsetAndMetadata stored =
                    admin.listConsumerGroupOffsets(group)
                            .partitionsToOffsetAndMetadata()
                            .get(BLOCK_MAX.toSeconds(), TimeUnit.SECONDS)
                            .get(place());
            return stored == null ? "" : stored.metadata();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof GroupIdNotFoundException) {
                return "";
            }
            throw failed(target, e);
        } catch (TimeoutException e) {
            throw failed(target, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(target, e);
        }
    }

    /** The position after the last commit that the topic has; empty if it has none. */
    public synchronized String position() {
        requireWorking();
        return committed;
    }

    /**
     * What may be forgotten at the source.
     *
     * @param received the position up to which commits were added or skipped
     */
    public synchronized String durable(String received) {
        requireWorking();
        return open == 0 ? received : committed;
    }

    private void requireWorking() {
        PetrichorException known = failure;
        if (known != null) {
            throw known;
        }
    }

    /**
     * Adds a commit. It is in the topic when {@link #position} has reached it, within {@value
     * #COMMIT_DELAY_MS} ms if the broker keeps up; waits if it does not.
     *
     * @param commit as the feed has it: its position, time and entities
     */
    public synchronized void add(JsonObject commit) {
        requireWorking();
        try {
            if (open == 0) {
                producer.beginTransaction();
            }
            JsonArray entities = commit.getAsJsonArray("entities");
            String position = commit.get("position").getAsString();
            for (int i = 0; i < entities.size(); i++) {
                send(commit, position, entities.get(i).getAsJsonObject(), i, entities.size());
            }
            // An empty commit opens a transaction, too.
            open += Math.max(1, entities.size());
            last = position;
            if (open >= RECORDS_MAX) {
                end();
            }
        } catch (KafkaException e) {
            throw fail(e);
        }
    }

    private void send(JsonObject commit, String position, JsonObject entity, int index, int count) {
        JsonElement key = entity.get("key");
        JsonObject value = new JsonObject();
        value.addProperty("position", position);
        value.add("time", commit.get("time"));
        entity.entrySet().forEach(field -> value.add(field.getKey(), field.getValue()));
        ProducerRecord<byte[], byte[]> written =
                new ProducerRecord<>(
                        target.topic(),
                        key.toString().getBytes(UTF_8),
                        value.toString().getBytes(UTF_8));
        Headers headers = written.headers();
        for (Map.Entry<String, String> header :
                List.of(
                        Map.entry(POSITION, position),
                        Map.entry(INDEX, Integer.toString(index)),
                        Map.entry(COUNT, Integer.toString(count)))) {
            Headers _ = headers.add(header.getKey(), header.getValue().getBytes(UTF_8));
        }
        // The commit of the transaction reports a failure of any record.
        var _ = producer.send(written);
    }

    private void end() {
        producer.sendOffsetsToTransaction(
                Map.of(place(), new OffsetAndMetadata(0, last)), member.groupMetadata());
        producer.commitTransaction();
        open = 0;
        committed = last;
    }

    private PetrichorException fail(KafkaException e) {
        PetrichorException first = failure;
        if (first == null) {
            first = failed(target, e);
            failure = first;
        }
        return first;
    }

    private synchronized void tick() {
        if (open > 0 && failure == null) {
            try {
                end();
            } catch (KafkaException e) {
                PetrichorException _ = fail(e);
            }
        }
    }

    /** Puts what was added into the topic. */
    public synchronized void flush() {
        requireWorking();
        tick();
        requireWorking();
    }

    /** What was not flushed may be missing; the next sink of this name continues before it. */
    @Override
    public void close() {
        clock.shutdownNow();
        producer.close(CLOSE_MAX);
        member.close();
    }
}
