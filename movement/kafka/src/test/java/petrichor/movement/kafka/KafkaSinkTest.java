package petrichor.movement.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.testkit.RealStore;

/** The sink against a real broker, read by Kafka's own client. */
final class KafkaSinkTest {
    private final RealStore broker = RealStore.of(new KafkaBroker());
    private final KafkaTarget target = KafkaTarget.parse(broker.url() + "/t" + UUID.randomUUID());

    private static JsonObject commit(long position, String... names) {
        JsonObject commit = new JsonObject();
        commit.addProperty("position", position);
        commit.addProperty("time", "2026-11-28T05:00:00Z");
        JsonArray entities = new JsonArray();
        for (String name : names) {
            JsonObject key = new JsonObject();
            key.addProperty("name", name);
            JsonObject entity = new JsonObject();
            entity.addProperty("change", "insert");
            entity.add("key", key);
            entities.add(entity);
        }
        commit.add("entities", entities);
        return commit;
    }

    /** Reads committed records until there are as many; position and name of each. */
    private List<String> records(int count) {
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(
                        Map.of(
                                "bootstrap.servers",
                                target.brokers(),
                                "group.id",
                                UUID.randomUUID().toString(),
                                "auto.offset.reset",
                                "earliest",
                                "isolation.level",
                                "read_committed"),
                        new StringDeserializer(),
                        new StringDeserializer())) {
            consumer.subscribe(List.of(target.topic()));
            List<String> found = new ArrayList<>();
            long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (found.size() < count && System.nanoTime() < end) {
                for (ConsumerRecord<String, String> one : consumer.poll(Duration.ofSeconds(1))) {
                    JsonObject value = JsonParser.parseString(one.value()).getAsJsonObject();
                    String position =
                            new String(
                                    one.headers().lastHeader("petrichor-position").value(), UTF_8);
                    assertThat(value.get("position").getAsString()).isEqualTo(position);
                    assertThat(one.key()).isEqualTo(value.get("key").toString());
                    found.add(position + value.getAsJsonObject("key").get("name").getAsString());
                }
            }
            // Nothing follows what was expected.
            consumer.poll(Duration.ofMillis(500)).forEach(one -> found.add(one.value()));
            return found;
        }
    }

    @Test
    void everyChangeIsOneRecordAndThePositionIsStoredWithIt() {
        try (KafkaSink sink = KafkaSink.open(target, "a")) {
            assertThat(sink.position()).isEmpty();
            sink.add(commit(1, "x", "y"));
            sink.add(commit(2, "x"));
            sink.flush();
            assertThat(sink.position()).isEqualTo("2");
        }
        assertThat(records(3)).containsExactlyInAnyOrder("1x", "1y", "2x");
        try (KafkaSink next = KafkaSink.open(target, "a");
                KafkaSink other = KafkaSink.open(target, "b")) {
            assertThat(next.position()).isEqualTo("2");
            assertThat(other.position()).isEmpty();
        }
    }

    @Test
    void aPositionIsReportedOnlyWhenTheTopicHasIt() {
        String reported;
        String durable;
        try (KafkaSink sink = KafkaSink.open(target, "a")) {
            sink.add(commit(1, "x"));
            durable = sink.durable("1");
            reported = sink.position();
        }
        try (KafkaSink next = KafkaSink.open(target, "a")) {
            // Closed without a flush: whatever was committed by then is at least what was reported.
            String kept = next.position();
            assertThat(reported).isIn("", kept);
            assertThat(durable).isIn("", kept);
        }
    }

    @Test
    void aSecondSinkOfTheSameNameTakesOver() {
        try (KafkaSink first = KafkaSink.open(target, "a")) {
            first.add(commit(1, "x"));
            first.flush();
            try (KafkaSink second = KafkaSink.open(target, "a")) {
                assertThatThrownBy(
                                () -> {
                                    first.add(commit(2, "lost"));
                                    first.flush();
                                })
                        .isInstanceOfSatisfying(
                                PetrichorException.class,
                                refused ->
                                        assertThat(refused.code())
                                                .isEqualTo(ErrorCode.UNAVAILABLE));
                assertThat(second.position()).isEqualTo("1");
                second.add(commit(2, "kept"));
                second.flush();
            }
        }
        assertThat(records(2)).containsExactlyInAnyOrder("1x", "2kept");
    }

    @Test
    void largeRecordsAndManyOfThemArrive() {
        String large = "l".repeat(3 << 20);
        try (KafkaSink sink = KafkaSink.open(target, "a")) {
            sink.add(commit(1, large));
            for (int i = 2; i <= 2_500; i++) {
                sink.add(commit(i, "n"));
            }
            sink.flush();
            assertThat(sink.position()).isEqualTo("2500");
        }
        assertThat(records(2_500)).hasSize(2_500).contains("1" + large, "2500n");
    }

    @Test
    void addressesAreChecked() {
        assertThat(KafkaTarget.parse("kafka://a:1,b:2/t"))
                .isEqualTo(new KafkaTarget("a:1,b:2", "t"));
        for (String wrong : List.of("kafka://a/t", "kafka://a:1", "http://a:1/t", "kafka://a:1/")) {
            assertThatThrownBy(() -> KafkaTarget.parse(wrong))
                    .hasMessageContaining("kafka://localhost:9092/changes");
        }
    }
}
