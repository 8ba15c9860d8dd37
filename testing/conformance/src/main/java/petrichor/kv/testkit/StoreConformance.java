package petrichor.kv.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;

/**
 * The cases for every store. A store's test also implements the interface for its durable step
 * ({@link AtomicBatchConformance}, {@link ConditionalRowConformance} or {@link
 * PlainRowConformance}) and, if it has views, {@link ViewConformance}; a case here fails if it does
 * not. So nothing is skipped and nothing is forgotten.
 */
public interface StoreConformance
        extends RowConformance, ScanConformance, SizeConformance, ConcurrencyConformance {

    @Test
    default void theTestCoversTheCapabilitiesOfTheStore() {
        try (KeyValueStore store = open()) {
            assertThat(this instanceof ViewConformance)
                    .as("its test implements ViewConformance")
                    .isEqualTo(store.capabilities().views());
            Class<?> cases =
                    switch (store.durableStep()) {
                        case DurableStep.AtomicBatch _ -> AtomicBatchConformance.class;
                        case DurableStep.PlainAppend _ -> PlainAppendConformance.class;
                        case DurableStep.ConditionalRow _ -> ConditionalRowConformance.class;
                        case DurableStep.PlainRow _ -> PlainRowConformance.class;
                    };
            assertThat(this).isInstanceOf(cases);
        }
    }
}
