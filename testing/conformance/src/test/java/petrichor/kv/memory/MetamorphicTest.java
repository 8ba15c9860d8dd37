package petrichor.kv.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import petrichor.kv.DurableStep;
import petrichor.kv.ForwardingStore;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;
import petrichor.kv.testkit.MetamorphicConformance;

/** The kit's random operations find no fault in a correct store, and detect injected faults. */
class MetamorphicTest {
    private static final MemoryOptions CONDITIONAL =
            MemoryOptions.DEFAULT.withTier(MemoryOptions.Tier.B).withoutViews();

    @Test
    void correctStoresOfEveryFormPass() {
        for (MemoryOptions.Tier tier : MemoryOptions.Tier.values()) {
            run(MemoryOptions.DEFAULT.withTier(tier).withoutViews(), step -> step);
            run(MemoryOptions.DEFAULT.withTier(tier), step -> step);
        }
    }

    @Test
    void storeThatForgetsVersionsIsDetected() {
        assertFound(
                sound ->
                        new Faulty(sound) {
                            @Override
                            public void putIfNewer(WriteBatch batch, long version) {
                                super.putIfNewer(batch, Long.MAX_VALUE);
                            }
                        });
    }

    @Test
    void storeThatForgetsTheVersionsOfDeletedRowsIsDetected() {
        assertFound(
                sound ->
                        new Faulty(sound) {
                            @Override
                            public void putIfNewer(WriteBatch batch, long version) {
                                boolean deletesOnly =
                                        batch.ops().stream()
                                                .allMatch(WriteBatch.Delete.class::isInstance);
                                super.putIfNewer(batch, deletesOnly ? 0 : version);
                            }
                        });
    }

    @Test
    void storeThatLetsTheSecondPutIfAbsentWinIsDetected() {
        assertFound(
                sound ->
                        new Faulty(sound) {
                            @Override
                            public Outcome putIfAbsent(String table, byte[] key, byte[] value) {
                                super.putIfAbsent(table, key, value);
                                return Outcome.DONE;
                            }
                        });
    }

    @Test
    void storeWithOtherCapabilitiesThanItsReferenceIsNotCompared() {
        assertThatThrownBy(
                        () ->
                                new Comparison(CONDITIONAL, step -> step) {
                                    @Override
                                    public KeyValueStore openReference() {
                                        return MemoryStore.open();
                                    }
                                }.compareWithReference())
                .hasMessageContaining("capabilities of the reference");
    }

    private static void assertFound(UnaryOperator<DurableStep> fault) {
        assertThatThrownBy(() -> run(CONDITIONAL, fault))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("replay: -Dseed=");
    }

    private static void run(MemoryOptions options, UnaryOperator<DurableStep> fault) {
        Comparison comparison = new Comparison(options, fault);
        comparison.compareWithReference();
        assertThat(comparison.opened).isEqualTo(MetamorphicConformance.SEEDS);
    }

    private static class Comparison implements MetamorphicConformance {
        private final MemoryOptions options;
        private final UnaryOperator<DurableStep> fault;
        private int opened;

        Comparison(MemoryOptions options, UnaryOperator<DurableStep> fault) {
            this.options = options;
            this.fault = fault;
        }

        @Override
        public KeyValueStore open() {
            opened++;
            return new FaultyStore(MemoryStore.open(options), fault);
        }

        @Override
        public KeyValueStore reopen(KeyValueStore store) {
            return new FaultyStore(((FaultyStore) store).sound.reopen(), fault);
        }

        @Override
        public KeyValueStore openReference() {
            return MemoryStore.open(options);
        }

        @Override
        public KeyValueStore reopenReference(KeyValueStore reference) {
            return ((MemoryStore) reference).reopen();
        }
    }

    /** A durable step from which faults are derived. */
    private static class Faulty implements DurableStep.ConditionalRow {
        private final DurableStep.ConditionalRow sound;

        Faulty(DurableStep sound) {
            this.sound = (DurableStep.ConditionalRow) sound;
        }

        @Override
        public Outcome putIfAbsent(String table, byte[] key, byte[] value) {
            return sound.putIfAbsent(table, key, value);
        }

        @Override
        public byte @Nullable [] read(String table, byte[] key) {
            return sound.read(table, key);
        }

        @Override
        public void putIfNewer(WriteBatch batch, long version) {
            sound.putIfNewer(batch, version);
        }
    }

    /** A store that is correct except for its durable step. */
    private static final class FaultyStore extends ForwardingStore {
        private final MemoryStore sound;
        private final UnaryOperator<DurableStep> fault;

        FaultyStore(MemoryStore sound, UnaryOperator<DurableStep> fault) {
            super(sound);
            this.sound = sound;
            this.fault = fault;
        }

        @Override
        public DurableStep durableStep() {
            return fault.apply(sound.durableStep());
        }
    }
}
